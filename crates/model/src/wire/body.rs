//! What both protocols do alike when they write a request.

use serde_json::{Map, Value};

use crate::{Input, Output, ToolCall};

/// The input of a call as an object. What a model wrote that is none is kept in one: no provider takes anything else back.
pub(super) fn arguments(call: &ToolCall) -> Map<String, Value> {
    if call.input.trim().is_empty() {
        return Map::new();
    }
    match serde_json::from_str(&call.input) {
        Ok(Value::Object(members)) => members,
        Ok(_) | Err(_) => {
            let text = Value::String(call.input.clone());
            Map::from_iter([(MALFORMED.to_owned(), text)])
        }
    }
}

/// What a model is told in place of something that it cannot take in.
pub(super) fn unseen(input: &Input) -> String {
    match input {
        Input::Text(text) => text.clone(),
        Input::Image { media_type, .. } => {
            format!("(a picture, {media_type}, that this model cannot see)")
        }
        Input::Audio { media_type, .. } => {
            format!("(a sound, {media_type}, that this model cannot hear)")
        }
    }
}

/// What was said up to its last words or calls: providers refuse an answer that ends in a thought.
pub(super) fn settled(outputs: &[Output]) -> &[Output] {
    let last = outputs.iter().rposition(|output| match output {
        Output::Text(text) => !is_blank(text),
        Output::Thought { .. } => false,
        Output::Call(_) => true,
    });
    &outputs[..last.map_or(0, |last| last + 1)]
}

/// Providers refuse text without a visible character.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

const MALFORMED: &str = "malformed";
