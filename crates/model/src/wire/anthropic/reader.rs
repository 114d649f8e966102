//! Reads a stream of the Messages API.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::wire::attempt_error::{self, AttemptError};
use crate::wire::shared::CallIds;
use crate::wire::shared::{SignatureKind, ThoughtSignature};
use crate::{Event, Stop, ToolCall, Usage};

#[derive(Debug)]
pub(crate) struct MessagesReader {
    model: String,
    ids: CallIds,
    blocks: BTreeMap<u64, OpenBlock>,
    usage: Usage,
    stop: Option<Stop>,
    has_called: bool,
}

/// An open content block.
#[derive(Debug)]
enum OpenBlock {
    Text,
    Thought { signature: String },
    Hidden { data: String },
    Call(ToolCall),
}

impl MessagesReader {
    pub(crate) fn new(model: &str, ids: CallIds) -> MessagesReader {
        MessagesReader {
            model: model.to_owned(),
            ids,
            blocks: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
            has_called: false,
        }
    }

    pub(crate) fn read(
        &mut self,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), AttemptError> {
        let frame: Value =
            serde_json::from_str(data).map_err(|_| attempt_error::malformed_frame())?;
        let index = frame["index"].as_u64().unwrap_or_default();
        match frame["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&frame["message"]["usage"], out),
            "content_block_start" => self.open_block(index, &frame["content_block"], out),
            "content_block_delta" => self.extend(index, &frame["delta"], out),
            "content_block_stop" => self.close_block(index, out),
            "message_delta" => {
                if let Some(reason) = frame["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop(reason));
                }
                self.count(&frame["usage"], out);
            }
            "message_stop" => self.finish(out),
            "error" => return Err(attempt_error::error_for_event(&frame["error"])),
            _ => {}
        }
        Ok(())
    }

    fn open_block(&mut self, index: u64, block: &Value, out: &mut VecDeque<Event>) {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let opened = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                push_text(text("text"), Event::Text, out);
                OpenBlock::Text
            }
            "thinking" => {
                push_text(text("thinking"), Event::Thought, out);
                let signature = text("signature");
                OpenBlock::Thought { signature }
            }
            "redacted_thinking" => OpenBlock::Hidden { data: text("data") },
            "tool_use" => {
                let id = self.ids.unique(&text("id"));
                let name = text("name");
                self.has_called = true;
                out.push_back(Event::CallStarted {
                    id: id.clone(),
                    name: name.clone(),
                });
                let input = match &block["input"] {
                    Value::Object(members) if !members.is_empty() => block["input"].to_string(),
                    _ => String::new(),
                };
                OpenBlock::Call(ToolCall { id, name, input })
            }
            // We request no other blocks.
            _ => return,
        };
        self.blocks.insert(index, opened);
    }

    fn extend(&mut self, index: u64, delta: &Value, out: &mut VecDeque<Event>) {
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        let kind = delta["type"].as_str().unwrap_or_default();
        match (kind, self.blocks.get_mut(&index)) {
            ("text_delta", Some(_)) => push_text(text("text").to_owned(), Event::Text, out),
            ("thinking_delta", Some(_)) => {
                push_text(text("thinking").to_owned(), Event::Thought, out)
            }
            ("signature_delta", Some(OpenBlock::Thought { signature })) => {
                signature.push_str(text("signature"));
            }
            ("input_json_delta", Some(OpenBlock::Call(call))) => {
                call.input.push_str(text("partial_json"));
            }
            _ => {}
        }
    }

    fn close_block(&mut self, index: u64, out: &mut VecDeque<Event>) {
        match self.blocks.remove(&index) {
            Some(OpenBlock::Thought { signature }) => {
                self.push_signature(SignatureKind::Signed, &signature, out)
            }
            Some(OpenBlock::Hidden { data }) => {
                self.push_signature(SignatureKind::Hidden, &data, out)
            }
            Some(OpenBlock::Call(mut call)) => {
                if call.input.is_empty() {
                    call.input.push_str("{}");
                }
                out.push_back(Event::Call(call));
            }
            Some(OpenBlock::Text) | None => {}
        }
    }

    fn push_signature(&self, kind: SignatureKind, value: &str, out: &mut VecDeque<Event>) {
        if !value.is_empty() {
            let model = &self.model;
            out.push_back(Event::ThoughtSignature(
                ThoughtSignature { model, kind, value }.write(),
            ));
        }
    }

    /// Updates the usage. A count that is not repeated stays.
    fn count(&mut self, counts: &Value, out: &mut VecDeque<Event>) {
        let mut is_counted = false;
        let mut set = |count: &mut u64, name: &str| {
            if let Some(tokens) = counts[name].as_u64() {
                *count = tokens;
                is_counted = true;
            }
        };
        set(&mut self.usage.input, "input_tokens");
        set(&mut self.usage.output, "output_tokens");
        set(&mut self.usage.cache_read, "cache_read_input_tokens");
        set(&mut self.usage.cache_write, "cache_creation_input_tokens");
        if is_counted {
            out.push_back(Event::Usage(self.usage));
        }
    }

    fn finish(&mut self, out: &mut VecDeque<Event>) {
        for index in self.blocks.keys().copied().collect::<Vec<_>>() {
            self.close_block(index, out);
        }
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.has_called => Stop::Tools,
            None => Stop::Done,
        };
        out.push_back(Event::End(stop));
    }
}

fn push_text(text: String, event: fn(String) -> Event, out: &mut VecDeque<Event>) {
    if !text.is_empty() {
        out.push_back(event(text));
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_use" => Stop::Tools,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refusal,
        _ => Stop::Done,
    }
}
