//! Finds lines of files by a regular expression. It looks at what is saved on disk.

mod lines;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_host::files::{EntryKind, Error, FoundKind};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde_json::json;

use super::fault::Fault;
use super::file_rules::Withheld;
use super::glob::Pattern;
use super::input::{Members, Misfit};
use super::tree::{Here, Hidden, Stop, Walk, look_around};
use super::{Workplace, told};
use crate::Outcome;
use lines::Lines;

/// Finds lines of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The regular expression.
    pub pattern: String,
    /// The directory or file; the working directory if none is named.
    pub path: Option<String>,
    /// Which files.
    pub glob: Option<String>,
    /// Whether capital and small letters are the same.
    pub ignore_case: bool,
    /// How many lines to show around each match.
    pub context: Option<u32>,
}

/// Where to look, and what for.
#[derive(Debug)]
pub(super) struct Searching {
    path: PathBuf,
    matcher: RegexMatcher,
    glob: Option<Pattern>,
    context: usize,
}

impl Search {
    pub(super) fn of(mut members: Members) -> Result<Search, Misfit> {
        Ok(Search {
            pattern: members.text("pattern")?,
            path: members.optional_word("path")?,
            glob: members.optional_word("glob")?,
            ignore_case: members.flag("ignore_case")?,
            context: members.number("context")?,
        })
    }

    pub(super) fn title(&self) -> String {
        let pattern = told::one_line(&self.pattern, LONGEST_PATTERN);
        match &self.path {
            Some(path) => format!("Search `{pattern}` in {path}"),
            None => format!("Search `{pattern}`"),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<Searching, Fault> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(LARGEST_MATCHER)
            .build(&self.pattern)
            .map_err(|error| not_a_pattern(&error.to_string()))?;
        let glob = self.glob.map(|glob| Pattern::new(&glob, "glob"));
        let path = self.path.as_deref().unwrap_or(".");
        Ok(Searching {
            path: workplace.to_read("search", path).await?,
            matcher,
            glob: glob.transpose()?,
            context: self
                .context
                .map_or(0, |lines| lines as usize)
                .min(MOST_CONTEXT),
        })
    }
}

/// The error of the library shows the pattern over several lines; its last line says what is wrong.
fn not_a_pattern(error: &str) -> Fault {
    let last = error.lines().last().unwrap_or_default();
    let why = last.trim_start_matches("error: ");
    let why = told::one_line(why, LONGEST_PATTERN);
    let sentence = format!(
        "`pattern` is not a regular expression: {why}; put a backslash before signs that are meant as they are"
    );
    Fault::new("pattern", sentence)
}

impl Searching {
    pub(super) async fn perform(self, workplace: &Workplace) -> Result<Outcome, Fault> {
        let place = workplace.clone();
        let found = look_around(workplace, LONGEST, move |files, roots, stop| {
            let mut hunt = Hunt {
                here: Here {
                    files,
                    roots,
                    stop,
                    rules: place.rules(),
                    tool: "search",
                },
                withheld: Withheld::default(),
                searcher: searcher(self.context),
                lines: Lines::new(&self.matcher),
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
        Ok(told::said(text, raw))
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

/// A search on its way.
struct Hunt<'h> {
    here: Here<'h>,
    withheld: Withheld,
    searcher: Searcher,
    lines: Lines<'h>,
    looked_at: usize,
    unread: usize,
}

impl Hunt<'_> {
    fn everywhere(
        &mut self,
        searching: &Searching,
        shown: impl Fn(&Path) -> String,
    ) -> Result<(), Fault> {
        let hidden = searching
            .glob
            .as_ref()
            .map_or(Hidden::Skip, |glob| glob.hidden);
        let walk = Walk::new(self.here, &searching.path, hidden);
        let mut walk = match walk {
            Err(Error::WrongKind {
                found: FoundKind::File,
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
                Err(Error::DeniedByPolicy { rule, .. } | Error::AskedByPolicy { rule, .. }) => {
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
        let reader = Stoppable {
            file,
            stop: self.here.stop,
        };
        let matcher = self.lines.matcher;
        let searched = self
            .searcher
            .search_reader(matcher, reader, &mut self.lines);
        // A line that is too long for memory ends the search of its file.
        self.unread += usize::from(searched.is_err() && !self.here.stop.is_due());
        self.lines.end();
    }

    fn report(&mut self) -> String {
        let mut text = std::mem::take(&mut self.lines.text);
        if self.lines.matches == 0 {
            let files = told::count(self.looked_at, "file", "files");
            text.push_str(&format!(
                "[nothing found in {files}; what is hidden, binary or in `.gitignore` was not looked at]\n"
            ));
        }
        if self.lines.is_full {
            text.push_str(&format!(
                "[cut after {}; narrow it with `path`, `glob` or the pattern]\n",
                told::count(self.lines.matches, "match", "matches")
            ));
        }
        if self.here.stop.is_late() {
            text.push_str(
                "[not everything was looked at in time; narrow it with `path` or `glob`]\n",
            );
        }
        if self.unread > 0 {
            let places = told::count(self.unread, "file or directory", "files or directories");
            text.push_str(&format!("[{places} could not be read wholly]\n"));
        }
        for note in self.withheld.notes() {
            text.push_str(&format!("[{note}]\n"));
        }
        text
    }
}

/// A file whose reading ends when the search does.
struct Stoppable<'s> {
    file: File,
    stop: &'s Stop,
}

impl Read for Stoppable<'_> {
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

    use super::{Stop, Stoppable};

    #[test]
    fn a_file_is_read_no_further_when_the_search_has_ended() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let read = |limit| {
            let (file, stop) = (file.try_clone().unwrap(), Stop::after(limit));
            let stop = &stop;
            Stoppable { file, stop }.read(&mut [0; 2]).ok()
        };
        assert_eq!(read(Duration::from_secs(600)), Some(2));
        assert_eq!(read(Duration::ZERO), None);
    }
}
