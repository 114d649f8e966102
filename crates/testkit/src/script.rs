//! Scripts: conversations as text. `docs/scripts.md` describes the format.

mod cursor;
mod error;
mod line;
mod parse;
mod suffix;
mod validate;

use std::fmt;
use std::time::Duration;

use crate::Side;
use crate::pattern::Pattern;

pub(crate) use cursor::Cursor;
pub use error::ScriptError;

/// A script of a conversation.
///
/// ```
/// use attache_testkit::Script;
///
/// let script = Script::parse(r#"-> initialize {"protocolVersion":1}"#)?;
/// assert_eq!(script.lines(), 1);
/// let wrong = Script::parse("-> initialize {\"protocolVersion\"}").unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "line 1, column 33: expected `:` after a member's name, found `}`"
/// );
/// # Ok::<(), attache_testkit::ScriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Script {
    text: String,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
pub(crate) enum Block {
    Step(Step),
    Repeat(usize, Vec<Step>),
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Line(ScriptLine),
    /// Threads of lines: each thread is in order, but lines of different threads may interleave.
    AnyOrder(Vec<Vec<ScriptLine>>),
    /// No side sends anything for this long.
    Quiet(SourceLocation, Duration),
    /// The deadline of the following lines.
    Within(Duration),
    /// Any messages are accepted from here on.
    Anything(SourceLocation),
}

/// The location of a block, and its text.
#[derive(Debug, Clone)]
pub(crate) struct SourceLocation {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// A line that one side sends.
#[derive(Debug, Clone)]
pub(crate) struct ScriptLine {
    pub(crate) location: SourceLocation,
    pub(crate) from: Side,
    pub(crate) content: LineContent,
    pub(crate) times: Repetition,
    pub(crate) within: Option<Duration>,
}

#[derive(Debug, Clone)]
pub(crate) enum LineContent {
    Request {
        method: String,
        label: Option<String>,
        id: Option<Pattern>,
        params: Option<Pattern>,
    },
    Notification {
        method: String,
        params: Option<Pattern>,
    },
    Response(RequestRef, Pattern),
    Failure(RequestRef, Pattern),
    Raw(String),
    Close,
}

/// The request that a response belongs to.
#[derive(Debug, Clone)]
pub(crate) enum RequestRef {
    /// The oldest open request without a label.
    Oldest,
    /// The oldest open request with this label.
    Labelled(String),
    /// The request with this id.
    Id(Pattern),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    Exactly(usize),
    /// Any number of times, including zero. When this side is played, the line is sent once.
    Any,
}

impl Script {
    /// Parses a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script = Script {
            text: text.to_owned(),
            blocks: parse::blocks(text)?,
        };
        validate::responses(&script)?;
        Ok(script)
    }

    /// Checks that a side can be played: the script defines everything that the side has to send.
    pub fn check_playable(&self, side: Side) -> Result<(), ScriptError> {
        validate::playable(self, side)
    }

    /// The number of lines that are messages.
    pub fn lines(&self) -> usize {
        self.all_lines().count()
    }

    /// All lines, in the order of the text.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = &ScriptLine> {
        let steps = self.blocks.iter().flat_map(|block| match block {
            Block::Step(step) => std::slice::from_ref(step),
            Block::Repeat(_, steps) => steps,
        });
        steps.flat_map(Step::lines)
    }
}

impl Step {
    pub(crate) fn lines(&self) -> Box<dyn Iterator<Item = &ScriptLine> + '_> {
        match self {
            Step::Line(line) => Box::new(std::iter::once(line)),
            Step::AnyOrder(threads) => Box::new(threads.iter().flatten()),
            Step::Quiet(..) | Step::Within(_) | Step::Anything(_) => Box::new(std::iter::empty()),
        }
    }
}

impl Block {
    /// The side that sends the first line.
    pub(crate) fn speaker(&self) -> Option<Side> {
        let step = match self {
            Block::Step(step) => Some(step),
            Block::Repeat(_, steps) => steps.first(),
        };
        step?.lines().next().map(|line| line.from)
    }
}

impl RequestRef {
    /// The label of a request, or of a response that refers to a request by label or order.
    pub(crate) fn label(&self) -> Option<&str> {
        match self {
            RequestRef::Labelled(label) => Some(label),
            RequestRef::Oldest | RequestRef::Id(_) => None,
        }
    }
}

impl ScriptLine {
    /// The patterns of the line, in order.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let (id, payload) = match &self.content {
            LineContent::Request { id, params, .. } => (id.as_ref(), params.as_ref()),
            LineContent::Notification { params, .. } => (None, params.as_ref()),
            LineContent::Response(request, payload) | LineContent::Failure(request, payload) => {
                let id = match request {
                    RequestRef::Id(id) => Some(id),
                    RequestRef::Oldest | RequestRef::Labelled(_) => None,
                };
                (id, Some(payload))
            }
            LineContent::Raw(_) | LineContent::Close => (None, None),
        };
        id.into_iter().chain(payload)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
