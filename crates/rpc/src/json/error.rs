//! Errors of the JSON reader. They describe the problem and its position, and never repeat the text.

use std::fmt;

/// Why JSON text could not be decoded, with the path of the invalid value. Never contains text of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(Box<ErrorDetails>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ErrorDetails {
    problem: Problem,
    offset: usize,
    // Innermost first: each caller adds its step.
    steps: Vec<PathStep>,
}

/// One step of a path into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// A member of an object, by a name that the decoder expects.
    Member(&'static str),
    /// An item of an array, or a member of a map with arbitrary names, by its position.
    Index(usize),
}

/// The problem with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The value has the wrong type. Contains the expected type, for people, and the actual type.
    Expected(&'static str, ValueKind),
    /// A required member is missing.
    Missing,
    /// The value has the right type but is not valid. Contains the reason.
    Unfit(&'static str),
    /// The text is not JSON. Contains the reason.
    Syntax(&'static str),
    /// The text ends in the middle of a value.
    Truncated,
    /// Objects and arrays are nested deeper than allowed, which is never more than [`MAX_DEPTH`](super::MAX_DEPTH).
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
    /// Creates an error at a byte offset of the text, with an empty path.
    #[cold]
    pub fn new(problem: Problem, offset: usize) -> Self {
        DecodeError(Box::new(ErrorDetails {
            problem,
            offset,
            steps: Vec::new(),
        }))
    }

    /// Prepends the name of a member to the path: the error is now relative to the object with that member.
    #[cold]
    #[must_use]
    pub fn within(mut self, member: &'static str) -> Self {
        self.0.steps.push(PathStep::Member(member));
        self
    }

    /// Prepends the index of an item to the path: the error is now relative to the array or map with that item.
    #[cold]
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.0.steps.push(PathStep::Index(index));
        self
    }

    /// The problem with the value.
    pub fn problem(&self) -> Problem {
        self.0.problem
    }

    /// The byte offset in the text at which the error was detected.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Whether the text is not valid JSON, as opposed to valid JSON of an unexpected shape.
    pub fn is_syntax(&self) -> bool {
        matches!(
            self.0.problem,
            Problem::Syntax(_) | Problem::Truncated | Problem::TooDeep | Problem::NotUtf8
        )
    }

    /// The path to the invalid value, such as `params.prompt[0].text`. Empty for the outermost value.
    pub fn path_text(&self) -> String {
        PathDisplay(&self.0.steps).to_string()
    }

    /// The path to the invalid value, outermost step first.
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
    /// A name of the problem for programs. It does not change between versions.
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
