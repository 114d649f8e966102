//! Parses patterns in a script.

use attache_rpc::json::{self, MAX_DEPTH};

use super::{Extras, Pattern};
use crate::json_value::JsonValue;
use crate::script::{Cursor, ScriptError};

impl Pattern {
    /// Parses the pattern at the cursor. It may continue over several lines while a bracket is open.
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ScriptError> {
        value(cursor, 0)
    }
}

fn value(cursor: &mut Cursor<'_>, depth: u32) -> Result<Pattern, ScriptError> {
    if depth > MAX_DEPTH {
        return Err(cursor.expected("a value with less nesting"));
    }
    match cursor.peek() {
        Some('{') => object(cursor, depth),
        Some('[') => array(cursor, depth),
        Some('"') => Ok(Pattern::Exactly(JsonValue::String(string(cursor)?))),
        Some('$') => {
            cursor.skip(1);
            let name = cursor.word("a name behind `$`")?;
            Ok(Pattern::Hole(Some(name), default(cursor, depth)?))
        }
        Some('_') => {
            cursor.skip(1);
            Ok(Pattern::Hole(None, default(cursor, depth)?))
        }
        Some('@') => {
            cursor.skip(1);
            Ok(Pattern::IdOf(cursor.word("a label behind `@`")?))
        }
        _ => plain(cursor),
    }
}

fn default(cursor: &mut Cursor<'_>, depth: u32) -> Result<Option<Box<Pattern>>, ScriptError> {
    if !cursor.take("=") {
        return Ok(None);
    }
    Ok(Some(Box::new(value(cursor, depth + 1)?)))
}

fn object(cursor: &mut Cursor<'_>, depth: u32) -> Result<Pattern, ScriptError> {
    cursor.skip(1);
    let mut members: Vec<(String, Pattern)> = Vec::new();
    cursor.layout();
    if cursor.take("}") {
        return Ok(Pattern::Object(members, Extras::Forbidden));
    }
    loop {
        cursor.layout();
        if cursor.take("...") {
            cursor.layout();
            cursor.demand("}", "`}` behind `...`")?;
            return Ok(Pattern::Object(members, Extras::Allowed));
        }
        let start = cursor.clone();
        if cursor.peek() != Some('"') {
            return Err(cursor.expected("a member's name between quotes, or `...`"));
        }
        let name = string(cursor)?;
        if members.iter().any(|(known, _)| *known == name) {
            return Err(start.expected("a name that the object does not have yet"));
        }
        cursor.layout();
        cursor.demand(":", "`:` after a member's name")?;
        cursor.layout();
        members.push((name, value(cursor, depth + 1)?));
        cursor.layout();
        if cursor.take("}") {
            return Ok(Pattern::Object(members, Extras::Forbidden));
        }
        cursor.demand(",", "`,` or `}`")?;
    }
}

fn array(cursor: &mut Cursor<'_>, depth: u32) -> Result<Pattern, ScriptError> {
    cursor.skip(1);
    let mut items = Vec::new();
    cursor.layout();
    if cursor.take("]") {
        return Ok(Pattern::Array(items, Extras::Forbidden));
    }
    loop {
        cursor.layout();
        if cursor.take("...") {
            cursor.layout();
            cursor.demand("]", "`]` after `...`")?;
            return Ok(Pattern::Array(items, Extras::Allowed));
        }
        items.push(value(cursor, depth + 1)?);
        cursor.layout();
        if cursor.take("]") {
            return Ok(Pattern::Array(items, Extras::Forbidden));
        }
        cursor.demand(",", "`,` or `]`")?;
    }
}

/// Reads a JSON string.
pub(crate) fn string(cursor: &mut Cursor<'_>) -> Result<String, ScriptError> {
    let rest = cursor.rest();
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|&(_, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    });
    let text = end.and_then(|(end, _)| json::from_str(&rest[..=end]).ok());
    let (Some(text), Some((end, _))) = (text, end) else {
        return Err(cursor.expected("a JSON string that is closed and well escaped"));
    };
    cursor.skip(end + 1);
    Ok(text)
}

fn plain(cursor: &mut Cursor<'_>) -> Result<Pattern, ScriptError> {
    let rest = cursor.rest();
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c));
    let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
    match json::from_str::<JsonValue>(token) {
        Ok(value) => {
            cursor.skip(token.len());
            Ok(Pattern::Exactly(value))
        }
        Err(_) => Err(cursor.expected("a JSON value, `$name`, `_` or `@label`")),
    }
}
