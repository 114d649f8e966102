//! `edit`: replaces passages of a file, all or none.

mod apply;
mod nearest;

use super::input::{InputObject, InvalidInput};
use super::read::missing;
use super::tool_error::ToolError;
use super::write::{PreparedChange, first_difference};
use super::{Workplace, format};

/// Replaces passages of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The replacements, applied in this order.
    pub edits: Vec<Replacement>,
}

/// A passage and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The passage, exactly as in the file.
    pub old: String,
    /// The new text.
    pub new: String,
    /// Whether to replace every occurrence.
    pub all: bool,
}

impl Edit {
    pub(super) fn of(mut members: InputObject) -> Result<Edit, InvalidInput> {
        let path = members.word("path")?;
        let edits = match members.list("edits")? {
            Some(edits) => edits
                .into_iter()
                .map(|edit| Replacement::of(InputObject::of(edit, "each of `edits`")?))
                .collect::<Result<Vec<_>, _>>()?,
            // Some models send the one replacement without a list.
            None if members.has("old") => vec![Replacement::of(members)?],
            None => Vec::new(),
        };
        match edits.is_empty() {
            true => Err(InvalidInput::of(
                "edits",
                "is missing; it must be a list of objects with `old` and `new`",
            )),
            false => Ok(Edit { path, edits }),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedChange, ToolError> {
        let path = workplace.resolve_for_writing("edit", &self.path).await?;
        let shown = workplace.shown(&path);
        let Some(old) = workplace.old_text(&path).await? else {
            return Err(missing(workplace, &path).await);
        };
        let edits = self.edits;
        let work = move || {
            let applied = apply::apply(&old, &edits);
            applied
                .map(|applied| (old, applied))
                .map_err(|failure| failure.fault(&shown))
                .map(|(old, applied)| (old, applied, shown))
        };
        // Finding the nearest passage of a long file takes a while.
        let done = tokio::task::spawn_blocking(work).await;
        let (old, applied, shown) = done.map_err(|_| ToolError::lost())??;
        let places = format::count(applied.count, "replacement", "replacements");
        let line = first_difference(&old, &applied.text);
        Ok(PreparedChange {
            done: format!("Edited `{shown}`: {places}, the first at line {line}."),
            line,
            path,
            shown,
            old: Some(old),
            new: applied.text,
        })
    }
}

impl Replacement {
    fn of(mut members: InputObject) -> Result<Replacement, InvalidInput> {
        Ok(Replacement {
            old: members.text("old")?,
            new: members.text("new")?,
            all: members.flag("all")?,
        })
    }
}
