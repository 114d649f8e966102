//! A recording of what went over a connection. It is written as a script, with everything replaced that is another
//! on every run.

mod judge;
mod labels;
mod normal;

use std::fmt::{self, Write as _};

use bytes::Bytes;

use crate::Side;
use crate::heard::{Heard, write_method};
use labels::Labels;
use normal::{Holes, Normal};

pub use judge::{Finding, Judge};
pub use normal::kind_of_id;

/// What both sides have said, in order.
///
/// Shown, it is a script, a line for each message: requests have labels only where answers are out of order; session
/// ids become `session-1` and so on by first appearance, as do the ids of tool calls, terminals, messages,
/// elicitations and compactions; directories for temporary files become `/temp-1`, times `2000-01-01T00:00:00Z`.
/// Ends of the connection behind the last message are left out, for who is first to close is chance.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    entries: Vec<Entry>,
    named: Vec<(String, String)>,
}

/// Something that has happened on the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who did it.
    pub from: Side,
    /// What.
    pub event: Event,
}

/// What can happen on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A line, with its line break if it had one.
    Line(Bytes),
    /// The side has nothing more to say.
    Closed,
}

impl Trace {
    /// Adds what has happened next.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Everything that has happened.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The lines of one side as they were on the wire.
    pub fn lines_of(&self, side: Side) -> impl Iterator<Item = String> {
        let entries = self.entries.iter().filter(move |entry| entry.from == side);
        entries.filter_map(|entry| match &entry.event {
            Event::Line(line) => Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned()),
            Event::Closed => None,
        })
    }

    /// The same trace, shown with a text replaced wherever it occurs in a string, such as a directory of the test.
    #[must_use]
    pub fn replacing(mut self, text: impl Into<String>, with: impl Into<String>) -> Self {
        self.named.push((text.into(), with.into()));
        self
    }

    /// The trace as a script that can also be played to a peer that chooses ids of its own: they are captured.
    pub fn to_script(&self) -> String {
        self.render(Holes::Captured)
    }

    fn heard(&self) -> Vec<(Side, Heard)> {
        let entries = self.entries.iter();
        let heard = entries.map(|entry| match &entry.event {
            Event::Line(line) => (entry.from, Heard::read(line)),
            Event::Closed => (entry.from, Heard::Closed),
        });
        heard.collect()
    }

    fn render(&self, holes: Holes) -> String {
        let mut heard = self.heard();
        while let Some((_, Heard::Closed)) = heard.last() {
            heard.pop();
        }
        let labels = Labels::of(&heard);
        let mut normal = Normal::new(holes, &self.named);
        let mut out = String::new();
        for (index, (from, heard)) in heard.iter().enumerate() {
            out.push_str(heard.tail().arrow(*from));
            write_line(&mut out, index, heard, &labels, &mut normal);
            out.push('\n');
        }
        out
    }
}

fn write_line(out: &mut String, index: usize, heard: &Heard, labels: &Labels, normal: &mut Normal) {
    let label = labels.of_entry(index);
    match heard {
        Heard::Request(id, method, params) => {
            out.push(' ');
            write_method(out, method);
            write_label(out, label);
            write_payload(out, params.as_deref(), None, normal);
            if id.is_null() {
                out.push_str(" id null");
            }
        }
        Heard::Notification(method, params) => {
            out.push(' ');
            write_method(out, method);
            write_payload(out, params.as_deref(), label, normal);
        }
        Heard::Answer(id, payload) | Heard::Refusal(id, payload) => {
            write_label(out, label);
            write_payload(out, Some(payload), None, normal);
            if labels.is_stray(index) {
                // Writing to a String cannot fail.
                write!(out, " id {id}").unwrap_or_default();
            }
        }
        Heard::Raw(text) => {
            out.push(' ');
            out.push_str(text);
        }
        Heard::Closed => {}
    }
}

fn write_label(out: &mut String, label: Option<usize>) {
    if let Some(label) = label {
        write!(out, " @{label}").unwrap_or_default();
    }
}

/// A payload; where it names a request, as a cancellation does, it names it by its label.
fn write_payload(
    out: &mut String,
    payload: Option<&str>,
    request: Option<usize>,
    normal: &mut Normal,
) {
    if let Some(payload) = payload {
        out.push(' ');
        normal.write(out, payload, request);
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Holes::Plain))
    }
}
