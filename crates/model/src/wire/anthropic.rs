//! Anthropic's Messages: `POST /v1/messages`.

mod reader;
mod thinking;

use serde_json::{Map, Value, json};

use super::body::{arguments, is_blank, settled, unseen};
use crate::thought_signature::{SignatureKind, ThoughtSignature};
use crate::{Input, Message, ModelInfo, Output, Request, ToolResult, ToolSpec};
pub(crate) use reader::MessagesReader;
pub(crate) use thinking::levels;

/// What is sent.
pub(crate) fn body(model: &str, info: &ModelInfo, request: &Request) -> Value {
    let most = request.most_output.unwrap_or(info.most_output);
    let most = most.min(info.most_output);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(most));
    body.insert("stream".to_owned(), json!(true));
    thinking::ask(&mut body, model, request, most);
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    // Tools stand before the instructions: a mark on the latter covers both.
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

/// Roles alternate: what follows in the same role joins the turn before.
fn turns(model: &str, info: &ModelInfo, request: &Request) -> Vec<WireMessage> {
    let mut turns: Vec<WireMessage> = Vec::new();
    for message in &request.messages {
        let (role, content) = match &**message {
            Message::User(inputs) => (MessageRole::User, contents(inputs, info)),
            Message::Model(outputs) => {
                let blocks = settled(outputs).iter();
                let blocks = blocks.filter_map(|output| said(output, model));
                (MessageRole::Assistant, blocks.collect())
            }
            Message::Tools(results) => {
                let results = results.iter().map(|result| outcome(result, info));
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
        other => json!({ "type": "text", "text": unseen(other) }),
    });
    content.filter(|block| !is_blank_text(block)).collect()
}

fn said(output: &Output, model: &str) -> Option<Value> {
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

/// Thoughts are bound to the model that thought them.
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

fn outcome(result: &ToolResult, info: &ModelInfo) -> Value {
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

/// Only letters, digits, `_` and `-` are taken; another provider's ids may hold more.
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

/// Marks where the prompt ends now and where it ended before, so that the next request finds a prefix of it in the cache.
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

/// Whether the calls of the last answer, if it is in the middle of its calls, were thought about by this model.
fn is_thought_through(model: &str, request: &Request) -> bool {
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
            let first = outputs.iter().find_map(|output| said(output, model));
            first.is_some_and(|block| is_thought(&block))
        }
        _ => true,
    }
}

/// Four marks are allowed, one of which is on the instructions.
const MARKED_TURNS: usize = 2;
