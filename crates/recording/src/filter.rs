//! Filters records of a recording.

use super::{Record, RecordContent, RecordRow, RecordedStream};

/// The conditions that a record must meet to be shown. An empty filter shows all records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// The record belongs to the session with this id.
    pub session: Option<String>,
    /// The method, or the kind of the update, contains this text.
    pub method: Option<String>,
    /// The text of the record contains this text, ignoring case.
    pub text: Option<String>,
    /// The record belongs to this stream.
    pub stream: Option<RecordedStream>,
}

impl RecordFilter {
    /// Whether the filter shows all records.
    pub fn is_empty(&self) -> bool {
        *self == RecordFilter::default()
    }

    /// Whether the filter shows a record.
    pub fn shows(&self, row: &RecordRow, record: &Record) -> bool {
        let session = self.session.as_deref();
        let method = self.method.as_deref();
        let text = self.text.as_deref();
        session.is_none_or(|session| row.session.as_deref() == Some(session))
            && self.stream.is_none_or(|stream| row.stream == Some(stream))
            && method.is_none_or(|part| row.method.contains(part) || row.detail.contains(part))
            && text.is_none_or(|text| holds(record, text))
    }
}

fn holds(record: &Record, text: &str) -> bool {
    match &record.content {
        RecordContent::Line(_, said) => contains(&said.bytes, text.as_bytes()),
        RecordContent::End(how) => contains(how.as_bytes(), text.as_bytes()),
        RecordContent::Header(_) | RecordContent::Closed(_) | RecordContent::Lost(..) => false,
    }
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    let Some((&first, rest)) = text.split_first() else {
        return true;
    };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, bytes).any(|at| {
        let behind = bytes.get(at + 1..at + 1 + rest.len());
        behind.is_some_and(|behind| behind.eq_ignore_ascii_case(rest))
    })
}
