//! Every message of a recording against its shape and the rules, in one pass.

use std::io::{self, BufRead};

use super::{Record, Records, What};
use crate::heard::Heard;
use crate::trace::Judge;
use crate::{Finding, Side};

/// A rule that a message breaks, with the message's number in the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The record, counted from 0.
    pub record: u64,
    /// Microseconds since the recording began.
    pub at: u64,
    /// The rule, and how it is broken; its entry counts messages, from 0.
    pub finding: Finding,
}

/// Judges a recording and tells each violation. It goes on while it is told to.
///
/// # Errors
///
/// When the recording cannot be read.
pub fn validate<R: BufRead>(
    records: &mut Records<R>,
    mut found: impl FnMut(Numbered),
    mut go_on: impl FnMut() -> bool,
) -> io::Result<u64> {
    let mut judge = Judge::default();
    let mut messages = 0;
    let mut number = 0;
    while go_on() {
        let Some((_, record)) = records.next_record()? else {
            break;
        };
        if let Some((side, heard)) = heard(&record) {
            let findings = judge.hear(messages, side, &heard);
            messages += 1;
            for finding in findings {
                found(Numbered {
                    record: number,
                    at: record.at,
                    finding,
                });
            }
        }
        number += 1;
    }
    Ok(messages as u64)
}

/// What one side has said. Of a line that is only kept in part nothing can be told.
pub(super) fn heard(record: &Record) -> Option<(Side, Heard)> {
    let What::Said(stream, said) = &record.what else {
        return None;
    };
    let side = stream.side()?;
    (said.cut.is_none()).then(|| (side, Heard::read(&said.bytes)))
}
