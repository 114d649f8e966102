//! Which lines of a transcript are the conversation. Whoever goes back to an earlier prompt leaves a branch behind, and
//! the CLI keeps all branches in one file: each line names the one before it. What counts is the branch that the CLI
//! itself takes up, and beside it the results of tool calls that ran at the same time.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use super::line_header::{LineHeader, LineKind, Parent};

/// A look at all lines of a transcript, in the order of the file.
#[derive(Debug, Default)]
pub struct TranscriptIndex {
    names: RandomState,
    lines: Vec<IndexedLine>,
    known: HashMap<u64, usize>,
    leaf: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct IndexedLine {
    kind: LineKind,
    link: ParentLink,
    /// The message that an answer is of.
    message: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
enum ParentLink {
    /// To the line before in the file that has a place.
    Previous,
    None,
    Line(u64),
}

/// The lines that are lines.
#[derive(Debug)]
pub struct ActiveBranch {
    lines: Vec<bool>,
}

impl ActiveBranch {
    /// Whether a line is lines, by its number in the file.
    pub fn contains(&self, line: usize) -> bool {
        // What came later was not looked at.
        self.lines.get(line).is_none_or(|lines| *lines)
    }
}

impl TranscriptIndex {
    /// Looks at the next line.
    pub fn add_line(&mut self, line: &[u8]) {
        if self.lines.len() == MOST_LINES {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let line = self.place(LineHeader::of(&text));
        self.lines.push(line);
    }

    fn place(&mut self, header: LineHeader<'_>) -> IndexedLine {
        let name = |name: Cow<'_, str>| self.names.hash_one(&*name);
        self.leaf = header.leaf.map(name).or(self.leaf);
        let link = match header.parent {
            Parent::Implicit => ParentLink::Previous,
            Parent::None => ParentLink::None,
            Parent::Named(parent) => ParentLink::Line(name(parent)),
        };
        let message = header.message.map(name);
        let own = header.uuid.map(name);
        let at = self.lines.len();
        let kind = match (header.kind, own) {
            (LineKind::Outside, _) => LineKind::Outside,
            // What stands there twice is lines once.
            (_, Some(own)) if *self.known.entry(own).or_insert(at) != at => LineKind::Outside,
            (kind, _) => kind,
        };
        IndexedLine {
            kind,
            link,
            message,
        }
    }

    /// The lines that are lines. With names in a circle all are.
    pub fn active_branch(self) -> ActiveBranch {
        let parents = self.parents();
        let Some(on) = self.branch(&parents) else {
            return ActiveBranch { lines: Vec::new() };
        };
        let messages: HashSet<u64> = self
            .lines
            .iter()
            .zip(&on)
            .filter_map(|(line, on)| line.message.filter(|_| *on))
            .collect();
        let mut left = vec![false; self.lines.len()];
        let mut lines = Vec::with_capacity(self.lines.len());
        for (at, line) in self.lines.iter().enumerate() {
            let opens = match line.kind {
                LineKind::Prompt => true,
                LineKind::Answer => line.message.is_some_and(|it| !messages.contains(&it)),
                _ => false,
            };
            left[at] = !on[at] && (opens || parents[at].is_some_and(|parent| left[parent]));
            let is_shown = matches!(
                line.kind,
                LineKind::Prompt | LineKind::Note | LineKind::Answer
            );
            lines.push(is_shown && !left[at]);
        }
        ActiveBranch { lines }
    }

    /// The line before each in the conversation. One that names a line which is not there follows the one in the file.
    fn parents(&self) -> Vec<Option<usize>> {
        let mut before = None;
        let mut parents = Vec::with_capacity(self.lines.len());
        for (at, line) in self.lines.iter().enumerate() {
            if line.kind == LineKind::Outside {
                parents.push(None);
                continue;
            }
            parents.push(match line.link {
                ParentLink::None => None,
                ParentLink::Previous => before,
                ParentLink::Line(name) => self.known.get(&name).copied().or(before),
            });
            before = Some(at);
        }
        parents
    }

    /// The lines from the newest to the first; none if there is no such way.
    fn branch(&self, parents: &[Option<usize>]) -> Option<Vec<bool>> {
        let mut on = vec![false; self.lines.len()];
        let mut at = Some(self.newest(parents)?);
        while let Some(line) = at {
            if on[line] {
                return None;
            }
            on[line] = true;
            at = parents[line];
        }
        Some(on)
    }

    /// The newest line of those that follow the one that the CLI named last.
    fn newest(&self, parents: &[Option<usize>]) -> Option<usize> {
        let named = self.leaf.and_then(|leaf| self.known.get(&leaf).copied());
        let Some(named) = named else {
            return self
                .lines
                .iter()
                .rposition(|it| it.kind != LineKind::Outside);
        };
        let mut follows = vec![false; self.lines.len()];
        for at in named..self.lines.len() {
            follows[at] = at == named || parents[at].is_some_and(|parent| follows[parent]);
        }
        follows.iter().rposition(|follows| *follows)
    }
}

/// A longer transcript is lines from there on as it stands.
const MOST_LINES: usize = 500_000;
