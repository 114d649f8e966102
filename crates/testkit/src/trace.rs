//! The recorded traffic of one connection. It is written as a script in which values that differ between runs are
//! replaced.

mod labels;
mod normalizer;
mod rule_checker;

use std::fmt::{self, Write as _};

use bytes::Bytes;

use crate::Side;
use crate::wire_message::{WireMessage, write_method};
use labels::Labels;
use normalizer::{IdStyle, Normalizer};

pub use normalizer::kind_of_id;
pub use rule_checker::{RuleChecker, TraceViolation};

/// The messages of both sides, in order.
///
/// Its `Display` form is a script with a line for each message. Requests have labels only where responses are out of
/// order. Session ids become `session-1` and so on by first appearance, as do the ids of tool calls, terminals, messages,
/// elicitations and compactions; directories for temporary files become `/temp-1`, times `2000-01-01T00:00:00Z`.
/// Ends of the connection after the last message are left out, because either side may close first.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    entries: Vec<TraceEntry>,
    named: Vec<(String, String)>,
}

/// An event on the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceEntry {
    /// The side that caused it.
    pub from: Side,
    /// The event.
    pub event: TraceEvent,
}

/// The kinds of events on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceEvent {
    /// A line, with its line break if it had one.
    Line(Bytes),
    /// The side has closed its stream.
    Closed,
}

impl Trace {
    /// Adds an event.
    pub fn push(&mut self, entry: TraceEntry) {
        self.entries.push(entry);
    }

    /// All events.
    pub fn entries(&self) -> &[TraceEntry] {
        &self.entries
    }

    /// The lines of one side as they were on the wire.
    pub fn lines_of(&self, side: Side) -> impl Iterator<Item = String> {
        let entries = self.entries.iter().filter(move |entry| entry.from == side);
        entries.filter_map(|entry| match &entry.event {
            TraceEvent::Line(line) => {
                Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned())
            }
            TraceEvent::Closed => None,
        })
    }

    /// The same trace, with a text replaced in all strings, such as the directory of a test.
    #[must_use]
    pub fn replacing(mut self, text: impl Into<String>, with: impl Into<String>) -> Self {
        self.named.push((text.into(), with.into()));
        self
    }

    /// The trace as a script that can be played to a peer that chooses its own ids, which are captured.
    pub fn to_script(&self) -> String {
        self.render(IdStyle::Captured)
    }

    fn messages(&self) -> Vec<(Side, WireMessage)> {
        let entries = self.entries.iter();
        let messages = entries.map(|entry| match &entry.event {
            TraceEvent::Line(line) => (entry.from, WireMessage::read(line)),
            TraceEvent::Closed => (entry.from, WireMessage::Closed),
        });
        messages.collect()
    }

    fn render(&self, style: IdStyle) -> String {
        let mut messages = self.messages();
        while let Some((_, WireMessage::Closed)) = messages.last() {
            messages.pop();
        }
        let labels = Labels::of(&messages);
        let mut normalizer = Normalizer::new(style, &self.named);
        let mut out = String::new();
        for (index, (from, message)) in messages.iter().enumerate() {
            out.push_str(message.kind().arrow(*from));
            write_line(&mut out, index, message, &labels, &mut normalizer);
            out.push('\n');
        }
        out
    }
}

fn write_line(
    out: &mut String,
    index: usize,
    message: &WireMessage,
    labels: &Labels,
    normalizer: &mut Normalizer,
) {
    let label = labels.of_entry(index);
    match message {
        WireMessage::Request(id, method, params) => {
            out.push(' ');
            write_method(out, method);
            write_label(out, label);
            write_payload(out, params.as_deref(), None, normalizer);
            if id.is_null() {
                out.push_str(" id null");
            }
        }
        WireMessage::Notification(method, params) => {
            out.push(' ');
            write_method(out, method);
            write_payload(out, params.as_deref(), label, normalizer);
        }
        WireMessage::Response(id, payload) | WireMessage::Failure(id, payload) => {
            write_label(out, label);
            write_payload(out, Some(payload), None, normalizer);
            if labels.is_stray(index) {
                // Writing to a String cannot fail.
                write!(out, " id {id}").unwrap_or_default();
            }
        }
        WireMessage::Raw(text) => {
            out.push(' ');
            out.push_str(text);
        }
        WireMessage::Closed => {}
    }
}

fn write_label(out: &mut String, label: Option<usize>) {
    if let Some(label) = label {
        write!(out, " @{label}").unwrap_or_default();
    }
}

/// Writes a payload. If it names a request, as a cancellation does, the request's label replaces the id.
fn write_payload(
    out: &mut String,
    payload: Option<&str>,
    request: Option<usize>,
    normalizer: &mut Normalizer,
) {
    if let Some(payload) = payload {
        out.push(' ');
        normalizer.write(out, payload, request);
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(IdStyle::Plain))
    }
}
