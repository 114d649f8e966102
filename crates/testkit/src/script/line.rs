//! Reading one line of a script: arrow, method, label, payload and what stands behind it.

use super::suffix::{self, Suffixes};
use super::{Cursor, Line, Question, Saying, ScriptError};
use crate::Side;
use crate::heard::{Tail, in_method};
use crate::pattern::Pattern;
use crate::pattern::parse::string;

pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Line, ScriptError> {
    let start = cursor.clone();
    let Some((from, tail)) = arrow(cursor) else {
        return Err(cursor.expected(STEP));
    };
    if tail == Tail::Raw {
        return Ok(raw(cursor, &start, from));
    }
    cursor.blanks();
    let method = match tail {
        Tail::Request | Tail::Notification => Some(method(cursor)?),
        _ => None,
    };
    cursor.blanks();
    let label = match tail {
        Tail::Request | Tail::Answer | Tail::Refusal => label(cursor)?,
        _ => None,
    };
    let payload = match tail {
        Tail::Close => None,
        Tail::Answer | Tail::Refusal => Some(Pattern::parse(cursor)?),
        _ if begins_payload(cursor) => Some(Pattern::parse(cursor)?),
        _ => None,
    };
    cursor.blanks();
    let before_suffixes = cursor.clone();
    let suffixes = suffix::read(cursor)?;
    let place = cursor.place_from(&start);
    cursor.end_of_line(
        "`x` and a number, `within` and a time, `id` and an id, or the end of the line",
    )?;
    let Suffixes { times, within, id } = suffixes;
    let saying = match (tail, method, payload) {
        (Tail::Request, Some(method), params) => Saying::Request {
            method,
            label,
            id,
            params,
        },
        (Tail::Answer, _, Some(result)) => Saying::Answer(question(label, id), result),
        (Tail::Refusal, _, Some(error)) => Saying::Refusal(question(label, id), error),
        _ if id.is_some() => {
            return Err(before_suffixes.expected("no id: only requests and responses have one"));
        }
        (_, Some(method), params) => Saying::Notification { method, params },
        _ => Saying::Close,
    };
    Ok(Line {
        place,
        from,
        saying,
        times,
        within,
    })
}

/// Everything behind the blank is the line.
fn raw(cursor: &mut Cursor<'_>, start: &Cursor<'_>, from: Side) -> Line {
    cursor.take(" ");
    let text = cursor.line().to_owned();
    Line {
        place: cursor.place_from(start),
        from,
        saying: Saying::Raw(text),
        times: super::Times::Exactly(1),
        within: None,
    }
}

fn arrow(cursor: &mut Cursor<'_>) -> Option<(Side, Tail)> {
    for from in [Side::Client, Side::Agent] {
        for tail in Tail::ALL {
            if cursor.take(tail.arrow(from)) {
                return Some((from, tail));
            }
        }
    }
    None
}

fn method(cursor: &mut Cursor<'_>) -> Result<String, ScriptError> {
    if cursor.peek() == Some('"') {
        return string(cursor);
    }
    let missing = cursor.expected("a method's name");
    let name = cursor.run(in_method);
    if name.is_empty() {
        return Err(missing);
    }
    Ok(name.to_owned())
}

fn label(cursor: &mut Cursor<'_>) -> Result<Option<String>, ScriptError> {
    if !cursor.take("@") {
        return Ok(None);
    }
    let label = cursor.word("a label behind `@`")?;
    cursor.blanks();
    Ok(Some(label))
}

fn begins_payload(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    !cursor.is_at_end_of_line() && !suffix::begins(&mut ahead)
}

fn question(label: Option<String>, id: Option<Pattern>) -> Question {
    match (id, label) {
        (Some(id), _) => Question::Id(id),
        (None, Some(label)) => Question::Labelled(label),
        (None, None) => Question::Oldest,
    }
}

const STEP: &str = "an arrow (`->`, `.>`, `=>`, `!>`, `~>`, `|>`, or one to the left), `any order`, `in order`, `repeat`, `quiet`, `within`, `end` or `...`";
