//! Finds the active branch of a transcript. Going back to an earlier prompt starts a new branch, and the CLI keeps all
//! branches in one file in which each line names its parent. The active branch is the one that the CLI would resume,
//! with the results of parallel tool calls beside it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use attache::json::{DecodeError, Reader};

/// An index of all lines of a transcript, in file order.
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
    /// The message id of an answer.
    message: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
enum ParentLink {
    /// The previous line in the file that is part of the conversation.
    Previous,
    None,
    Line(u64),
}

/// The lines of the active branch.
#[derive(Debug)]
pub struct ActiveBranch {
    lines: Vec<bool>,
}

impl ActiveBranch {
    /// Whether the branch contains a line, by its number in the file.
    pub fn contains(&self, line: usize) -> bool {
        // Lines beyond the index belong to the branch.
        self.lines.get(line).is_none_or(|lines| *lines)
    }
}

impl TranscriptIndex {
    /// Adds the next line.
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
            // A repeated line counts once.
            (_, Some(own)) if *self.known.entry(own).or_insert(at) != at => LineKind::Outside,
            (kind, _) => kind,
        };
        IndexedLine {
            kind,
            link,
            message,
        }
    }

    /// Finds the active branch. If parents form a circle, it contains all lines.
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

    /// The parent of each line. A line whose parent is missing follows the previous line in the file.
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

    /// The lines from the newest back to the first; `None` if there is no such path.
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

    /// The newest descendant of the line that the CLI named last.
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

/// The header of a line.
#[derive(Debug, Default, PartialEq)]
struct LineHeader<'a> {
    uuid: Option<Name<'a>>,
    parent: Parent<'a>,
    kind: LineKind,
    /// The model's id of the message.
    message: Option<Name<'a>>,
    /// The line that the CLI names as the newest.
    leaf: Option<Name<'a>>,
}

type Name<'a> = Cow<'a, str>;

/// The parent of a line.
#[derive(Debug, Default, PartialEq)]
enum Parent<'a> {
    /// Not stated: the previous line in the file.
    #[default]
    Implicit,
    /// None: the first line of a conversation.
    None,
    Named(Name<'a>),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// A prompt of the user, or of the CLI on the user's behalf.
    Prompt,
    /// The result of a tool, or other text for the model.
    Note,
    Answer,
    /// Part of the conversation, but never shown.
    Hidden,
    /// Not part of the conversation.
    #[default]
    Outside,
}

impl<'a> LineHeader<'a> {
    /// Reads the header of a line. An unreadable line is not part of the conversation.
    fn of(line: &'a str) -> LineHeader<'a> {
        read(line).unwrap_or_default()
    }
}

fn read(line: &str) -> Result<LineHeader<'_>, DecodeError> {
    let mut reader = Reader::new(line);
    let mut header = LineHeader::default();
    let (mut kind, mut message, mut logical) = (Name::default(), "", None);
    let (mut is_aside, mut is_own, mut is_boundary, mut is_output) = Default::default();
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "type" => kind = reader.string()?,
            "subtype" => {
                let subtype = name(&mut reader)?.unwrap_or_default();
                is_boundary |= subtype == BOUNDARY;
                is_output |= subtype == OUTPUT;
            }
            "uuid" => header.uuid = name(&mut reader)?,
            "parentUuid" => {
                header.parent = name(&mut reader)?.map_or(Parent::None, Parent::Named);
            }
            "logicalParentUuid" => logical = name(&mut reader)?,
            "leafUuid" => header.leaf = name(&mut reader)?,
            "isSidechain" => is_aside = reader.skip()? == "true",
            "isMeta" => is_own |= reader.skip()? == "true",
            "isCompactSummary" => is_boundary |= reader.skip()? == "true",
            "message" => message = reader.skip()?,
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    reader.end()?;
    // After a compaction the model starts over, but the user's conversation continues.
    header.parent = match (header.parent, logical) {
        (Parent::None, Some(before)) => Parent::Named(before),
        (Parent::None, None) if is_boundary => Parent::Implicit,
        (parent, _) => parent,
    };
    header.kind = match &*kind {
        _ if is_aside => LineKind::Outside,
        "user" if is_own => LineKind::Hidden,
        "user" if is_boundary || message.contains(RESULT) => LineKind::Note,
        "user" => LineKind::Prompt,
        "assistant" => LineKind::Answer,
        "system" if is_output => LineKind::Note,
        _ if header.uuid.is_none() => LineKind::Outside,
        _ => LineKind::Hidden,
    };
    if header.kind == LineKind::Answer {
        header.message = message_id(message).ok().flatten();
    }
    if &*kind != LEAF {
        header.leaf = None;
    }
    Ok(header)
}

fn message_id(message: &str) -> Result<Option<Name<'_>>, DecodeError> {
    let mut reader = Reader::new(message);
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "id" => return name(&mut reader),
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    Ok(None)
}

/// A string; `None` for any other value.
fn name<'a>(reader: &mut Reader<'a>) -> Result<Option<Name<'a>>, DecodeError> {
    match reader.kind()? {
        attache::json::ValueKind::String => reader.string().map(Some),
        _ => reader.skip().map(|_| None),
    }
}

/// Maximum lines in the index.
const MOST_LINES: usize = 500_000;
const BOUNDARY: &str = "compact_boundary";
const OUTPUT: &str = "local_command";
const LEAF: &str = "last-prompt";
/// Marks the result of a tool call. In the text of a prompt the quotes would be escaped.
const RESULT: &str = "\"tool_result\"";
