//! Parts that all wire formats share: content, ids of tool calls, and signatures of reasoning.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{Input, Message, Output, Request, ToolCall};

/// The input of a call as an object. Other input is wrapped in one, because providers accept nothing else.
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

/// The text in place of content that the model does not support.
pub(super) fn as_text(input: &Input) -> String {
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

/// The outputs up to the last text or call: providers reject an answer that ends in reasoning.
pub(super) fn without_trailing_thoughts(outputs: &[Output]) -> &[Output] {
    let last = outputs.iter().rposition(|output| match output {
        Output::Text(text) => !is_blank(text),
        Output::Thought { .. } => false,
        Output::Call(_) => true,
    });
    &outputs[..last.map_or(0, |last| last + 1)]
}

/// Whether a text has no visible character; providers reject such text.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The ids of a conversation's tool calls.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    used: HashSet<String>,
    /// Number of messages so far, which is different for each answer.
    turn: usize,
}

impl CallIds {
    pub(crate) fn in_request(request: &Request) -> CallIds {
        let calls = request
            .messages
            .iter()
            .flat_map(|message| match &**message {
                Message::Model(outputs) => outputs.as_slice(),
                Message::User(_) | Message::Tools(_) => &[],
            });
        let used = calls.filter_map(|output| match output {
            Output::Call(call) => Some(call.id.clone()),
            Output::Text(_) | Output::Thought { .. } => None,
        });
        CallIds {
            used: used.collect(),
            turn: request.messages.len(),
        }
    }

    /// The given id if it is new, otherwise one derived from it.
    pub(crate) fn unique(&mut self, given: &str) -> String {
        let stem = if given.is_empty() { "call" } else { given };
        let mut id = given.to_owned();
        let mut count = 0;
        while id.is_empty() || self.used.contains(&id) {
            id = format!("{stem}_{}_{count}", self.turn);
            count += 1;
        }
        self.used.insert(id.clone());
        id
    }
}

/// The signature of reasoning: `MODEL KIND VALUE`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ThoughtSignature<'s> {
    pub(crate) model: &'s str,
    pub(crate) kind: SignatureKind,
    pub(crate) value: &'s str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureKind {
    /// The value is the provider's signature of the text.
    Signed,
    /// The value is the reasoning itself, encrypted by the provider.
    Hidden,
    /// The value is the name of the JSON member that contained the text.
    Member,
}

impl<'s> ThoughtSignature<'s> {
    pub(crate) fn read(text: &'s str) -> Option<ThoughtSignature<'s>> {
        let (model, rest) = text.split_once(' ')?;
        let (kind, value) = rest.split_once(' ')?;
        let kind = match kind {
            "signed" => SignatureKind::Signed,
            "hidden" => SignatureKind::Hidden,
            "member" => SignatureKind::Member,
            _ => return None,
        };
        Some(ThoughtSignature { model, kind, value })
    }

    pub(crate) fn write(&self) -> String {
        let kind = match self.kind {
            SignatureKind::Signed => "signed",
            SignatureKind::Hidden => "hidden",
            SignatureKind::Member => "member",
        };
        format!("{} {kind} {}", self.model.replace(' ', "_"), self.value)
    }
}

const MALFORMED: &str = "malformed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_repeated_id_becomes_a_new_one() {
        let mut ids = CallIds::default();
        let given = ["a", "a", "", "", "b"].map(|given| ids.unique(given));
        assert_eq!(given, ["a", "a_0_0", "call_0_0", "call_0_1", "b"]);
    }

    #[test]
    fn a_seal_is_read_as_it_was_written() {
        let signature = ThoughtSignature {
            model: "claude-opus-5-5",
            kind: SignatureKind::Signed,
            value: "Eq+/=",
        };
        assert_eq!(ThoughtSignature::read(&signature.write()), Some(signature));
    }

    #[test]
    fn what_others_wrote_is_no_seal() {
        assert_eq!(ThoughtSignature::read("EqQBCkYIBRgC"), None);
        assert_eq!(ThoughtSignature::read("model other value"), None);
    }
}
