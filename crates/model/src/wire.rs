//! The wire formats of providers, as pure functions: a request becomes a body, frames become events. No I/O.

pub(crate) mod anthropic;
pub(crate) mod attempt_error;
pub(crate) mod openai;
pub(crate) mod responses;
mod shared;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Event, ModelInfo, Request, ThinkingLevel};
pub(crate) use attempt_error::AttemptError;
use shared::CallIds;

/// A protocol of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's APIs: Responses for OpenAI itself, chat completions for every other server.
    OpenAi,
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireFormat {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's chat completions, which many servers support.
    Chat,
    /// OpenAI's Responses API.
    Responses,
}

impl WireFormat {
    /// The thinking levels that can be set for a model.
    pub(crate) fn levels(self, model: &str) -> Vec<ThinkingLevel> {
        match self {
            WireFormat::Messages => anthropic::levels(model),
            WireFormat::Chat => openai::effort::levels_in_chat(model),
            WireFormat::Responses => openai::effort::levels(model),
        }
    }
}

/// The body of a request.
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
        let ids = CallIds::in_request(request);
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

    /// Reads the data of one frame. Must not be called after [`Event::End`].
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

    /// Handles the end of the stream: either the answer is complete, or it was cut off.
    pub(crate) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), AttemptError> {
        match self {
            ResponseReader::Messages(_) | ResponseReader::Responses(_) => {
                Err(attempt_error::truncated())
            }
            ResponseReader::Chat(reader) => reader.end(out),
        }
    }
}
