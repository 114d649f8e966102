//! The recorded traffic of one connection, with the time of each line.

use std::time::Duration;

use attache_testkit::{Side, Trace, TraceEntry, TraceEvent};
use bytes::Bytes;
use serde_json::Value;

/// The recorded traffic of one connection.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The name of the test case that opened the connection.
    pub test_case: &'static str,
    /// Every line, in the order in which we sent or received it.
    pub entries: Vec<ConversationEntry>,
    /// The end of the standard error of the program under test.
    pub stderr: String,
}

/// One line of a conversation, or the end of a stream.
#[derive(Debug, Clone)]
pub struct ConversationEntry {
    /// The side that sent it.
    pub from: Side,
    /// The time since the connection was opened.
    pub at: Duration,
    /// The line, or the end of the stream.
    pub content: EntryContent,
}

/// The content of an entry.
#[derive(Debug, Clone)]
pub enum EntryContent {
    /// A line, and its JSON if it parses.
    Line(Bytes, Option<Value>),
    /// The end of the stream.
    End,
}

impl Conversation {
    pub(crate) fn new(case: &'static str) -> Self {
        Conversation {
            test_case: case,
            entries: Vec::new(),
            stderr: String::new(),
        }
    }

    /// The JSON of an entry.
    pub fn json(&self, entry: usize) -> Option<&Value> {
        match &self.entries.get(entry)?.content {
            EntryContent::Line(_, json) => json.as_ref(),
            EntryContent::End => None,
        }
    }

    /// The text of an entry.
    pub(crate) fn text(&self, entry: usize) -> String {
        match self.entries.get(entry).map(|entry| &entry.content) {
            Some(EntryContent::Line(line, _)) => String::from_utf8_lossy(line).into_owned(),
            Some(EntryContent::End) | None => String::new(),
        }
    }

    /// The JSON messages that one side has sent, with their entry numbers.
    pub(crate) fn messages(&self, from: Side) -> impl Iterator<Item = (usize, &Value)> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(move |(_, entry)| entry.from == from)
            .filter_map(|(index, entry)| match &entry.content {
                EntryContent::Line(_, json) => Some((index, json.as_ref()?)),
                EntryContent::End => None,
            })
    }

    /// The conversation as a trace, for the rule checker.
    pub(crate) fn trace(&self) -> Trace {
        let mut trace = Trace::default();
        for entry in &self.entries {
            let event = match &entry.content {
                EntryContent::Line(line, _) => TraceEvent::Line(line.clone()),
                EntryContent::End => TraceEvent::Closed,
            };
            trace.push(TraceEntry {
                from: entry.from,
                event,
            });
        }
        trace
    }
}
