//! `search`: finds lines of files by a regular expression, in what is saved on disk.

mod match_collector;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_host::files::{EntryKind, FileError, UnexpectedKind};
use attache_text::plain;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde_json::json;

use super::file_rules::WithheldEntries;
use super::glob::GlobPattern;
use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::tree::{HiddenFiles, StopSignal, TreeWalk, WalkContext, run_blocking};
use super::{Workplace, format};
use crate::ToolOutcome;
use match_collector::MatchCollector;

/// Finds matching lines in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The regular expression.
    pub pattern: String,
    /// The directory or file. Default: the working directory.
    pub path: Option<String>,
    /// A glob pattern for the files to search.
    pub glob: Option<String>,
    /// Whether to ignore case.
    pub ignore_case: bool,
    /// The number of lines to show around each match.
    pub context: Option<u32>,
}

/// A prepared search.
#[derive(Debug)]
pub(super) struct PreparedSearch {
    path: PathBuf,
    matcher: RegexMatcher,
    glob: Option<GlobPattern>,
    context: usize,
}

impl Search {
    pub(super) fn of(mut members: InputObject) -> Result<Search, InvalidInput> {
        Ok(Search {
            pattern: members.text("pattern")?,
            path: members.optional_word("path")?,
            glob: members.optional_word("glob")?,
            ignore_case: members.flag("ignore_case")?,
            context: members.number("context")?,
        })
    }

    pub(super) fn title(&self) -> String {
        let pattern = plain::one_line(&self.pattern, LONGEST_PATTERN);
        match &self.path {
            Some(path) => format!("Search `{pattern}` in {path}"),
            None => format!("Search `{pattern}`"),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedSearch, ToolError> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(LARGEST_MATCHER)
            .build(&self.pattern)
            .map_err(|error| not_a_pattern(&error.to_string()))?;
        let glob = self.glob.map(|glob| GlobPattern::new(&glob, "glob"));
        let path = self.path.as_deref().unwrap_or(".");
        Ok(PreparedSearch {
            path: workplace.resolve_for_reading("search", path).await?,
            matcher,
            glob: glob.transpose()?,
            context: self
                .context
                .map_or(0, |lines| lines as usize)
                .min(MOST_CONTEXT),
        })
    }
}

/// The library's error shows the pattern over several lines; only the last line says what is wrong.
fn not_a_pattern(error: &str) -> ToolError {
    let last = error.lines().last().unwrap_or_default();
    let why = last.trim_start_matches("error: ");
    let why = plain::one_line(why, LONGEST_PATTERN);
    let sentence = format!(
        "`pattern` is not a regular expression: {why}; put a backslash before signs that are meant as they are"
    );
    ToolError::new("pattern", sentence)
}

impl PreparedSearch {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let place = workplace.clone();
        let found = run_blocking(workplace, LONGEST, move |files, roots, stop| {
            let mut hunt = FileSearch {
                here: WalkContext {
                    files,
                    roots,
                    stop,
                    rules: place.rules(),
                    tool: "search",
                },
                withheld: WithheldEntries::default(),
                searcher: searcher(self.context),
                lines: MatchCollector::new(&self.matcher),
                looked_at: 0,
                unread: 0,
            };
            hunt.everywhere(&self, |path| place.shown(path))?;
            Ok((
                hunt.report(),
                hunt.lines.matches,
                hunt.lines.files,
                hunt.looked_at,
            ))
        });
        let (text, matches, files, looked_at) = found.await?;
        let raw = json!({ "matches": matches, "files": files, "looked_at": looked_at });
        Ok(format::text_outcome(text, raw))
    }
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(LARGEST_LINE))
        .build()
}

/// A running search.
struct FileSearch<'h> {
    here: WalkContext<'h>,
    withheld: WithheldEntries,
    searcher: Searcher,
    lines: MatchCollector<'h>,
    looked_at: usize,
    unread: usize,
}

