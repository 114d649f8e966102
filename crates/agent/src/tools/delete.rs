//! Removes a file, a link or an empty directory. It is done on disk: the protocol has no call for it.

use std::path::PathBuf;

use attache_host::files::EntryKind;
use serde_json::json;

use super::fault::Fault;
use super::file_rules::Access;
use super::input::{Members, Misfit};
use super::read::missing;
use super::{Workplace, told};
use crate::Outcome;

/// Removes a file or an empty directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The file or directory.
    pub path: String,
}

/// What is to be removed.
#[derive(Debug)]
pub(super) struct Removal {
    path: PathBuf,
    what: EntryKind,
}

impl Delete {
    pub(super) fn of(mut members: Members) -> Result<Delete, Misfit> {
        Ok(Delete {
            path: members.word("path")?,
        })
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<Removal, Fault> {
        let path = workplace.absolute(&self.path);
        let (path, what) = removable(workplace, "delete", path).await?;
        if what == EntryKind::Directory {
            let listed = path.clone();
            let listed = workplace.on_disk(move |files, roots| files.list(roots, &listed));
            if !listed.await?.entries.is_empty() {
                let shown = workplace.shown(&path);
                let sentence = format!(
                    "`{shown}` is a directory with something in it; remove what is in it first, or use `run`"
                );
                return Err(Fault::new("not_empty", sentence));
            }
        }
        Ok(Removal { path, what })
    }
}

impl Removal {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<Outcome, Fault> {
        let shown = workplace.shown(&self.path);
        let path = self.path.clone();
        let (now, what) = removable(workplace, "delete", self.path).await?;
        if now != path || !is_same(what, self.what) {
            return Err(Fault::changed(&shown));
        }
        workplace
            .on_disk(move |files, roots| files.remove(roots, &path))
            .await?;
        Ok(told::said(
            format!("Removed `{shown}`."),
            json!({ "removed": true }),
        ))
    }
}

/// What would be removed or moved, where it is.
pub(super) async fn removable(
    workplace: &Workplace,
    tool: &str,
    path: PathBuf,
) -> Result<(PathBuf, EntryKind), Fault> {
    workplace.obey(tool, Access::Change, &path)?;
    let asked = path.clone();
    let found = workplace.on_disk(move |files, roots| files.resolve_removal(roots, &asked));
    match found.await {
        Err(fault) if fault.is_missing() => Err(missing(workplace, &path).await),
        found => {
            let found = found?;
            workplace.obey(tool, Access::Change, &found.0)?;
            Ok(found)
        }
    }
}

/// Whether it is still the same sort of thing; how large it is does not matter.
pub(super) fn is_same(one: EntryKind, other: EntryKind) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}
