//! Collects the matching lines of a search, by file, up to the size limit of a result.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use crate::tools::format;

pub(super) struct MatchCollector<'l> {
    pub(super) matcher: &'l RegexMatcher,
    pub(super) text: String,
    pub(super) matches: usize,
    pub(super) files: usize,
    /// Whether the limit was reached.
    pub(super) is_full: bool,
    name: String,
    /// The lines of the file that is being searched.
    here: String,
    matches_here: usize,
}

impl<'l> MatchCollector<'l> {
    pub(super) fn new(matcher: &'l RegexMatcher) -> MatchCollector<'l> {
        MatchCollector {
            matcher,
            text: String::new(),
            matches: 0,
            files: 0,
            is_full: false,
            name: String::new(),
            here: String::new(),
            matches_here: 0,
        }
    }

    pub(super) fn begin(&mut self, name: String) {
        self.name = name;
        self.here.clear();
        self.matches_here = 0;
    }

    pub(super) fn end(&mut self) {
        if self.matches_here == 0 {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&self.name);
        self.text.push('\n');
        self.text.push_str(&self.here);
        self.matches += self.matches_here;
        self.files += 1;
    }

    fn add(&mut self, number: Option<u64>, mark: char, line: &[u8]) -> bool {
        let line = format!("{}{mark} {}\n", number.unwrap_or(0), self.cut(line));
        let size = self.text.len() + self.name.len() + self.here.len() + line.len();
        if size > format::MAX_RESULT - ROOM_FOR_NOTES {
            self.is_full = true;
            return false;
        }
        self.here.push_str(&line);
        true
    }

    /// A line as text; of a long line, the part around the first match.
    fn cut(&self, line: &[u8]) -> String {
        let line = line.trim_ascii_end();
        if line.len() <= LONGEST_LINE {
            return String::from_utf8_lossy(line).into_owned();
        }
        let place = self.matcher.find(line).ok().flatten();
        let start = place.map_or(0, |place| place.start());
        let start = start.saturating_sub(BEFORE).min(line.len() - LONGEST_LINE);
        let part = String::from_utf8_lossy(&line[start..start + LONGEST_LINE]);
        format!("…{}… [{} bytes]", part.trim_matches('\u{fffd}'), line.len())
    }
}

impl Sink for &mut MatchCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.matches + self.matches_here == MOST_MATCHES {
            self.is_full = true;
            return Ok(false);
        }
        let is_added = self.add(found.line_number(), ':', found.bytes());
        self.matches_here += usize::from(is_added);
        Ok(is_added)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.add(found.line_number(), '-', found.bytes()))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.here.push_str("--\n");
        Ok(true)
    }
}

const MOST_MATCHES: usize = 500;
const LONGEST_LINE: usize = 300;
const BEFORE: usize = 100;
const ROOM_FOR_NOTES: usize = 1000;
