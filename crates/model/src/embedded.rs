//! The embedded model: a small grammar instead of a language model. It needs no configuration and is deterministic.

mod instruction;
mod outline;
mod progress;
mod replies;
mod report;
#[cfg(test)]
mod tests;
mod words;

use std::hash::{DefaultHasher, Hash, Hasher};

use futures_util::{StreamExt, stream};

use crate::{
    Answer, Event, Input, Message, Model, ModelInfo, Output, Request, Stop, ToolCall, Usage,
};
use progress::{NextOutput, RequestProgress};

/// The id of the embedded model.
pub const ID: &str = "embedded";

/// A model that understands a small grammar and carries it out with the available tools.
#[derive(Debug)]
pub struct EmbeddedModel {
    info: ModelInfo,
}

impl EmbeddedModel {
    /// Creates the embedded model.
    pub fn new() -> EmbeddedModel {
        EmbeddedModel {
            info: ModelInfo {
                id: ID.to_owned(),
                name: "Embedded".to_owned(),
                description: Some(replies::DESCRIPTION.to_owned()),
                window: 200_000,
                max_output: 8_192,
                images: false,
                audio: false,
                thoughts: Vec::new(),
                price: None,
            },
        }
    }
}

impl Default for EmbeddedModel {
    fn default() -> Self {
        EmbeddedModel::new()
    }
}

impl Model for EmbeddedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn answer(&self, request: Request) -> Answer {
        let events = stream::once(async move { events(&request) });
        Box::pin(events.flat_map(|events| stream::iter(events).map(Ok)))
    }
}

/// The answer to a request: a report on the latest call, then the next call.
fn events(request: &Request) -> Vec<Event> {
    let NextOutput { text, call } = RequestProgress::of(request).next(&request.tools);
    let mut events: Vec<Event> = pieces(&text)
        .map(|piece| Event::Text(piece.to_owned()))
        .collect();
    let mut output = text.len();
    let stop = match call {
        None => Stop::Done,
        Some((name, input)) => {
            let id = id(request);
            let input = input.to_string();
            output += input.len();
            let name = name.to_owned();
            events.push(Event::CallStarted {
                id: id.clone(),
                name: name.clone(),
            });
            events.push(Event::Call(ToolCall { id, name, input }));
            Stop::Tools
        }
    };
    events.push(Event::Usage(Usage {
        input: tokens(length(request)),
        output: tokens(output),
        ..Usage::default()
    }));
    events.push(Event::End(stop));
    events
}

/// Splits text into pieces of a few words, as a model would stream it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().filter(|(_, c)| c.is_whitespace());
        let end = ends
            .map(|(at, c)| at + c.len_utf8())
            .find(|end| *end >= MIN_PIECE);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

/// A call id derived from the conversation, so it is unique in it.
fn id(request: &Request) -> String {
    let mut hasher = DefaultHasher::new();
    request.messages.len().hash(&mut hasher);
    for message in &request.messages {
        match &**message {
            Message::User(inputs) => texts(inputs).for_each(|text| text.hash(&mut hasher)),
            Message::Model(outputs) => outputs.iter().for_each(|output| match output {
                Output::Text(text) | Output::Thought { text, .. } => text.hash(&mut hasher),
                Output::Call(call) => (&call.id, &call.input).hash(&mut hasher),
            }),
            Message::Tools(results) => {
                let texts = results.iter().flat_map(|result| texts(&result.content));
                texts.for_each(|text| text.hash(&mut hasher));
            }
        }
    }
    format!("embedded_{:016x}", hasher.finish())
}

fn texts(inputs: &[Input]) -> impl Iterator<Item = &str> {
    inputs.iter().filter_map(|input| match input {
        Input::Text(text) => Some(text.as_str()),
        Input::Image { .. } | Input::Audio { .. } => None,
    })
}

/// Length of a request in bytes of text.
fn length(request: &Request) -> usize {
    let messages = request.messages.iter().map(|message| match &**message {
        Message::User(inputs) => texts(inputs).map(str::len).sum(),
        Message::Model(outputs) => outputs.iter().map(output_length).sum(),
        Message::Tools(results) => {
            let texts = results.iter().flat_map(|result| texts(&result.content));
            texts.map(str::len).sum::<usize>()
        }
    });
    request.instructions.len() + messages.sum::<usize>()
}

fn output_length(output: &Output) -> usize {
    match output {
        Output::Text(text) | Output::Thought { text, .. } => text.len(),
        Output::Call(call) => call.name.len() + call.input.len(),
    }
}

/// Estimates tokens as documented: four bytes each.
fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

/// Minimum length of a piece in bytes.
const MIN_PIECE: usize = 24;
