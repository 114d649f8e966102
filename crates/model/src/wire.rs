//! The two protocols of providers, as pure functions: a request becomes a body, frames become events. No I/O.

pub(crate) mod anthropic;
mod body;
mod calls;
pub(crate) mod fault;
pub(crate) mod openai;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Card, Event, Request};
use calls::Ids;
pub(crate) use fault::Fault;

/// A protocol that providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions, which many servers speak.
    OpenAi,
}

/// What is sent, in the words of a protocol.
pub(crate) fn body(protocol: Protocol, model: &str, card: &Card, request: &Request) -> Value {
    match protocol {
        Protocol::Anthropic => anthropic::body(model, card, request),
        Protocol::OpenAi => openai::body(model, card, request),
    }
}

/// Reads one answer, frame by frame.
#[derive(Debug)]
pub(crate) enum Reader {
    Anthropic(anthropic::Reader),
    OpenAi(openai::Reader),
}

impl Reader {
    pub(crate) fn new(protocol: Protocol, model: &str, request: &Request) -> Reader {
        let ids = Ids::of(request);
        match protocol {
            Protocol::Anthropic => Reader::Anthropic(anthropic::Reader::new(model, ids)),
            Protocol::OpenAi => Reader::OpenAi(openai::Reader::new(model, ids)),
        }
    }

    /// Takes the data of one frame. After [`Event::End`] it must not be given more.
    pub(crate) fn read(&mut self, data: &str, out: &mut VecDeque<Event>) -> Result<(), Fault> {
        match self {
            Reader::Anthropic(reader) => reader.read(data, out),
            Reader::OpenAi(reader) => reader.read(data, out),
        }
    }

    /// The stream has ended: either the answer is complete, or it was cut off.
    pub(crate) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), Fault> {
        match self {
            Reader::Anthropic(_) => Err(fault::truncated()),
            Reader::OpenAi(reader) => reader.end(out),
        }
    }
}
