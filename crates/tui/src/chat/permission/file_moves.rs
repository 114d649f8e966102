//! The moves that the input of a tool call names.

use std::path::{Path, PathBuf};

use attache_client::event::PermissionPrompt;
use serde_json::Value;

use super::facts::normalize;

/// A move with its possible sources and destinations. A relative path next to a directory may be meant relative to the
/// workspace or to that directory, so there can be several of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileMove {
    pub(super) from: Vec<PathBuf>,
    pub(super) to: Vec<PathBuf>,
}

/// The moves of a request between paths in `paths`. A move with one side outside `paths` is left out.
pub(super) fn find(prompt: &PermissionPrompt, paths: &[&PathBuf]) -> Vec<FileMove> {
    let action = &prompt.action;
    if action.command.is_some() || action.is_ambiguous {
        return Vec::new();
    }
    let raw = prompt.tool_call().and_then(|call| call.raw_input.as_ref());
    let input: Option<Value> = raw.and_then(|raw| serde_json::from_str(raw.as_str()).ok());
    let pairs = input.as_ref().map(move_pairs).unwrap_or_default();
    let workspace = action.workspace.as_path();
    let moves = pairs.into_iter().map(|(from, to)| FileMove {
        from: matching_paths(from, paths, workspace),
        to: matching_paths(to, paths, workspace),
    });
    moves
        .filter(|it| !it.from.is_empty() && !it.to.is_empty())
        .collect()
}

/// The source and destination of each move in an input.
fn move_pairs(input: &Value) -> Vec<(&str, &str)> {
    let single = only_text(input, SOURCES).zip(only_text(input, DESTINATIONS));
    let changes = input.get("changes").and_then(Value::as_object);
    let changes = changes.into_iter().flatten().filter_map(|(path, change)| {
        let to = change.get("move_path")?.as_str()?;
        Some((path.as_str(), to))
    });
    single.into_iter().chain(changes).collect()
}

/// The text of the only member that is present.
fn only_text<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    let mut given = names.iter().filter_map(|name| input.get(name));
    let only = given.next()?.as_str();
    match given.next() {
        None => only,
        Some(_) => None,
    }
}

/// The paths that a text may refer to.
fn matching_paths(text: &str, paths: &[&PathBuf], workspace: &Path) -> Vec<PathBuf> {
    let whole = |path: &Path| normalize(&workspace.join(path));
    let directly = std::iter::once(whole(Path::new(text)));
    let below = paths.iter().map(|path| whole(&path.join(text)));
    let meant: Vec<PathBuf> = directly.chain(below).collect();
    let found = paths.iter().filter(|path| meant.contains(&whole(path)));
    found.map(|path| (*path).clone()).collect()
}

const SOURCES: &[&str] = &[
    "from",
    "source",
    "source_path",
    "sourcePath",
    "src",
    "old_path",
    "oldPath",
];
const DESTINATIONS: &[&str] = &[
    "to",
    "destination",
    "destination_path",
    "destinationPath",
    "dest",
    "dst",
    "new_path",
    "newPath",
    "target_path",
    "target_file",
];
