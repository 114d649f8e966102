//! Matches values against patterns, and reports the first mismatch.

use std::fmt::Write as _;

use attache_rpc::json::{from_str, to_string};

use super::{Extras, Pattern};
use crate::bindings::Bindings;
use crate::json_value::JsonValue;

/// The place where a value does not match, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) path: String,
    pub(crate) reason: String,
}

impl Pattern {
    /// Matches a value and binds names that occur for the first time. `path` is the location of the value.
    pub(crate) fn match_value(
        &self,
        found: &JsonValue,
        path: &mut String,
        bindings: &mut Bindings,
    ) -> Result<(), Mismatch> {
        match self {
            Pattern::Exactly(value) => equal(value, found, path),
            Pattern::Array(items, rest) => match found {
                JsonValue::Array(found) => array(items, *rest, found, path, bindings),
                other => other_kind("an array", other, path),
            },
            Pattern::Object(members, rest) => match found {
                JsonValue::Object(found) => object(members, *rest, found, path, bindings),
                other => other_kind("an object", other, path),
            },
            Pattern::Hole(None, _) => Ok(()),
            Pattern::Hole(Some(name), _) => match bindings.value(name) {
                Some(bound) => equal(&bound.clone(), found, path),
                None => {
                    bindings.bind(name, found.clone());
                    Ok(())
                }
            },
            Pattern::IdOf(label) => match bindings.id_of(label).map(|id| from_str(id.as_str())) {
                Some(Ok(id)) => equal(&id, found, path),
                _ => mismatch(path, format!("no request @{label} has been sent")),
            },
        }
    }
}

fn equal(expected: &JsonValue, found: &JsonValue, path: &str) -> Result<(), Mismatch> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.short(), found.short());
    mismatch(path, format!("expected {expected}, found {found}"))
}

fn array(
    items: &[Pattern],
    rest: Extras,
    found: &[JsonValue],
    path: &mut String,
    bindings: &mut Bindings,
) -> Result<(), Mismatch> {
    for (index, (item, value)) in items.iter().zip(found).enumerate() {
        within(path, &format!("[{index}]"), |path| {
            item.match_value(value, path, bindings)
        })?;
    }
    if found.len() < items.len() || (found.len() > items.len() && rest == Extras::Forbidden) {
        let (expected, found) = (items.len(), found.len());
        return mismatch(
            path,
            format!("the number of items: expected {expected}, found {found}"),
        );
    }
    Ok(())
}

fn object(
    members: &[(String, Pattern)],
    rest: Extras,
    found: &[(String, JsonValue)],
    path: &mut String,
    bindings: &mut Bindings,
) -> Result<(), Mismatch> {
    for (index, (name, _)) in found.iter().enumerate() {
        if found[..index].iter().any(|(before, _)| before == name) {
            let reason = "the member occurs twice".to_owned();
            return within(path, &step(name), |path| mismatch(path, reason));
        }
    }
    for (name, pattern) in members {
        within(path, &step(name), |path| {
            match found.iter().find(|(found, _)| found == name) {
                Some((_, value)) => pattern.match_value(value, path, bindings),
                None => mismatch(path, "missing".to_owned()),
            }
        })?;
    }
    let unexpected =
        |(name, _): &&(String, JsonValue)| !members.iter().any(|(known, _)| known == name);
    match found.iter().find(unexpected) {
        Some((name, value)) if rest == Extras::Forbidden => {
            let reason = format!("not expected, found {}", value.short());
            within(path, &step(name), |path| mismatch(path, reason))
        }
        _ => Ok(()),
    }
}

fn step(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!(".{name}")
    } else {
        format!("[{}]", to_string(name))
    }
}

fn within<T>(path: &mut String, step: &str, look: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    // Writing to a String cannot fail.
    write!(path, "{step}").unwrap_or_default();
    let seen = look(path);
    path.truncate(length);
    seen
}

fn other_kind(expected: &str, found: &JsonValue, path: &str) -> Result<(), Mismatch> {
    let found = found.short();
    mismatch(path, format!("expected {expected}, found {found}"))
}

fn mismatch(path: &str, reason: String) -> Result<(), Mismatch> {
    let path = path.to_owned();
    Err(Mismatch { path, reason })
}
