//! Which records of a recording are looked at.

use super::{Record, RecordContent, RecordRow, RecordedStream};

/// What a record must have to be shown. An empty filter shows all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// It belongs to the session of that id.
    pub session: Option<String>,
    /// Its method, or the kind of its update, holds this.
    pub method: Option<String>,
    /// Its text holds this, whatever the case.
    pub text: Option<String>,
    /// It is of this stream.
    pub stream: Option<RecordedStream>,
}

impl RecordFilter {
    /// Whether it shows everything.
    pub fn is_empty(&self) -> bool {
        *self == RecordFilter::default()
    }

    /// Whether it shows a record.
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
