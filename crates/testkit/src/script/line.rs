//! Parses one line of a script: arrow, method, label, payload and suffixes.

use super::suffix::{self, Suffixes};
use super::{Cursor, LineContent, RequestRef, ScriptError, ScriptLine};
use crate::Side;
use crate::pattern::Pattern;
use crate::pattern::parse::string;
use crate::wire_message::{LineKind, in_method};

pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<ScriptLine, ScriptError> {
    let start = cursor.clone();
    let Some((from, kind)) = arrow(cursor) else {
        return Err(cursor.expected(STEP));
    };
    if kind == LineKind::Raw {
        return Ok(raw(cursor, &start, from));
    }
    cursor.blanks();
    let method = match kind {
        LineKind::Request | LineKind::Notification => Some(method(cursor)?),
        _ => None,
    };
    cursor.blanks();
    let label = match kind {
        LineKind::Request | LineKind::Response | LineKind::Failure => label(cursor)?,
        _ => None,
    };
    let payload = match kind {
        LineKind::Close => None,
        LineKind::Response | LineKind::Failure => Some(Pattern::parse(cursor)?),
        _ if begins_payload(cursor) => Some(Pattern::parse(cursor)?),
        _ => None,
    };
    cursor.blanks();
    let before_suffixes = cursor.clone();
    let suffixes = suffix::read(cursor)?;
    let location = cursor.location_from(&start);
    cursor.end_of_line(
        "`x` and a number, `within` and a time, `id` and an id, or the end of the line",
    )?;
    let Suffixes { times, within, id } = suffixes;
    let content = match (kind, method, payload) {
        (LineKind::Request, Some(method), params) => LineContent::Request {
            method,
            label,
            id,
            params,
        },
        (LineKind::Response, _, Some(result)) => {
            LineContent::Response(request_ref(label, id), result)
        }
        (LineKind::Failure, _, Some(error)) => LineContent::Failure(request_ref(label, id), error),
        _ if id.is_some() => {
            return Err(before_suffixes.expected("no id: only requests and responses have one"));
        }
        (_, Some(method), params) => LineContent::Notification { method, params },
        _ => LineContent::Close,
    };
    Ok(ScriptLine {
        location,
        from,
        content,
        times,
        within,
    })
}

/// A raw line: everything after the blank.
fn raw(cursor: &mut Cursor<'_>, start: &Cursor<'_>, from: Side) -> ScriptLine {
    cursor.take(" ");
    let text = cursor.line().to_owned();
    ScriptLine {
        location: cursor.location_from(start),
        from,
        content: LineContent::Raw(text),
        times: super::Repetition::Exactly(1),
        within: None,
    }
}

fn arrow(cursor: &mut Cursor<'_>) -> Option<(Side, LineKind)> {
    for from in [Side::Client, Side::Agent] {
        for kind in LineKind::ALL {
            if cursor.take(kind.arrow(from)) {
                return Some((from, kind));
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

fn request_ref(label: Option<String>, id: Option<Pattern>) -> RequestRef {
    match (id, label) {
        (Some(id), _) => RequestRef::Id(id),
        (None, Some(label)) => RequestRef::Labelled(label),
        (None, None) => RequestRef::Oldest,
    }
}

const STEP: &str = "an arrow (`->`, `.>`, `=>`, `!>`, `~>`, `|>`, or one to the left), `any order`, `in order`, `repeat`, `quiet`, `within`, `end` or `...`";
