//! Parses a tool's input as the model wrote it, member by member. Obvious slips are accepted: numbers in quotes, an empty
//! string for nothing, one object instead of a list. Unknown members are ignored.

use serde_json::{Map, Value};

/// The input does not fit the tool: which member is wrong, and what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(String);

impl InvalidInput {
    pub(super) fn of(member: &str, problem: &str) -> InvalidInput {
        InvalidInput(format!("`{member}` {problem}"))
    }
}

/// The members of an input.
pub(super) struct InputObject(Map<String, Value>);

impl InputObject {
    pub(super) fn parse(input: &str) -> Result<InputObject, InvalidInput> {
        if input.trim().is_empty() {
            return Ok(InputObject(Map::new()));
        }
        let not_json = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            let what = match error.classify() {
                serde_json::error::Category::Eof => "it is incomplete",
                _ => "it has a syntax error",
            };
            InvalidInput(format!(
                "the input is not JSON: {what} at line {line}, column {column}; send one object"
            ))
        };
        let mut value: Value = serde_json::from_str(input).map_err(not_json)?;
        // Some models write the object as a text.
        if let Value::String(text) = &value
            && let Ok(inner @ Value::Object(_)) = serde_json::from_str(text)
        {
            value = inner;
        }
        InputObject::of(value, "the input")
    }

    /// The members of an object inside the input.
    pub(super) fn of(value: Value, what: &str) -> Result<InputObject, InvalidInput> {
        match value {
            Value::Object(members) => Ok(InputObject(members)),
            other => Err(InvalidInput(format!(
                "{what} must be an object; it is {}",
                sort(&other)
            ))),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// A required string, which may be empty.
    pub(super) fn text(&mut self, name: &str) -> Result<String, InvalidInput> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            Some(Value::Null) | None => {
                Err(InvalidInput::of(name, "is missing; it must be a string"))
            }
            Some(other) => Err(InvalidInput::of(
                name,
                &format!("must be a string; it is {}", sort(&other)),
            )),
        }
    }

    /// A required string that is not blank.
    pub(super) fn word(&mut self, name: &str) -> Result<String, InvalidInput> {
        let text = self.text(name)?;
        match text.trim().is_empty() {
            true => Err(InvalidInput::of(name, "must not be empty")),
            false => Ok(text),
        }
    }

    /// An optional string; a blank one counts as missing.
    pub(super) fn optional_word(&mut self, name: &str) -> Result<Option<String>, InvalidInput> {
        if !self.has(name) {
            return Ok(None);
        }
        let text = match self.0.get(name) {
            Some(Value::Number(number)) => number.to_string(),
            _ => self.text(name)?,
        };
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    pub(super) fn number(&mut self, name: &str) -> Result<Option<u32>, InvalidInput> {
        let wrong = |what: &str| {
            let problem = format!(
                "must be a whole number from 0 to {}; it is {what}",
                u32::MAX
            );
            InvalidInput::of(name, &problem)
        };
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => whole(&number.to_string())
                .ok_or_else(|| wrong("another number"))
                .map(Some),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => {
                whole(&text).ok_or_else(|| wrong("another text")).map(Some)
            }
            Some(other) => Err(wrong(sort(&other))),
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, InvalidInput> {
        let wrong =
            |what: &str| InvalidInput::of(name, &format!("must be true or false; it is {what}"));
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" => Ok(true),
                "false" | "" => Ok(false),
                _ => Err(wrong("another text")),
            },
            Some(Value::Number(number)) => match whole(&number.to_string()) {
                Some(1) => Ok(true),
                Some(0) => Ok(false),
                _ => Err(wrong("another number")),
            },
            Some(other) => Err(wrong(sort(&other))),
        }
    }

    /// An optional list. One object counts as a list of one, and a list in a string as a list.
    pub(super) fn list(&mut self, name: &str) -> Result<Option<Vec<Value>>, InvalidInput> {
        let value = match self.0.remove(name) {
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
                _ => Value::String(text),
            },
            Some(value) => value,
            None => Value::Null,
        };
        match value {
            Value::Null => Ok(None),
            Value::Array(items) => Ok(Some(items)),
            Value::Object(_) => Ok(Some(vec![value])),
            other => Err(InvalidInput::of(
                name,
                &format!("must be a list; it is {}", sort(&other)),
            )),
        }
    }
}

/// A whole number, also as `3.0`.
fn whole(text: &str) -> Option<u32> {
    let text = text.trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok()
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
