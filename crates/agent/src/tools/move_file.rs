//! `move`: renames a file or directory, on disk, because the protocol has no request for it.

use std::path::{Path, PathBuf};

use attache_host::files::EntryKind;
use serde_json::json;

use super::delete::{is_same, removable};
use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::{Workplace, format, location};
use crate::ToolOutcome;

/// Renames or moves a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The file or directory.
    pub from: String,
    /// Its new path.
    pub to: String,
}

/// A prepared move.
#[derive(Debug)]
pub(super) struct PreparedMove {
    from: PathBuf,
    what: EntryKind,
    to: PathBuf,
}

impl Move {
    pub(super) fn of(mut members: InputObject) -> Result<Move, InvalidInput> {
        Ok(Move {
            from: members.word("from")?,
            to: members.word("to")?,
        })
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedMove, ToolError> {
        let (from, what) = removable(workplace, MOVE, workplace.absolute(&self.from)).await?;
        let to = workplace.resolve_for_writing(MOVE, &self.to).await?;
        movable(workplace, &from, what).await?;
        let (asked, shown) = (to.clone(), workplace.shown(&to));
        let there = workplace.on_disk(move |files, roots| files.resolve_removal(roots, &asked));
        match there.await {
            Err(fault) if fault.is_missing() => Ok(PreparedMove { from, what, to }),
            Err(fault) => Err(fault),
            Ok((_, EntryKind::Directory)) => {
                let sentence = format!(
                    "`{shown}` is an existing directory; give the complete new path, including the last name"
                );
                Err(ToolError::new("exists", sentence))
            }
            Ok(_) => {
                let sentence = format!(
                    "`{shown}` already exists and is not replaced; choose another name, or delete it first"
                );
                Err(ToolError::new("exists", sentence))
            }
        }
    }
}

impl PreparedMove {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let PreparedMove { from, what, to } = self;
        let (old, new) = (workplace.shown(&from), workplace.shown(&to));
        let (now, still) = removable(workplace, MOVE, from.clone()).await?;
        if now != from || !is_same(still, what) {
            return Err(ToolError::changed(&old));
        }
        movable(workplace, &from, what).await?;
        let asked = to.clone();
        let leads = workplace.on_disk(move |files, roots| files.resolve_write(roots, &asked));
        if leads.await? != to {
            return Err(ToolError::changed(&new));
        }
        let target = to.clone();
        workplace
            .on_disk(move |files, roots| files.rename(roots, &from, &target))
            .await?;
        let mut outcome = format::text_outcome(
            format!("Moved `{old}` to `{new}`."),
            json!({ "moved": true }),
        );
        outcome.locations = location(&to).into_iter().collect();
        Ok(outcome)
    }
}

/// Fails for a directory that contains something that a rule denies.
async fn movable(workplace: &Workplace, from: &Path, what: EntryKind) -> Result<(), ToolError> {
    if what != EntryKind::Directory {
        return Ok(());
    }
    let (rules, from) = (workplace.rules().clone(), from.to_owned());
    let looked = workplace.on_disk(move |files, roots| Ok(rules.check_tree(files, roots, &from)));
    looked.await?
}

const MOVE: &str = "move";
