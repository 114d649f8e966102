//! Changing the person's file: one value at a time, with everything else left as it stands, comments too.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::document::{Document, notation};
use super::error::Error;
use super::layer::{KEYS, Layer, PERMISSION_KEYS};
use super::nearest;

/// Sets a key such as `default_agent` or `agent_servers.mine.command`. A value that is JSON is taken as such, another
/// one as a string. The file is written whole or not at all, and only if it fits afterwards.
///
/// # Errors
///
/// When there is no such key, the value does not fit, or the file cannot be read or written.
pub fn set(file: &Path, key: &str, value: &str) -> Result<(), Error> {
    change(file, key, |object, name| {
        // Numbers and words such as `true` fit no key: they are names.
        let value = match serde_json::from_str(value) {
            Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => input(value),
            _ => CstInputValue::String(value.to_owned()),
        };
        let inner = object.get(name).and_then(|member| member.object_value());
        match object.get(name) {
            // A preset alone is short for an object with one.
            Some(_) if name == PERMISSIONS && inner.is_some() && is_text(&value) => {
                if let Some(inner) = inner {
                    put(&inner, "preset", value);
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

/// Removes a key. One that is not there is removed already.
///
/// # Errors
///
/// As with [`set`].
pub fn unset(file: &Path, key: &str) -> Result<(), Error> {
    change(file, key, |object, name| {
        if let Some(member) = object.get(name) {
            member.remove();
        }
    })
}

fn change(file: &Path, key: &str, edit: impl FnOnce(&CstObject, &str)) -> Result<(), Error> {
    check_key(key)?;
    let text = match Document::open(file)? {
        Some(document) => {
            // What does not fit is said with its place.
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
        if folder == PERMISSIONS {
            spell_out(&object);
        }
        object = object.object_value_or_set(folder);
    }
    edit(&object, name);
    let changed = root.to_string();
    Layer::read(&Document::of(file, changed.clone()))?;
    write_whole(file, &changed).map_err(|cause| unwritable(file, cause))
}

/// Makes the object of a preset that stands alone.
fn spell_out(object: &CstObject) {
    let member = object.get(PERMISSIONS);
    let preset = member.as_ref().and_then(|member| member.value());
    let preset = preset.and_then(|value| value.as_string_lit());
    if let (Some(member), Some(Ok(preset))) = (member, preset.map(|it| it.decoded_value())) {
        let preset = CstInputValue::String(preset);
        member.set_value(CstInputValue::Object(vec![("preset".to_owned(), preset)]));
    }
}

/// Whether something uses the key.
fn check_key(key: &str) -> Result<(), Error> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let holds_names = matches!(first, "agent_servers" | "mcp_servers");
    let holds_names = holds_names || (first == PERMISSIONS && PERMISSION_KEYS.contains(&rest));
    let is_whole = key.split('.').all(|part| !part.is_empty());
    if KEYS.contains(&first) && is_whole && (holds_names || rest.is_empty()) {
        return Ok(());
    }
    let nearest = nearest(first, KEYS.iter().copied());
    Err(Error::NoSuchKey {
        key: key.to_owned(),
        nearest: nearest.first().map(|name| (*name).to_owned()),
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

/// Writes a file whole or not at all. A file that is there keeps its mode, a new one is for its owner alone. A link
/// stays a link.
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

fn unwritable(file: &Path, cause: io::Error) -> Error {
    Error::Unwritable {
        path: file.to_owned(),
        cause,
    }
}

const PERMISSIONS: &str = "permissions";