impl FileSearch<'_> {
    fn everywhere(
        &mut self,
        searching: &PreparedSearch,
        shown: impl Fn(&Path) -> String,
    ) -> Result<(), ToolError> {
        let hidden = searching
            .glob
            .as_ref()
            .map_or(HiddenFiles::Skip, |glob| glob.hidden);
        let walk = TreeWalk::new(self.here, &searching.path, hidden);
        let mut walk = match walk {
            Err(FileError::WrongKind {
                found: UnexpectedKind::File,
                ..
            }) => {
                let file = self.here.files.open(self.here.roots, &searching.path)?;
                self.file(file, shown(&searching.path));
                return Ok(());
            }
            walk => walk?,
        };
        for found in walk.by_ref() {
            let below = found
                .path
                .strip_prefix(&searching.path)
                .unwrap_or(&found.path);
            let is_wanted = searching.glob.as_ref().is_none_or(|glob| glob.fits(below));
            if !is_wanted || !matches!(found.what, EntryKind::File { .. }) {
                continue;
            }
            match self.here.files.open(self.here.roots, &found.path) {
                Ok(file) => self.file(file, shown(&found.path)),
                Err(
                    FileError::DeniedByPolicy { rule, .. } | FileError::AskedByPolicy { rule, .. },
                ) => {
                    self.withheld.note_rule(&rule);
                }
                Err(_) => self.unread += 1,
            }
            if self.lines.is_full {
                break;
            }
        }
        self.unread += walk.unread;
        self.withheld.add(walk.withheld);
        Ok(())
    }

    fn file(&mut self, file: File, shown: String) {
        self.looked_at += 1;
        self.lines.begin(shown);
        let reader = StoppableFile {
            file,
            stop: self.here.stop,
        };
        let matcher = self.lines.matcher;
        let searched = self
            .searcher
            .search_reader(matcher, reader, &mut self.lines);
        // A line above the memory limit ends the search of its file.
        self.unread += usize::from(searched.is_err() && !self.here.stop.is_due());
        self.lines.end();
    }

    fn report(&mut self) -> String {
        let mut text = std::mem::take(&mut self.lines.text);
        if self.lines.matches == 0 {
            let files = format::count(self.looked_at, "file", "files");
            text.push_str(&format!(
                "[no matches in {files}; hidden and binary files and those in `.gitignore` were skipped]\n"
            ));
        }
        if self.lines.is_full {
            text.push_str(&format!(
                "[cut after {}; narrow it with `path`, `glob` or the pattern]\n",
                format::count(self.lines.matches, "match", "matches")
            ));
        }
        if self.here.stop.is_late() {
            text.push_str("[the search ran out of time; narrow it with `path` or `glob`]\n");
        }
        if self.unread > 0 {
            let places = format::count(self.unread, "file or directory", "files or directories");
            text.push_str(&format!("[{places} could not be read completely]\n"));
        }
        for note in self.withheld.notes() {
            text.push_str(&format!("[{note}]\n"));
        }
        text
    }
}

/// A file that reads no further once the search has stopped.
struct StoppableFile<'s> {
    file: File,
    stop: &'s StopSignal,
}

impl Read for StoppableFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.is_due() {
            true => Err(io::Error::other("the search has ended")),
            false => self.file.read(buffer),
        }
    }
}

const MOST_CONTEXT: usize = 20;
const LONGEST_PATTERN: usize = 80;
const LARGEST_MATCHER: usize = 10 * 1024 * 1024;
const LARGEST_LINE: usize = 16 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};
    use std::time::Duration;

    use super::{StopSignal, StoppableFile};

    #[test]
    fn reading_stops_when_the_search_has_stopped() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let read = |limit| {
            let (file, stop) = (file.try_clone().unwrap(), StopSignal::after(limit));
            let stop = &stop;
            StoppableFile { file, stop }.read(&mut [0; 2]).ok()
        };
        assert_eq!(read(Duration::from_secs(600)), Some(2));
        assert_eq!(read(Duration::ZERO), None);
    }
}
