//! Reads a stream of chat completion chunks.

use std::collections::VecDeque;

use serde_json::Value;

use crate::wire::attempt_error::{self, AttemptError};
use crate::wire::shared::CallIds;
use crate::wire::shared::{SignatureKind, ThoughtSignature};
use crate::{Event, Stop, ToolCall, Usage};

#[derive(Debug)]
pub(crate) struct ChatReader {
    model: String,
    ids: CallIds,
    calls: Vec<PartialCall>,
    /// The member that reasoning arrives in, while it does.
    reasoning_member: Option<&'static str>,
    finish: Option<String>,
    has_refused: bool,
}

/// A call with incomplete input.
#[derive(Debug)]
struct PartialCall {
    index: Option<u64>,
    given: String,
    call: ToolCall,
}

impl ChatReader {
    pub(crate) fn new(model: &str, ids: CallIds) -> ChatReader {
        ChatReader {
            model: model.to_owned(),
            ids,
            calls: Vec::new(),
            reasoning_member: None,
            finish: None,
            has_refused: false,
        }
    }

    pub(crate) fn read(
        &mut self,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), AttemptError> {
        if data.trim() == "[DONE]" {
            self.complete(out);
            return Ok(());
        }
        let chunk: Value =
            serde_json::from_str(data).map_err(|_| attempt_error::malformed_frame())?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(attempt_error::error_for_event(error));
        }
        if let Some(choice) = chunk["choices"].get(0) {
            self.extend(&choice["delta"], out);
            if let Some(reason) = choice["finish_reason"].as_str() {
                self.finish = Some(reason.to_owned());
            }
        }
        if chunk["usage"].is_object() {
            out.push_back(Event::Usage(usage(&chunk["usage"])));
        }
        Ok(())
    }

    pub(crate) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), AttemptError> {
        if self.finish.is_none() {
            return Err(attempt_error::truncated());
        }
        self.complete(out);
        Ok(())
    }

    fn extend(&mut self, delta: &Value, out: &mut VecDeque<Event>) {
        for member in REASONING {
            if let Some(text) = delta[member].as_str().filter(|text| !text.is_empty()) {
                self.reasoning_member = Some(member);
                out.push_back(Event::Thought(text.to_owned()));
                break;
            }
        }
        let refusal = delta["refusal"].as_str().unwrap_or_default();
        self.has_refused |= !refusal.is_empty();
        let text = [content_text(&delta["content"]).as_str(), refusal].concat();
        if !text.is_empty() {
            self.push_signature(out);
            out.push_back(Event::Text(text));
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.push_signature(out);
            self.extend_call(call, out);
        }
    }

    fn extend_call(&mut self, delta: &Value, out: &mut VecDeque<Event>) {
        let given = delta["id"].as_str().unwrap_or_default();
        let index = delta["index"].as_u64();
        let place = self.call_index(index, given);
        let partial = &mut self.calls[place];
        if partial.given.is_empty() {
            partial.given.push_str(given);
        }
        let function = &delta["function"];
        if partial.call.name.is_empty()
            && let Some(name) = function["name"].as_str().filter(|name| !name.is_empty())
        {
            partial.call.name = name.to_owned();
            partial.call.id = self.ids.unique(&partial.given);
            out.push_back(Event::CallStarted {
                id: partial.call.id.clone(),
                name: partial.call.name.clone(),
            });
        }
        match &function["arguments"] {
            Value::String(more) => partial.call.input.push_str(more),
            Value::Object(_) => partial.call.input = function["arguments"].to_string(),
            _ => {}
        }
    }

    /// The call that a delta belongs to: by its index, otherwise by its id, otherwise the newest.
    fn call_index(&mut self, index: Option<u64>, given: &str) -> usize {
        let found = match (index, given) {
            (Some(_), _) => self
                .calls
                .iter()
                .rposition(|partial| partial.index == index),
            (None, "") => self.calls.len().checked_sub(1),
            (None, _) => self
                .calls
                .iter()
                .rposition(|partial| partial.given == given),
        };
        // Some servers give every call the same index, so another id under it means another call.
        let found = found.filter(|place| {
            let before = &self.calls[*place].given;
            given.is_empty() || before.is_empty() || before == given
        });
        found.unwrap_or_else(|| {
            self.calls.push(PartialCall {
                index,
                given: String::new(),
                call: ToolCall {
                    id: String::new(),
                    name: String::new(),
                    input: String::new(),
                },
            });
            self.calls.len() - 1
        })
    }

    fn push_signature(&mut self, out: &mut VecDeque<Event>) {
        if let Some(value) = self.reasoning_member.take() {
            let signature = ThoughtSignature {
                model: &self.model,
                kind: SignatureKind::Member,
                value,
            };
            out.push_back(Event::ThoughtSignature(signature.write()));
        }
    }

    fn complete(&mut self, out: &mut VecDeque<Event>) {
        self.push_signature(out);
        let calls: Vec<ToolCall> = self.calls.drain(..).map(|partial| partial.call).collect();
        let mut has_called = false;
        for mut call in calls.into_iter().filter(|call| !call.name.is_empty()) {
            if call.input.is_empty() {
                call.input.push_str("{}");
            }
            has_called = true;
            out.push_back(Event::Call(call));
        }
        let stop = match self.finish.as_deref() {
            Some("length") => Stop::Length,
            Some("content_filter") => Stop::Refusal,
            _ if has_called => Stop::Tools,
            _ if self.has_refused => Stop::Refusal,
            _ => Stop::Done,
        };
        out.push_back(Event::End(stop));
    }
}

/// The text of content, which is a string or sometimes a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// Reads the usage. The prompt count includes cached tokens here.
fn usage(counts: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let prompt = &counts["prompt_tokens_details"];
    let cache_read = count(&prompt["cached_tokens"]);
    let cache_write = count(&prompt["cache_write_tokens"]);
    Usage {
        input: count(&counts["prompt_tokens"])
            .saturating_sub(cache_read.saturating_add(cache_write)),
        output: count(&counts["completion_tokens"]),
        thought: count(&counts["completion_tokens_details"]["reasoning_tokens"]),
        cache_read,
        cache_write,
    }
}

pub(super) const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];
