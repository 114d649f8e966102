//! `delete`: removes a file, a link or an empty directory, on disk, because the protocol has no request for it.

use std::path::PathBuf;

use attache_host::files::EntryKind;
use serde_json::json;

use super::file_rules::FileAccess;
use super::input::{InputObject, InvalidInput};
use super::read::missing;
use super::tool_error::ToolError;
use super::{Workplace, format};
use crate::ToolOutcome;

/// Removes a file or an empty directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The file or directory.
    pub path: String,
}

/// A prepared removal.
#[derive(Debug)]
pub(super) struct PreparedDelete {
    path: PathBuf,
    what: EntryKind,
}

impl Delete {
    pub(super) fn of(mut members: InputObject) -> Result<Delete, InvalidInput> {
        Ok(Delete {
            path: members.word("path")?,
        })
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedDelete, ToolError> {
        let path = workplace.absolute(&self.path);
        let (path, what) = removable(workplace, "delete", path).await?;
        if what == EntryKind::Directory {
            let listed = path.clone();
            let listed = workplace.on_disk(move |files, roots| files.list(roots, &listed));
            if !listed.await?.entries.is_empty() {
                let shown = workplace.shown(&path);
                let sentence = format!(
                    "`{shown}` is a directory that is not empty; remove its content first, or use `run`"
                );
                return Err(ToolError::new("not_empty", sentence));
            }
        }
        Ok(PreparedDelete { path, what })
    }
}

impl PreparedDelete {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let shown = workplace.shown(&self.path);
        let path = self.path.clone();
        let (now, what) = removable(workplace, "delete", self.path).await?;
        if now != path || !is_same(what, self.what) {
            return Err(ToolError::changed(&shown));
        }
        workplace
            .on_disk(move |files, roots| files.remove(roots, &path))
            .await?;
        Ok(format::text_outcome(
            format!("Removed `{shown}`."),
            json!({ "removed": true }),
        ))
    }
}

/// Resolves what would be removed or moved.
pub(super) async fn removable(
    workplace: &Workplace,
    tool: &str,
    path: PathBuf,
) -> Result<(PathBuf, EntryKind), ToolError> {
    workplace.check_rules(tool, FileAccess::Change, &path)?;
    let asked = path.clone();
    let found = workplace.on_disk(move |files, roots| files.resolve_removal(roots, &asked));
    match found.await {
        Err(fault) if fault.is_missing() => Err(missing(workplace, &path).await),
        found => {
            let found = found?;
            workplace.check_rules(tool, FileAccess::Change, &found.0)?;
            Ok(found)
        }
    }
}

/// Whether both entries have the same kind. Ignores their sizes.
pub(super) fn is_same(one: EntryKind, other: EntryKind) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}
