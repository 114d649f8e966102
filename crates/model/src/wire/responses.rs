//! OpenAI's Responses: `POST /v1/responses`. OpenAI's own newer models think and call tools at once only here.

mod reader;

use serde_json::{Map, Value, json};

use super::body::{arguments, is_blank, settled, unseen};
use super::openai::effort;
use crate::thought_signature::{SignatureKind, ThoughtSignature};
use crate::{Input, Message, ModelInfo, Output, Request, ToolResult, ToolSpec};
pub(crate) use reader::ResponsesReader;

/// What is sent. Nothing is kept at the provider: thoughts come sealed and are given back.
pub(crate) fn body(model: &str, info: &ModelInfo, request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("stream".to_owned(), json!(true));
    body.insert("store".to_owned(), json!(false));
    if let Some(most) = request.most_output {
        body.insert(
            "max_output_tokens".to_owned(),
            json!(most.min(info.most_output)),
        );
    }
    if let Some(effort) = effort::alone(model, request.thought) {
        let reasoning = json!({ "effort": effort, "summary": "auto" });
        body.insert("reasoning".to_owned(), reasoning);
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if !is_blank(&request.instructions) {
        body.insert("instructions".to_owned(), json!(&*request.instructions));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    body.insert("input".to_owned(), json!(items(model, info, request)));
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": false,
    })
}

fn items(model: &str, info: &ModelInfo, request: &Request) -> Vec<Value> {
    let mut items = Vec::new();
    for message in &request.messages {
        match &**message {
            Message::User(inputs) => {
                items.push(json!({ "role": "user", "content": contents(inputs, info) }));
            }
            Message::Model(outputs) => {
                let outputs = settled(outputs).iter();
                items.extend(outputs.filter_map(|output| said(output, model)));
            }
            Message::Tools(results) => {
                items.extend(results.iter().map(|result| outcome(result, info)));
            }
        }
    }
    items
}

fn contents(inputs: &[Input], info: &ModelInfo) -> Vec<Value> {
    let contents = inputs.iter().map(|input| match input {
        Input::Image { media_type, data } if info.images => json!({
            "type": "input_image",
            "image_url": format!("data:{media_type};base64,{data}"),
        }),
        other => json!({ "type": "input_text", "text": unseen(other) }),
    });
    contents.collect()
}

fn said(output: &Output, model: &str) -> Option<Value> {
    match output {
        Output::Text(text) if text.is_empty() => None,
        Output::Text(text) => Some(json!({
            "role": "assistant",
            "content": [{ "type": "output_text", "text": text }],
        })),
        Output::Thought { text, signature } => {
            let signature = ThoughtSignature::read(signature.as_deref()?)?;
            let is_ours = signature.kind == SignatureKind::Hidden && signature.model == model;
            let summary = match is_blank(text) {
                true => json!([]),
                false => json!([{ "type": "summary_text", "text": text }]),
            };
            is_ours.then(|| {
                json!({
                    "type": "reasoning",
                    "summary": summary,
                    "encrypted_content": signature.value,
                })
            })
        }
        Output::Call(call) => Some(json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": Value::Object(arguments(call)).to_string(),
        })),
    }
}

fn outcome(result: &ToolResult, info: &ModelInfo) -> Value {
    let mut output = contents(&result.content, info);
    if result.failed {
        output.insert(
            0,
            json!({ "type": "input_text", "text": "The tool failed." }),
        );
    }
    let output = match output.is_empty() {
        true => json!(""),
        false => json!(output),
    };
    json!({
        "type": "function_call_output",
        "call_id": result.id,
        "output": output,
    })
}
