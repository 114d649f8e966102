//! What went over one connection, with the time of each line.

use std::time::Duration;

use attache_testkit::{Side, Trace, TraceEntry, TraceEvent};
use bytes::Bytes;
use serde_json::Value;

/// What went over one connection.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The name of the act that it was held for.
    pub act: &'static str,
    /// Everything that was said, in the order in which we said or heard it.
    pub said: Vec<Said>,
    /// The last of the standard error of what is under test.
    pub stderr: String,
}

/// Something that was said.
#[derive(Debug, Clone)]
pub struct Said {
    /// By whom.
    pub from: Side,
    /// When, counted from the start of the connection.
    pub at: Duration,
    /// What.
    pub what: What,
}

/// What can be said.
#[derive(Debug, Clone)]
pub enum What {
    /// A line and the JSON in it, if it is JSON.
    Line(Bytes, Option<Value>),
    /// Nothing more.
    End,
}

impl Conversation {
    pub(crate) fn new(act: &'static str) -> Self {
        Conversation {
            act,
            said: Vec::new(),
            stderr: String::new(),
        }
    }

    /// The JSON of an entry.
    pub fn json(&self, entry: usize) -> Option<&Value> {
        match &self.said.get(entry)?.what {
            What::Line(_, json) => json.as_ref(),
            What::End => None,
        }
    }

    /// The text of an entry.
    pub(crate) fn text(&self, entry: usize) -> String {
        match self.said.get(entry).map(|said| &said.what) {
            Some(What::Line(line, _)) => String::from_utf8_lossy(line).into_owned(),
            Some(What::End) | None => String::new(),
        }
    }

    /// The JSON that one side has said, with the entries.
    pub(crate) fn messages(&self, from: Side) -> impl Iterator<Item = (usize, &Value)> {
        let said = self.said.iter().enumerate();
        said.filter(move |(_, said)| said.from == from)
            .filter_map(|(entry, said)| match &said.what {
                What::Line(_, json) => Some((entry, json.as_ref()?)),
                What::End => None,
            })
    }

    /// The same as a trace, which the rules can judge.
    pub(crate) fn trace(&self) -> Trace {
        let mut trace = Trace::default();
        for said in &self.said {
            let event = match &said.what {
                What::Line(line, _) => TraceEvent::Line(line.clone()),
                What::End => TraceEvent::Closed,
            };
            trace.push(TraceEntry {
                from: said.from,
                event,
            });
        }
        trace
    }
}
