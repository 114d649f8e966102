//! Why a text could not be read: what was wrong and where, never the text itself.

use std::fmt;

/// A failure to read JSON, with the path of the value that did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(Box<ErrorDetails>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ErrorDetails {
    problem: Problem,
    offset: usize,
    // Innermost first: steps are added while the error travels outwards.
    steps: Vec<PathStep>,
}

/// One step of a path into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// A member of an object, by a name that the reader knew beforehand.
    Member(&'static str),
    /// An item of an array, or a member of a map whose names come from the input.
    Index(usize),
}

/// What was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The value has another type than the one asked for.
    Expected(&'static str, ValueKind),
    /// A member that must be there is not.
    Missing,
    /// A value of the right type that cannot be meant.
    Unfit(&'static str),
    /// The text is not JSON.
    Syntax(&'static str),
    /// The text ends in the middle of a value.
    Truncated,
    /// Objects and arrays are nested deeper than allowed, at most [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// The bytes are not UTF-8.
    NotUtf8,
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl DecodeError {
    /// An error at a byte offset of the text, with an empty path.
    #[cold]
    pub fn new(problem: Problem, offset: usize) -> Self {
        DecodeError(Box::new(ErrorDetails {
            problem,
            offset,
            steps: Vec::new(),
        }))
    }

    /// The same error as seen from the object that holds the member.
    #[cold]
    #[must_use]
    pub fn within(mut self, member: &'static str) -> Self {
        self.0.steps.push(PathStep::Member(member));
        self
    }

    /// The same error as seen from the array or map that holds the item.
    #[cold]
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.0.steps.push(PathStep::Index(index));
        self
    }

    /// What was wrong.
    pub fn problem(&self) -> Problem {
        self.0.problem
    }

    /// The byte of the text at which it was noticed.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Whether the text is no JSON at all, as opposed to JSON of another shape.
    pub fn is_syntax(&self) -> bool {
        matches!(
            self.0.problem,
            Problem::Syntax(_) | Problem::Truncated | Problem::TooDeep | Problem::NotUtf8
        )
    }

    /// The way to the value that did not fit, as in `params.prompt[0].text`; empty for the value itself.
    pub fn path_text(&self) -> String {
        PathDisplay(&self.0.steps).to_string()
    }

    /// The way to the value that did not fit, outermost step first.
    pub fn path(&self) -> impl Iterator<Item = &PathStep> {
        self.0.steps.iter().rev()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.steps.is_empty() {
            write!(f, "{}: ", PathDisplay(&self.0.steps))?;
        }
        write!(f, "{}", self.0.problem)
    }
}

/// The steps of a path, innermost first.
struct PathDisplay<'a>(&'a [PathStep]);

impl fmt::Display for PathDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().rev().enumerate() {
            match step {
                PathStep::Member(name) if index > 0 => write!(f, ".{name}")?,
                PathStep::Member(name) => f.write_str(name)?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for DecodeError {}

impl Problem {
    /// A word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Problem::Expected(..) => "wrong_type",
            Problem::Missing => "missing",
            Problem::Unfit(_) => "unfit",
            Problem::Syntax(_) => "not_json",
            Problem::Truncated => "truncated",
            Problem::TooDeep => "too_deep",
            Problem::NotUtf8 => "not_utf8",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Expected(what, found) => write!(f, "expected {what}, found {found}"),
            Problem::Missing => f.write_str("missing"),
            Problem::Unfit(what) => f.write_str(what),
            Problem::Syntax(what) => write!(f, "not JSON: {what}"),
            Problem::Truncated => f.write_str("not JSON: the text ends inside a value"),
            Problem::TooDeep => f.write_str("nested too deep"),
            Problem::NotUtf8 => f.write_str("not UTF-8"),
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueKind::Null => "null",
            ValueKind::Boolean => "a boolean",
            ValueKind::Number => "a number",
            ValueKind::String => "a string",
            ValueKind::Array => "an array",
            ValueKind::Object => "an object",
        })
    }
}
