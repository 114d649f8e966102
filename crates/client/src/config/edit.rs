//! Changes the user's file: one value at a time, without touching anything else, including comments.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::document::{Document, notation};
use super::error::ConfigError;
use super::layer::{KEYS, KeysBelow, Layer, keys_of};
use super::similar_names;

/// Sets a key such as `default_agent` or `agent_servers.mine.command`. A value that is not JSON is a string. The file is
/// replaced atomically, and only if it is valid afterwards.
///
/// # Errors
///
/// When the key does not exist, the value is invalid, or the file cannot be read or written.
pub fn set(file: &Path, key: &str, value: &str) -> Result<(), ConfigError> {
    change(file, key, |object, name| {
        // No key takes numbers or booleans, so those are names.
        let value = match serde_json::from_str(value) {
            Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => input(value),
            _ => CstInputValue::String(value.to_owned()),
        };
        let inner = object.get(name).and_then(|member| member.object_value());
        match object.get(name) {
            // A preset or mode alone is the short form of an object.
            Some(_) if short_form(key).is_some() && inner.is_some() && is_text(&value) => {
                if let (Some(inner), Some(short)) = (inner, short_form(key)) {
                    put(&inner, short, value);
                }
            }
            Some(member) => member.set_value(value),
            None => drop(object.append(name, value)),
        }
    })
}

fn put(object: &CstObject, name: &str, value: CstInputValue) {
    match object.get(name) {
        Some(member) => member.set_value(value),
        None => drop(object.append(name, value)),
    }
}

fn is_text(value: &CstInputValue) -> bool {
    matches!(value, CstInputValue::String(_))
}

/// Removes a key. Succeeds if the key is not set.
///
/// # Errors
///
/// As with [`set`].
pub fn unset(file: &Path, key: &str) -> Result<(), ConfigError> {
    change(file, key, |object, name| {
        if let Some(member) = object.get(name) {
            member.remove();
        }
    })
}

fn change(file: &Path, key: &str, edit: impl FnOnce(&CstObject, &str)) -> Result<(), ConfigError> {
    check_key(key)?;
    let text = match Document::open(file)? {
        Some(document) => {
            // Fails with the location if the file is invalid now.
            Layer::read(&document)?;
            document.text().to_owned()
        }
        None => "{}\n".to_owned(),
    };
    let root = CstRootNode::parse(&text, &notation())
        .map_err(|error| unwritable(file, io::Error::other(error)))?;
    let mut object = root.object_value_or_set();
    let (folders, name) = match key.rsplit_once('.') {
        Some((folders, name)) => (folders.split('.').collect(), name),
        None => (Vec::new(), key),
    };
    for folder in folders {
        if let Some(short) = short_form(folder) {
            spell_out(&object, folder, short);
        }
        object = object.object_value_or_set(folder);
    }
    edit(&object, name);
    let changed = root.to_string();
    Layer::read(&Document::of(file, changed.clone()))?;
    write_whole(file, &changed).map_err(|cause| unwritable(file, cause))
}

/// The key that a string sets where an object is expected.
fn short_form(key: &str) -> Option<&'static str> {
    match key {
        "permissions" => Some("preset"),
        "sandbox" => Some("mode"),
        _ => None,
    }
}

/// Turns the short form of a value into an object.
fn spell_out(object: &CstObject, key: &str, short: &str) {
    let member = object.get(key);
    let text = member.as_ref().and_then(|member| member.value());
    let text = text.and_then(|value| value.as_string_lit());
    if let (Some(member), Some(Ok(text))) = (member, text.map(|it| it.decoded_value())) {
        let text = CstInputValue::String(text);
        member.set_value(CstInputValue::Object(vec![(short.to_owned(), text)]));
    }
}

/// Checks that the key exists.
fn check_key(key: &str) -> Result<(), ConfigError> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let is_whole = key.split('.').all(|part| !part.is_empty());
    let is_used = match keys_of(first) {
        KeysBelow::None => rest.is_empty(),
        KeysBelow::Names => true,
        KeysBelow::Known(keys) => rest.is_empty() || keys.contains(&rest),
    };
    if KEYS.contains(&first) && is_whole && is_used {
        return Ok(());
    }
    let nearest = match keys_of(first) {
        KeysBelow::Known(keys) if !rest.is_empty() => similar_names(rest, keys.iter().copied())
            .first()
            .map(|name| format!("{first}.{name}")),
        _ => similar_names(first, KEYS.iter().copied())
            .first()
            .map(|name| (*name).to_owned()),
    };
    Err(ConfigError::NoSuchKey {
        key: key.to_owned(),
        nearest,
    })
}

fn input(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value),
        Value::Array(items) => CstInputValue::Array(items.into_iter().map(input).collect()),
        Value::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (name, input(value)));
            CstInputValue::Object(members.collect())
        }
    }
}

/// Replaces a file atomically. An existing file keeps its mode, a new file is accessible only to its owner. A symbolic
/// link stays a link.
pub(super) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(&file) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(&file)?;
    Ok(())
}

fn unwritable(file: &Path, cause: io::Error) -> ConfigError {
    ConfigError::Unwritable {
        path: file.to_owned(),
        cause,
    }
}

#[cfg(test)]
mod tests;
