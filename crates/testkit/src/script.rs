//! A conversation as text that people read and write; `docs/scripts.md` describes it.

mod cursor;
mod error;
mod line;
mod parse;
mod review;
mod suffix;

use std::fmt;
use std::time::Duration;

use crate::Side;
use crate::pattern::Pattern;

pub(crate) use cursor::Cursor;
pub use error::ScriptError;

/// A conversation, as it is to be.
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
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Scene(Scene),
    Repeat(usize, Vec<Scene>),
}

#[derive(Debug, Clone)]
pub(crate) enum Scene {
    Line(Line),
    /// Threads, each of which is said in order while the threads are said in any.
    AnyOrder(Vec<Vec<Line>>),
    /// Nobody says anything for so long.
    Quiet(Place, Duration),
    /// How long to wait from here on.
    Within(Duration),
    /// Whatever is said from here on is fine.
    Anything(Place),
}

/// Where a step stands, and its text.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// What one side says.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) place: Place,
    pub(crate) from: Side,
    pub(crate) saying: Saying,
    pub(crate) times: Times,
    pub(crate) within: Option<Duration>,
}

#[derive(Debug, Clone)]
pub(crate) enum Saying {
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
    Answer(Question, Pattern),
    Refusal(Question, Pattern),
    Raw(String),
    Close,
}

/// Which request is answered.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// The oldest open one that has no label.
    Oldest,
    /// The oldest open one of that label.
    Labelled(String),
    /// Whatever has that id.
    Id(Pattern),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    Exactly(usize),
    /// Any number, none too. Who says it says it once.
    Any,
}

impl Script {
    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script = Script {
            text: text.to_owned(),
            steps: parse::steps(text)?,
        };
        review::questions(&script)?;
        Ok(script)
    }

    /// Whether a side can be played: whether everything it is to say is said in full.
    pub fn check_playable(&self, side: Side) -> Result<(), ScriptError> {
        review::playable(self, side)
    }

    /// The number of lines that say something.
    pub fn lines(&self) -> usize {
        self.all_lines().count()
    }

    /// Every line, in the order of the text.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = &Line> {
        let scenes = self.steps.iter().flat_map(|step| match step {
            Step::Scene(scene) => std::slice::from_ref(scene),
            Step::Repeat(_, scenes) => scenes,
        });
        scenes.flat_map(Scene::lines)
    }
}

impl Scene {
    pub(crate) fn lines(&self) -> Box<dyn Iterator<Item = &Line> + '_> {
        match self {
            Scene::Line(line) => Box::new(std::iter::once(line)),
            Scene::AnyOrder(threads) => Box::new(threads.iter().flatten()),
            Scene::Quiet(..) | Scene::Within(_) | Scene::Anything(_) => {
                Box::new(std::iter::empty())
            }
        }
    }
}

impl Step {
    /// Who says the first line.
    pub(crate) fn speaker(&self) -> Option<Side> {
        let scene = match self {
            Step::Scene(scene) => Some(scene),
            Step::Repeat(_, scenes) => scenes.first(),
        };
        scene?.lines().next().map(|line| line.from)
    }
}

impl Question {
    /// The label, for those that are found by it or by their order.
    pub(crate) fn label(&self) -> Option<&str> {
        match self {
            Question::Labelled(label) => Some(label),
            Question::Oldest | Question::Id(_) => None,
        }
    }
}

impl Line {
    /// The patterns of the line, in order.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let (id, payload) = match &self.saying {
            Saying::Request { id, params, .. } => (id.as_ref(), params.as_ref()),
            Saying::Notification { params, .. } => (None, params.as_ref()),
            Saying::Answer(question, payload) | Saying::Refusal(question, payload) => {
                let id = match question {
                    Question::Id(id) => Some(id),
                    Question::Oldest | Question::Labelled(_) => None,
                };
                (id, Some(payload))
            }
            Saying::Raw(_) | Saying::Close => (None, None),
        };
        id.into_iter().chain(payload)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
