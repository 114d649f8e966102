//! The suffixes of a line: how often it occurs, its deadline, and its id.

use std::time::Duration;

use super::{Cursor, Repetition, ScriptError};
use crate::pattern::Pattern;

pub(super) struct Suffixes {
    pub(super) times: Repetition,
    pub(super) within: Option<Duration>,
    pub(super) id: Option<Pattern>,
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Suffixes, ScriptError> {
    let mut suffixes = Suffixes {
        times: Repetition::Exactly(1),
        within: None,
        id: None,
    };
    loop {
        cursor.blanks();
        if cursor.take_word("within") {
            cursor.blanks();
            suffixes.within = Some(duration(cursor)?);
        } else if cursor.take_word("id") {
            cursor.blanks();
            suffixes.id = Some(Pattern::parse(cursor)?);
        } else if cursor.take("x*") {
            suffixes.times = Repetition::Any;
        } else if cursor.peek() == Some('x') {
            cursor.skip(1);
            suffixes.times = Repetition::Exactly(count(cursor)?);
        } else {
            return Ok(suffixes);
        }
    }
}

/// Whether a suffix comes next.
pub(super) fn begins(cursor: &mut Cursor<'_>) -> bool {
    cursor.peek() == Some('x') || cursor.take_word("within") || cursor.take_word("id")
}

/// A number of times.
pub(super) fn count(cursor: &mut Cursor<'_>) -> Result<usize, ScriptError> {
    let start = cursor.clone();
    let digits = cursor.run(|character| character.is_ascii_digit());
    let count = digits.parse().ok();
    let count = count.filter(|count| (1..=MAX_REPETITIONS).contains(count));
    count.ok_or_else(|| start.expected("a number from 1 to 1000000"))
}

/// A time, such as `2s`, `100ms` or `1m`.
pub(super) fn duration(cursor: &mut Cursor<'_>) -> Result<Duration, ScriptError> {
    let start = cursor.clone();
    let number = cursor.run(|character| character.is_ascii_digit());
    let unit = cursor.run(|character| character.is_ascii_alphabetic());
    let factor = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok().filter(|number| *number <= MAX_TIME);
    match (number, factor) {
        (Some(number), Some(factor)) => Ok(Duration::from_millis(number * factor)),
        _ => Err(start.expected("a time such as `100ms`, `2s` or `1m`")),
    }
}

const MAX_REPETITIONS: usize = 1_000_000;
const MAX_TIME: u64 = 1_000_000;
