//! OpenAI's Responses API: `POST /v1/responses`. OpenAI's newer models can think and call tools at once only here.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};

use super::attempt_error::{self, AttemptError};
use super::openai::effort;
use super::shared::{
    CallIds, SignatureKind, ThoughtSignature, arguments, as_text, is_blank,
    without_trailing_thoughts,
};
use crate::{
    Event, Input, Message, ModelInfo, Output, Request, Stop, ToolCall, ToolResult, ToolSpec, Usage,
};

/// The body of a request. The provider stores nothing: reasoning arrives encrypted and is returned.
pub(crate) fn body(model: &str, info: &ModelInfo, request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("stream".to_owned(), json!(true));
    body.insert("store".to_owned(), json!(false));
    if let Some(most) = request.max_output {
        body.insert(
            "max_output_tokens".to_owned(),
            json!(most.min(info.max_output)),
        );
    }
    if let Some(effort) = effort::effort(model, request.thought) {
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
                let outputs = without_trailing_thoughts(outputs).iter();
                items.extend(outputs.filter_map(|output| item(output, model)));
            }
            Message::Tools(results) => {
                items.extend(results.iter().map(|result| tool_output(result, info)));
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
        other => json!({ "type": "input_text", "text": as_text(other) }),
    });
    contents.collect()
}

fn item(output: &Output, model: &str) -> Option<Value> {
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

fn tool_output(result: &ToolResult, info: &ModelInfo) -> Value {
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

/// Reads a stream of the Responses API.
#[derive(Debug)]
pub(crate) struct ResponsesReader {
    model: String,
    ids: CallIds,
    calls: BTreeMap<u64, ToolCall>,
    has_called: bool,
    has_refused: bool,
}

impl ResponsesReader {
    pub(crate) fn new(model: &str, ids: CallIds) -> ResponsesReader {
        ResponsesReader {
            model: model.to_owned(),
            ids,
            calls: BTreeMap::new(),
            has_called: false,
            has_refused: false,
        }
    }

    pub(crate) fn read(
        &mut self,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), AttemptError> {
        let event: Value =
            serde_json::from_str(data).map_err(|_| attempt_error::malformed_frame())?;
        let place = event["output_index"].as_u64().unwrap_or_default();
        let delta = event["delta"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" => push_text(delta, Event::Text, out),
            "response.refusal.delta" => {
                self.has_refused = true;
                push_text(delta, Event::Text, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                push_text(delta, Event::Thought, out);
            }
            // Separate the parts of a summary as paragraphs.
            "response.reasoning_summary_part.added" if event["summary_index"] != 0 => {
                push_text("\n\n", Event::Thought, out);
            }
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.calls.get_mut(&place) {
                    call.input.push_str(delta);
                }
            }
            "response.output_item.added" => self.open_call(place, &event["item"], out),
            "response.output_item.done" => self.close_item(place, &event["item"], out),
            "response.completed" | "response.incomplete" => self.finish(&event["response"], out),
            "response.failed" => {
                return Err(attempt_error::error_for_event(&event["response"]["error"]));
            }
            "error" => {
                let error = event.get("error").filter(|error| error.is_object());
                return Err(attempt_error::error_for_event(error.unwrap_or(&event)));
            }
            _ => {}
        }
        Ok(())
    }

    fn open_call(&mut self, place: u64, item: &Value, out: &mut VecDeque<Event>) {
        if item["type"] != "function_call" {
            return;
        }
        let id = self
            .ids
            .unique(item["call_id"].as_str().unwrap_or_default());
        let name = item["name"].as_str().unwrap_or_default().to_owned();
        self.has_called = true;
        out.push_back(Event::CallStarted {
            id: id.clone(),
            name: name.clone(),
        });
        let input = String::new();
        self.calls.insert(place, ToolCall { id, name, input });
    }

    /// Handles a completed item, which is repeated as a whole.
    fn close_item(&mut self, place: u64, item: &Value, out: &mut VecDeque<Event>) {
        match item["type"].as_str().unwrap_or_default() {
            "reasoning" => {
                if let Some(value) = item["encrypted_content"].as_str() {
                    let signature = ThoughtSignature {
                        model: &self.model,
                        kind: SignatureKind::Hidden,
                        value,
                    };
                    out.push_back(Event::ThoughtSignature(signature.write()));
                }
            }
            "function_call" => {
                if !self.calls.contains_key(&place) {
                    self.open_call(place, item, out);
                }
                if let Some(mut call) = self.calls.remove(&place) {
                    if let Some(whole) =
                        item["arguments"].as_str().filter(|whole| !whole.is_empty())
                    {
                        call.input = whole.to_owned();
                    }
                    complete(call, out);
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, response: &Value, out: &mut VecDeque<Event>) {
        for call in std::mem::take(&mut self.calls).into_values() {
            complete(call, out);
        }
        if response["usage"].is_object() {
            out.push_back(Event::Usage(usage(&response["usage"])));
        }
        let stop = match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Stop::Refusal,
            Some(_) => Stop::Length,
            None if self.has_called => Stop::Tools,
            None if self.has_refused => Stop::Refusal,
            None => Stop::Done,
        };
        out.push_back(Event::End(stop));
    }
}

fn push_text(text: &str, event: fn(String) -> Event, out: &mut VecDeque<Event>) {
    if !text.is_empty() {
        out.push_back(event(text.to_owned()));
    }
}

fn complete(mut call: ToolCall, out: &mut VecDeque<Event>) {
    if call.input.is_empty() {
        call.input.push_str("{}");
    }
    out.push_back(Event::Call(call));
}

/// Reads the usage. The input count includes cached tokens here.
fn usage(counts: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let input = &counts["input_tokens_details"];
    let cache_read = count(&input["cached_tokens"]);
    let cache_write = count(&input["cache_write_tokens"]);
    Usage {
        input: count(&counts["input_tokens"])
            .saturating_sub(cache_read.saturating_add(cache_write)),
        output: count(&counts["output_tokens"]),
        thought: count(&counts["output_tokens_details"]["reasoning_tokens"]),
        cache_read,
        cache_write,
    }
}
