//! `list`: shows a directory as a tree.

use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_host::files::EntryKind;
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::tree::{HiddenFiles, TreeWalk, WalkContext, WalkEntry, run_blocking};
use super::{Workplace, format};
use crate::ToolOutcome;

/// Lists a directory as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// The directory. Default: the working directory.
    pub path: Option<String>,
    /// The number of levels to show.
    pub depth: Option<u32>,
}

/// A prepared listing.
#[derive(Debug)]
pub(super) struct PreparedList {
    path: PathBuf,
    depth: usize,
}

impl List {
    pub(super) fn of(mut members: InputObject) -> Result<List, InvalidInput> {
        Ok(List {
            path: members.optional_word("path")?,
            depth: members.number("depth")?,
        })
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedList, ToolError> {
        let depth = self.depth.map_or(USUAL_DEPTH, |depth| depth as usize);
        Ok(PreparedList {
            path: workplace
                .resolve_for_reading("list", self.path.as_deref().unwrap_or("."))
                .await?,
            depth: depth.clamp(1, DEEPEST),
        })
    }
}

impl PreparedList {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let shown = workplace.shown(&self.path);
        let rules = workplace.rules().clone();
        let drawn = run_blocking(workplace, LONGEST, move |files, roots, stop| {
            let here = WalkContext {
                files,
                roots,
                stop,
                rules: &rules,
                tool: "list",
            };
            Ok(draw(here, &self)?)
        });
        let drawn = drawn.await?;
        let mut text = format!("{shown}/\n{}", drawn.lines);
        if drawn.count == 0 {
            text.push_str("[nothing]\n");
        }
        for note in drawn.notes {
            text.push_str(&format!("[{note}]\n"));
        }
        Ok(format::text_outcome(
            text,
            json!({ "entries": drawn.count }),
        ))
    }
}

struct TreeText {
    lines: String,
    count: usize,
    notes: Vec<String>,
}

/// Draws as many levels as fit into a result.
fn draw(
    here: WalkContext<'_>,
    listing: &PreparedList,
) -> Result<TreeText, attache_host::files::FileError> {
    let mut depth = listing.depth;
    loop {
        let mut walk = TreeWalk::new(here, &listing.path, HiddenFiles::Show)?.depth(depth);
        let (lines, count, is_full) = lines(&mut walk);
        if is_full && depth > 1 {
            depth -= 1;
            continue;
        }
        let mut notes = Vec::new();
        if depth < listing.depth {
            notes.push(format!(
                "{} shown, more would be too long; list a directory below",
                format::count(depth, "level is", "levels are")
            ));
        }
        if is_full {
            notes.push(format!(
                "cut after {count} entries; use `glob` with a pattern"
            ));
        }
        if here.stop.is_late() {
            notes.push("the listing ran out of time; list a subdirectory".to_owned());
        }
        if walk.unread > 0 {
            let directories = format::count(walk.unread, "directory", "directories");
            notes.push(format!("{directories} could not be read completely"));
        }
        notes.extend(walk.withheld.notes());
        return Ok(TreeText {
            lines,
            count,
            notes,
        });
    }
}

fn lines(walk: &mut TreeWalk<'_>) -> (String, usize, bool) {
    let mut lines = String::new();
    let mut count = 0;
    for found in walk {
        let line = line(&found);
        if count == MOST_ENTRIES || lines.len() + line.len() > format::MAX_RESULT - ROOM_FOR_NOTES {
            return (lines, count, true);
        }
        lines.push_str(&line);
        count += 1;
    }
    (lines, count, false)
}

fn line(found: &WalkEntry) -> String {
    let indent = "  ".repeat(found.depth);
    let name = name(&found.path);
    match found.what {
        EntryKind::Directory => format!("{indent}{name}/\n"),
        EntryKind::File { size } => format!("{indent}{name}  {}\n", bytes(size)),
        EntryKind::Link => format!("{indent}{name}  link\n"),
        _ => format!("{indent}{name}  special\n"),
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().escape_debug().to_string()
}

fn bytes(size: u64) -> String {
    let mut rest = size;
    for unit in ["B", "KB", "MB", "GB"] {
        if rest < 10_000 {
            return format!("{rest} {unit}");
        }
        rest /= 1000;
    }
    format!("{rest} TB")
}

const USUAL_DEPTH: usize = 2;
const DEEPEST: usize = 10;
const MOST_ENTRIES: usize = 1000;
const ROOM_FOR_NOTES: usize = 1000;
const LONGEST: Duration = Duration::from_secs(10);
