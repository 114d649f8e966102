//! The protocols of providers, as pure functions: a request becomes a body, frames become events. No I/O.

pub(crate) mod anthropic;
pub(crate) mod attempt_error;
mod body;
mod call_ids;
pub(crate) mod openai;
pub(crate) mod responses;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Event, ModelInfo, Request, ThinkingLevel};
pub(crate) use attempt_error::AttemptError;
use call_ids::CallIds;

/// A protocol that providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's. OpenAI itself is asked for responses, every other server for chat completions.
    OpenAi,
}

/// A protocol to the letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireFormat {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's chat completions, which many servers speak.
    Chat,
    /// OpenAI's Responses.
    Responses,
}

impl WireFormat {
    /// How much a model of that name can be told to think.
    pub(crate) fn levels(self, model: &str) -> Vec<ThinkingLevel> {
        match self {
            WireFormat::Messages => anthropic::levels(model),
            WireFormat::Chat => openai::effort::levels_in_chat(model),
            WireFormat::Responses => openai::effort::levels(model),
        }
    }
}

/// What is sent, in the words of a protocol.
pub(crate) fn body(wire: WireFormat, model: &str, info: &ModelInfo, request: &Request) -> Value {
    match wire {
        WireFormat::Messages => anthropic::body(model, info, request),
        WireFormat::Chat => openai::body(model, info, request),
        WireFormat::Responses => responses::body(model, info, request),
    }
}

/// Reads one answer, frame by frame.
#[derive(Debug)]
pub(crate) enum ResponseReader {
    Messages(anthropic::MessagesReader),
    Chat(openai::ChatReader),
    Responses(responses::ResponsesReader),
}

impl ResponseReader {
    pub(crate) fn new(wire: WireFormat, model: &str, request: &Request) -> ResponseReader {
        let ids = CallIds::of(request);
        match wire {
            WireFormat::Messages => {
                ResponseReader::Messages(anthropic::MessagesReader::new(model, ids))
            }
            WireFormat::Chat => ResponseReader::Chat(openai::ChatReader::new(model, ids)),
            WireFormat::Responses => {
                ResponseReader::Responses(responses::ResponsesReader::new(model, ids))
            }
        }
    }

    /// Takes the data of one frame. After [`Event::End`] it must not be given more.
    pub(crate) fn read(
        &mut self,
        data: &str,
        out: &mut VecDeque<Event>,
    ) -> Result<(), AttemptError> {
        match self {
            ResponseReader::Messages(reader) => reader.read(data, out),
            ResponseReader::Chat(reader) => reader.read(data, out),
            ResponseReader::Responses(reader) => reader.read(data, out),
        }
    }

    /// The stream has ended: either the answer is complete, or it was cut off.
    pub(crate) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), AttemptError> {
        match self {
            ResponseReader::Messages(_) | ResponseReader::Responses(_) => {
                Err(attempt_error::truncated())
            }
            ResponseReader::Chat(reader) => reader.end(out),
        }
    }
}
