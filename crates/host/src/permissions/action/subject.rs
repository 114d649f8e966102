//! The subject of an action: the digest that a remembered decision is bound to.

use std::path::PathBuf;

use attache_schema::v1;
use serde_json::Value;

use super::input::ToolInput;
use super::{Action, Digest};
use crate::FieldHasher;

/// The digest that a remembered decision is bound to. It leaves out descriptions, such as a reason or a time limit,
/// unless the input is not understood.
pub(super) fn subject(action: &Action, input: &ToolInput) -> Digest {
    let mut hasher = FieldHasher::new("attache permissions subject");
    hasher.text(action.kind.as_str());
    hasher.text(action.tool.as_deref().unwrap_or_default());
    let names_files = matches!(
        action.kind,
        v1::ToolKind::Read
            | v1::ToolKind::Edit
            | v1::ToolKind::Delete
            | v1::ToolKind::Move
            | v1::ToolKind::Search
    );
    let mut files: Vec<PathBuf> = action
        .paths
        .iter()
        .map(|path| action.workspace_relative(path))
        .collect();
    if action.kind != v1::ToolKind::Move && !action.names_destination {
        files.sort();
    }
    for file in &files {
        hasher.text(&file.to_string_lossy());
    }
    hasher.text("command");
    for word in action.command.iter().flatten() {
        hasher.text(word);
    }
    let is_about_files = action.command.is_none() && names_files && !files.is_empty();
    let rest = match action.has_unknown_input {
        true => {
            hasher.text("all of the input");
            input.whole()
        }
        false if is_about_files => {
            // Permission to read does not allow writing under the same name.
            let reads = matches!(action.kind, v1::ToolKind::Read | v1::ToolKind::Search);
            if reads && action.has_content {
                hasher.text("content");
            }
            match input.beside_files() {
                Value::Null => return Digest(hasher.end()),
                rest => rest,
            }
        }
        false if action.command.is_some() => input.beside_command(),
        false => input.whole(),
    };
    if action.command.is_none() && files.is_empty() && rest.is_null() {
        hasher.text(&action.title);
    }
    hasher.value(&rest);
    Digest(hasher.end())
}
