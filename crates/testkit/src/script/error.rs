//! Why a text is no script.

use thiserror::Error;

use super::SourceLocation;

/// A location in a script that cannot be read, or cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct ScriptError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, in characters, counted from 1.
    pub column: usize,
    /// What was expected there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl SourceLocation {
    pub(super) fn wrong(&self, expected: &str) -> ScriptError {
        ScriptError {
            line: self.line,
            column: self.column,
            expected: expected.to_owned(),
            found: format!("`{}`", self.text),
        }
    }
}
