//! The protocols of providers, as pure functions: a request becomes a body, frames become events. No I/O.

pub(crate) mod anthropic;
mod body;
mod calls;
pub(crate) mod fault;
pub(crate) mod openai;
pub(crate) mod responses;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Card, Event, Request, Thought};
use calls::Ids;
pub(crate) use fault::Fault;

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
pub(crate) enum Wire {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's chat completions, which many servers speak.
    Chat,
    /// OpenAI's Responses.
    Responses,
}

impl Wire {
    /// How much a model of that name can be told to think.
    pub(crate) fn levels(self, model: &str) -> Vec<Thought> {
        match self {
            Wire::Messages => anthropic::levels(model),
            Wire::Chat => openai::effort::levels_in_chat(model),
            Wire::Responses => openai::effort::levels(model),
        }
    }
}

/// What is sent, in the words of a protocol.
pub(crate) fn body(wire: Wire, model: &str, card: &Card, request: &Request) -> Value {
    match wire {
        Wire::Messages => anthropic::body(model, card, request),
        Wire::Chat => openai::body(model, card, request),
        Wire::Responses => responses::body(model, card, request),
    }
}

/// Reads one answer, frame by frame.
#[derive(Debug)]
pub(crate) enum Reader {
    Messages(anthropic::Reader),
    Chat(openai::Reader),
    Responses(responses::Reader),
}

impl Reader {
    pub(crate) fn new(wire: Wire, model: &str, request: &Request) -> Reader {
        let ids = Ids::of(request);
        match wire {
            Wire::Messages => Reader::Messages(anthropic::Reader::new(model, ids)),
            Wire::Chat => Reader::Chat(openai::Reader::new(model, ids)),
            Wire::Responses => Reader::Responses(responses::Reader::new(model, ids)),
        }
    }

    /// Takes the data of one frame. After [`Event::End`] it must not be given more.
    pub(crate) fn read(&mut self, data: &str, out: &mut VecDeque<Event>) -> Result<(), Fault> {
        match self {
            Reader::Messages(reader) => reader.read(data, out),
            Reader::Chat(reader) => reader.read(data, out),
            Reader::Responses(reader) => reader.read(data, out),
        }
    }

    /// The stream has ended: either the answer is complete, or it was cut off.
    pub(crate) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), Fault> {
        match self {
            Reader::Messages(_) | Reader::Responses(_) => Err(fault::truncated()),
            Reader::Chat(reader) => reader.end(out),
        }
    }
}
