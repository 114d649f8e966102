//! Events of a response become events of ours.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::thought_signature::{SignatureKind, ThoughtSignature};
use crate::wire::attempt_error::{self, AttemptError};
use crate::wire::call_ids::CallIds;
use crate::{Event, Stop, ToolCall, Usage};

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
        let event: Value = serde_json::from_str(data).map_err(|_| attempt_error::garbled())?;
        let place = event["output_index"].as_u64().unwrap_or_default();
        let delta = event["delta"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" => say(delta, Event::Text, out),
            "response.refusal.delta" => {
                self.has_refused = true;
                say(delta, Event::Text, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                say(delta, Event::Thought, out);
            }
            // Parts of a summary are paragraphs.
            "response.reasoning_summary_part.added" if event["summary_index"] != 0 => {
                say("\n\n", Event::Thought, out);
            }
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.calls.get_mut(&place) {
                    call.input.push_str(delta);
                }
            }
            "response.output_item.added" => self.open(place, &event["item"], out),
            "response.output_item.done" => self.close(place, &event["item"], out),
            "response.completed" | "response.incomplete" => self.finish(&event["response"], out),
            "response.failed" => return Err(attempt_error::of_event(&event["response"]["error"])),
            "error" => {
                let error = event.get("error").filter(|error| error.is_object());
                return Err(attempt_error::of_event(error.unwrap_or(&event)));
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, place: u64, item: &Value, out: &mut VecDeque<Event>) {
        if item["type"] != "function_call" {
            return;
        }
        let id = self.ids.take(item["call_id"].as_str().unwrap_or_default());
        let name = item["name"].as_str().unwrap_or_default().to_owned();
        self.has_called = true;
        out.push_back(Event::CallStarted {
            id: id.clone(),
            name: name.clone(),
        });
        let input = String::new();
        self.calls.insert(place, ToolCall { id, name, input });
    }

    /// An item that is done is told whole once more.
    fn close(&mut self, place: u64, item: &Value, out: &mut VecDeque<Event>) {
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
                    self.open(place, item, out);
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

fn say(text: &str, event: fn(String) -> Event, out: &mut VecDeque<Event>) {
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

/// Input counts whatever a cache held, too.
fn usage(told: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let input = &told["input_tokens_details"];
    let cache_read = count(&input["cached_tokens"]);
    let cache_write = count(&input["cache_write_tokens"]);
    Usage {
        input: count(&told["input_tokens"]).saturating_sub(cache_read.saturating_add(cache_write)),
        output: count(&told["output_tokens"]),
        thought: count(&told["output_tokens_details"]["reasoning_tokens"]),
        cache_read,
        cache_write,
    }
}
