//! `glob`: finds files by name.

use std::path::PathBuf;
use std::time::Duration;

use attache_host::files::EntryKind;
use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::tree::{HiddenFiles, TreeWalk, WalkContext, run_blocking};
use super::{Workplace, format};
use crate::ToolOutcome;

/// Finds files by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    /// The pattern.
    pub pattern: String,
    /// The directory. Default: the working directory.
    pub path: Option<String>,
}

/// A prepared search for names.
#[derive(Debug)]
pub(super) struct PreparedGlob {
    path: PathBuf,
    pattern: GlobPattern,
}

impl Glob {
    pub(super) fn of(mut members: InputObject) -> Result<Glob, InvalidInput> {
        Ok(Glob {
            pattern: members.word("pattern")?,
            path: members.optional_word("path")?,
        })
    }

    pub(super) fn title(&self) -> String {
        match &self.path {
            Some(path) => format!("Find {} in {path}", self.pattern),
            None => format!("Find {}", self.pattern),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedGlob, ToolError> {
        let path = self.path.as_deref().unwrap_or(".");
        let path = workplace.resolve_for_reading("glob", path).await?;
        let top = format!("{}/", path.display());
        let pattern = self.pattern.strip_prefix(&top).unwrap_or(&self.pattern);
        Ok(PreparedGlob {
            pattern: GlobPattern::new(pattern, "pattern")?,
            path,
        })
    }
}

impl PreparedGlob {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let place = workplace.clone();
        let found = run_blocking(workplace, LONGEST, move |files, roots, stop| {
            let hidden = self.pattern.hidden;
            let here = WalkContext {
                files,
                roots,
                stop,
                rules: place.rules(),
                tool: "glob",
            };
            let mut walk = TreeWalk::new(here, &self.path, hidden)?;
            let mut text = String::new();
            let mut count = 0;
            let mut notes = Vec::new();
            for found in walk
                .by_ref()
                .filter(|found| found.what != EntryKind::Directory)
            {
                let below = found.path.strip_prefix(&self.path).unwrap_or(&found.path);
                if !self.pattern.fits(below) {
                    continue;
                }
                let line = format!("{}\n", place.shown(&found.path));
                if count == MOST_FOUND
                    || text.len() + line.len() > format::MAX_RESULT - ROOM_FOR_NOTES
                {
                    notes.push(format!(
                        "cut after {count} files; make the pattern narrower"
                    ));
                    break;
                }
                text.push_str(&line);
                count += 1;
            }
            if stop.is_late() {
                notes.push("the search ran out of time; name a directory with `path`".to_owned());
            }
            if walk.unread > 0 {
                let directories = format::count(walk.unread, "directory", "directories");
                notes.push(format!("{directories} could not be read completely"));
            }
            notes.extend(walk.withheld.notes());
            Ok((text, count, notes))
        });
        let (mut text, count, notes) = found.await?;
        if count == 0 {
            text.push_str(
                "[no file matches; hidden files and those in `.gitignore` were skipped]\n",
            );
        }
        for note in notes {
            text.push_str(&format!("[{note}]\n"));
        }
        Ok(format::text_outcome(text, json!({ "files": count })))
    }
}

/// A pattern for paths below a directory.
#[derive(Debug)]
pub(super) struct GlobPattern {
    matcher: GlobMatcher,
    /// Whether the pattern itself names hidden files.
    pub(super) hidden: HiddenFiles,
}

impl GlobPattern {
    /// Without a slash, a pattern matches names in every directory. `member` is the input member for error texts.
    pub(super) fn new(pattern: &str, member: &str) -> Result<GlobPattern, ToolError> {
        let pattern = pattern.trim_start_matches("./");
        if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
            let sentence = format!(
                "`{member}` must be below the directory that is looked in; name that with `path`"
            );
            return Err(ToolError::new("pattern", sentence));
        }
        let whole = match pattern.contains('/') {
            true => pattern.to_owned(),
            false => format!("**/{pattern}"),
        };
        let glob = GlobBuilder::new(&whole).literal_separator(true).build();
        let glob = glob.map_err(|error| {
            let sentence = format!("`{member}` is not a pattern: {}", error.kind());
            ToolError::new("pattern", sentence)
        })?;
        let names_hidden = pattern
            .split(['/', '{', ','])
            .any(|part| part.starts_with('.') && part != ".");
        Ok(GlobPattern {
            matcher: glob.compile_matcher(),
            hidden: if names_hidden {
                HiddenFiles::Show
            } else {
                HiddenFiles::Skip
            },
        })
    }

    pub(super) fn fits(&self, below: &std::path::Path) -> bool {
        self.matcher.is_match(below)
    }
}

const MOST_FOUND: usize = 1000;
const ROOM_FOR_NOTES: usize = 1000;
const LONGEST: Duration = Duration::from_secs(20);
