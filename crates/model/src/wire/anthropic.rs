//! Anthropic's Messages API: `POST /v1/messages`.

mod reader;
mod thinking;

use serde_json::{Map, Value, json};

use super::shared::{arguments, as_text, is_blank, without_trailing_thoughts};
use crate::wire::shared::{SignatureKind, ThoughtSignature};
use crate::{Input, Message, ModelInfo, Output, Request, ToolResult, ToolSpec};
pub(crate) use reader::MessagesReader;
pub(crate) use thinking::levels;

/// The body of a request.
pub(crate) fn body(model: &str, info: &ModelInfo, request: &Request) -> Value {
    let most = request.max_output.unwrap_or(info.max_output);
    let most = most.min(info.max_output);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(most));
    body.insert("stream".to_owned(), json!(true));
    thinking::configure(&mut body, model, request, most);
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    // Tools come before the instructions, so a cache mark on the instructions covers both.
    if is_blank(&request.instructions) {
        tools.last_mut().map(mark);
    } else {
        let mut instructions = json!({ "type": "text", "text": &*request.instructions });
        mark(&mut instructions);
        body.insert("system".to_owned(), json!([instructions]));
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), json!(tools));
    }
    let mut turns = turns(model, info, request);
    mark_newest(&mut turns);
    let messages: Vec<Value> = turns
        .into_iter()
        .map(|turn| json!({ "role": turn.role.name(), "content": turn.content }))
        .collect();
    body.insert("messages".to_owned(), json!(messages));
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    })
}

struct WireMessage {
    role: MessageRole,
    content: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageRole {
    User,
    Assistant,
}

impl MessageRole {
    fn name(self) -> &'static str {
        match self {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        }
    }
}

/// Converts the messages. Roles must alternate, so a message with the role of the previous one is appended to it.
fn turns(model: &str, info: &ModelInfo, request: &Request) -> Vec<WireMessage> {
    let mut turns: Vec<WireMessage> = Vec::new();
    for message in &request.messages {
        let (role, content) = match &**message {
            Message::User(inputs) => (MessageRole::User, contents(inputs, info)),
            Message::Model(outputs) => {
                let blocks = without_trailing_thoughts(outputs).iter();
                let blocks = blocks.filter_map(|output| block(output, model));
                (MessageRole::Assistant, blocks.collect())
            }
            Message::Tools(results) => {
                let results = results.iter().map(|result| tool_result(result, info));
                (MessageRole::User, results.collect())
            }
        };
        match turns.last_mut() {
            _ if content.is_empty() => {}
            Some(last) if last.role == role => last.content.extend(content),
            _ => turns.push(WireMessage { role, content }),
        }
    }
    turns
}

fn contents(inputs: &[Input], info: &ModelInfo) -> Vec<Value> {
    let content = inputs.iter().map(|input| match input {
        Input::Image { media_type, data } if info.images => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": data },
        }),
        other => json!({ "type": "text", "text": as_text(other) }),
    });
    content.filter(|block| !is_blank_text(block)).collect()
}

fn block(output: &Output, model: &str) -> Option<Value> {
    match output {
        Output::Text(text) if is_blank(text) => None,
        Output::Text(text) => Some(json!({ "type": "text", "text": text })),
        Output::Thought { text, signature } => {
            thought(text, ThoughtSignature::read(signature.as_deref()?)?, model)
        }
        Output::Call(call) => Some(json!({
            "type": "tool_use",
            "id": id(&call.id),
            "name": call.name,
            "input": arguments(call),
        })),
    }
}

fn is_thought(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

/// Reasoning is returned only to the model that produced it.
fn thought(text: &str, signature: ThoughtSignature<'_>, model: &str) -> Option<Value> {
    match signature.kind {
        SignatureKind::Signed if signature.model == model => Some(json!({
            "type": "thinking",
            "thinking": text,
            "signature": signature.value,
        })),
        SignatureKind::Hidden if signature.model == model => Some(json!({
            "type": "redacted_thinking",
            "data": signature.value,
        })),
        SignatureKind::Signed | SignatureKind::Hidden | SignatureKind::Member => None,
    }
}

fn tool_result(result: &ToolResult, info: &ModelInfo) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": id(&result.id) });
    let content = contents(&result.content, info);
    if !content.is_empty() {
        block["content"] = json!(content);
    }
    if result.failed {
        block["is_error"] = json!(true);
    }
    block
}

/// Replaces characters that are not allowed in ids; ids of other providers may contain more than letters, digits, `_`
/// and `-`.
fn id(given: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    given
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}

fn is_blank_text(block: &Value) -> bool {
    block["text"].as_str().is_some_and(is_blank)
}

/// Marks where the prompt ends now and where it ended before, so that the next request finds a prefix of it in the
/// cache.
fn mark_newest(turns: &mut [WireMessage]) {
    let users = turns
        .iter_mut()
        .rev()
        .filter(|turn| turn.role == MessageRole::User);
    for turn in users.take(MARKED_TURNS) {
        turn.content.last_mut().map(mark);
    }
}

fn mark(block: &mut Value) {
    block["cache_control"] = json!({ "type": "ephemeral" });
}

/// Whether the last answer, if its tool calls are still in progress, starts with reasoning of this model.
fn starts_with_thought(model: &str, request: &Request) -> bool {
    let answered = request
        .messages
        .iter()
        .rposition(|message| matches!(**message, Message::Tools(_)));
    let asked = request
        .messages
        .iter()
        .rposition(|message| matches!(**message, Message::Model(_)));
    match (answered, asked) {
        (Some(answered), Some(asked)) if asked < answered => {
            let Message::Model(outputs) = &*request.messages[asked] else {
                return true;
            };
            let first = outputs.iter().find_map(|output| block(output, model));
            first.is_some_and(|block| is_thought(&block))
        }
        _ => true,
    }
}

/// Four cache marks are allowed, one of which is on the instructions.
const MARKED_TURNS: usize = 2;
