//! Whether a value fits a pattern, and where it does not.

use std::fmt::Write as _;

use attache_rpc::json::{from_str, to_string};

use super::{Pattern, Rest};
use crate::memory::Memory;
use crate::value::Value;

/// Where a value does not fit, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) path: String,
    pub(crate) reason: String,
}

impl Pattern {
    /// Compares, and binds the names that are heard for the first time. `path` is the way to the value.
    pub(crate) fn fit(
        &self,
        found: &Value,
        path: &mut String,
        memory: &mut Memory,
    ) -> Result<(), Misfit> {
        match self {
            Pattern::Exactly(value) => equal(value, found, path),
            Pattern::Array(items, rest) => match found {
                Value::Array(found) => array(items, *rest, found, path, memory),
                other => other_kind("an array", other, path),
            },
            Pattern::Object(members, rest) => match found {
                Value::Object(found) => object(members, *rest, found, path, memory),
                other => other_kind("an object", other, path),
            },
            Pattern::Hole(None, _) => Ok(()),
            Pattern::Hole(Some(name), _) => match memory.value(name) {
                Some(bound) => equal(&bound.clone(), found, path),
                None => {
                    memory.bind(name, found.clone());
                    Ok(())
                }
            },
            Pattern::IdOf(label) => match memory.id_of(label).map(|id| from_str(id.as_str())) {
                Some(Ok(id)) => equal(&id, found, path),
                _ => misfit(path, format!("no request @{label} has been sent")),
            },
        }
    }
}

fn equal(expected: &Value, found: &Value, path: &str) -> Result<(), Misfit> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.short(), found.short());
    misfit(path, format!("expected {expected}, found {found}"))
}

fn array(
    items: &[Pattern],
    rest: Rest,
    found: &[Value],
    path: &mut String,
    memory: &mut Memory,
) -> Result<(), Misfit> {
    for (index, (item, value)) in items.iter().zip(found).enumerate() {
        within(path, &format!("[{index}]"), |path| {
            item.fit(value, path, memory)
        })?;
    }
    if found.len() < items.len() || (found.len() > items.len() && rest == Rest::None) {
        let (expected, found) = (items.len(), found.len());
        return misfit(
            path,
            format!("the number of items: expected {expected}, found {found}"),
        );
    }
    Ok(())
}

fn object(
    members: &[(String, Pattern)],
    rest: Rest,
    found: &[(String, Value)],
    path: &mut String,
    memory: &mut Memory,
) -> Result<(), Misfit> {
    for (index, (name, _)) in found.iter().enumerate() {
        if found[..index].iter().any(|(before, _)| before == name) {
            let reason = "the member occurs twice".to_owned();
            return within(path, &step(name), |path| misfit(path, reason));
        }
    }
    for (name, pattern) in members {
        within(path, &step(name), |path| {
            match found.iter().find(|(found, _)| found == name) {
                Some((_, value)) => pattern.fit(value, path, memory),
                None => misfit(path, "missing".to_owned()),
            }
        })?;
    }
    let unexpected = |(name, _): &&(String, Value)| !members.iter().any(|(known, _)| known == name);
    match found.iter().find(unexpected) {
        Some((name, value)) if rest == Rest::None => {
            let reason = format!("not expected, found {}", value.short());
            within(path, &step(name), |path| misfit(path, reason))
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

fn other_kind(expected: &str, found: &Value, path: &str) -> Result<(), Misfit> {
    let found = found.short();
    misfit(path, format!("expected {expected}, found {found}"))
}

fn misfit(path: &str, reason: String) -> Result<(), Misfit> {
    let path = path.to_owned();
    Err(Misfit { path, reason })
}
