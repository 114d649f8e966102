//! Errors in scripts.

use thiserror::Error;

use super::SourceLocation;

/// A place in a script that cannot be parsed or played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
#[non_exhaustive]
pub struct ScriptError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, in characters, counted from 1.
    pub column: usize,
    /// The text that was expected there.
    pub expected: String,
    /// The text that was found there.
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
