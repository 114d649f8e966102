//! Checks every message of a recording against the schema and the rules, in one pass.

use std::io::{self, BufRead};

use attache_testkit::{RuleChecker, Side, TraceViolation, WireMessage};
use serde_json::json;

use super::{Record, RecordContent, RecordingReader};

/// A rule that a message breaks, with the message's number in the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordViolation {
    /// The record, counted from 0.
    pub record: u64,
    /// Microseconds since the recording began.
    pub at: u64,
    /// The rule, and how the message breaks it. Its entry counts messages, from 0.
    pub violation: TraceViolation,
}

impl RecordViolation {
    /// The form that `attache trace validate --json` prints, a line for each violation. Lines count from 1.
    pub fn to_json(&self) -> serde_json::Value {
        let violation = &self.violation.violation;
        json!({
            "line": self.record + 1,
            "at": self.at,
            "from": self.violation.from.to_string(),
            "rule": violation.rule.number,
            "level": violation.level.to_string(),
            "path": violation.path,
            "message": violation.message,
        })
    }
}

/// Checks a recording and reports each violation, until the callback returns `false`.
///
/// # Errors
///
/// When the recording cannot be read.
pub fn validate<R: BufRead>(
    records: &mut RecordingReader<R>,
    mut found: impl FnMut(RecordViolation),
    mut go_on: impl FnMut() -> bool,
) -> io::Result<u64> {
    let mut validator = RecordValidator::default();
    while go_on() {
        let Some((_, record)) = records.next_record()? else {
            break;
        };
        validator.validate(&record, &mut found);
    }
    Ok(validator.messages as u64)
}

/// Checks records as they arrive.
#[derive(Default)]
pub(super) struct RecordValidator {
    checker: RuleChecker,
    messages: usize,
    number: u64,
}

impl RecordValidator {
    /// Checks the next record and reports its violations.
    pub(super) fn validate(&mut self, record: &Record, mut found: impl FnMut(RecordViolation)) {
        if let Some((side, message)) = wire_message(record) {
            for violation in self.checker.check(self.messages, side, &message) {
                found(RecordViolation {
                    record: self.number,
                    at: record.at,
                    violation,
                });
            }
            self.messages += 1;
        }
        self.number += 1;
    }
}

/// The message in a record; `None` for other records, and for lines of which only a part was kept.
pub(super) fn wire_message(record: &Record) -> Option<(Side, WireMessage)> {
    let RecordContent::Line(stream, said) = &record.content else {
        return None;
    };
    let side = stream.side()?;
    (said.cut.is_none()).then(|| (side, WireMessage::read(&said.bytes)))
}
