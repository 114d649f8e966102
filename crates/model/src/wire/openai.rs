//! OpenAI's chat completions: `POST /v1/chat/completions`, for OpenAI-compatible servers.

pub(crate) mod effort;
mod reader;

use serde_json::{Map, Value, json};

use super::shared::{arguments, as_text, is_blank};
use crate::wire::shared::{SignatureKind, ThoughtSignature};
use crate::{Input, Message, ModelInfo, Output, Request, ToolResult, ToolSpec};
pub(crate) use reader::ChatReader;

/// The body of a request.
pub(crate) fn body(model: &str, info: &ModelInfo, request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("stream".to_owned(), json!(true));
    body.insert(
        "stream_options".to_owned(),
        json!({ "include_usage": true }),
    );
    if let Some(most) = request.max_output {
        let name = effort::limit_name(model);
        body.insert(name.to_owned(), json!(most.min(info.max_output)));
    }
    if let Some(effort) = effort::in_chat(model, request) {
        body.insert("reasoning_effort".to_owned(), json!(effort));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    body.insert("messages".to_owned(), json!(messages(model, info, request)));
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        },
    })
}

fn messages(model: &str, info: &ModelInfo, request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if !is_blank(&request.instructions) {
        messages.push(json!({ "role": "system", "content": &*request.instructions }));
    }
    let turn = request
        .messages
        .iter()
        .rposition(|message| matches!(**message, Message::User(_)));
    for (place, message) in request.messages.iter().enumerate() {
        match &**message {
            Message::User(inputs) => {
                messages.push(json!({ "role": "user", "content": content(inputs, info) }));
            }
            Message::Model(outputs) => {
                let mut answer = assistant_message(outputs);
                // Servers need reasoning back within its turn, and reject it later.
                if turn.is_none_or(|turn| turn < place) {
                    restore_reasoning(&mut answer, outputs, model);
                }
                if answer["content"] != "" || answer.contains_key("tool_calls") {
                    messages.push(Value::Object(answer));
                }
            }
            Message::Tools(results) => push_results(results, info, &mut messages),
        }
    }
    messages
}

/// Plain text as a string, which every server accepts.
fn content(inputs: &[Input], info: &ModelInfo) -> Value {
    if let [Input::Text(text)] = inputs {
        return json!(text);
    }
    inputs.iter().map(|input| part(input, info)).collect()
}

fn part(input: &Input, info: &ModelInfo) -> Value {
    match input {
        Input::Image { media_type, data } if info.images => json!({
            "type": "image_url",
            "image_url": { "url": format!("data:{media_type};base64,{data}") },
        }),
        Input::Audio { media_type, data } if info.audio => json!({
            "type": "input_audio",
            "input_audio": { "data": data, "format": format_of(media_type) },
        }),
        other => json!({ "type": "text", "text": as_text(other) }),
    }
}

fn format_of(media_type: &str) -> &str {
    match media_type {
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        other => other.strip_prefix("audio/").unwrap_or(other),
    }
}

fn assistant_message(outputs: &[Output]) -> Map<String, Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for output in outputs {
        match output {
            Output::Text(more) => text.push_str(more),
            Output::Thought { .. } => {}
            Output::Call(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": Value::Object(arguments(call)).to_string(),
                },
            })),
        }
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    let content = if text.is_empty() && !calls.is_empty() {
        Value::Null
    } else {
        json!(text)
    };
    message.insert("content".to_owned(), content);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), json!(calls));
    }
    message
}

/// Returns reasoning in the member in which it arrived.
fn restore_reasoning(message: &mut Map<String, Value>, outputs: &[Output], model: &str) {
    for output in outputs {
        let Output::Thought { text, signature } = output else {
            continue;
        };
        let Some(signature) = signature.as_deref().and_then(ThoughtSignature::read) else {
            continue;
        };
        let is_ours = signature.model == model && reader::REASONING.contains(&signature.value);
        if signature.kind == SignatureKind::Member && is_ours {
            let member = message
                .entry(signature.value.to_owned())
                .or_insert(json!(""));
            let before = member.as_str().unwrap_or_default();
            *member = json!(format!("{before}{text}"));
        }
    }
}

/// Tool results can only contain text here; everything else follows in a user message.
fn push_results(results: &[ToolResult], info: &ModelInfo, messages: &mut Vec<Value>) {
    let mut others = Vec::new();
    for result in results {
        let mut words: Vec<String> = Vec::new();
        if result.failed {
            words.push("The tool failed.".to_owned());
        }
        for input in &result.content {
            match part(input, info) {
                part if part["type"] == "text" => words.push(as_text(input)),
                part => {
                    words.push(format!("(attachment {} below)", others.len() / 2 + 1));
                    let label =
                        format!("Attachment {} of the results above:", others.len() / 2 + 1);
                    others.push(json!({ "type": "text", "text": label }));
                    others.push(part);
                }
            }
        }
        messages.push(json!({
            "role": "tool",
            "tool_call_id": result.id,
            "content": words.join("\n"),
        }));
    }
    if !others.is_empty() {
        messages.push(json!({ "role": "user", "content": others }));
    }
}
