//! What a check found.

use std::fmt;

use super::{Level, Rule};

/// A rule that a message breaks: where, and what to do about it. It never repeats what the message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// How much it weighs: as much as the rule, or less where the data only hints at a breach.
    pub level: Level,
    /// The method and the way to the value, such as `session/new params.cwd`.
    pub path: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, message) = (&self.path, &self.message);
        let (number, level) = (self.rule.number, self.level);
        write!(f, "{path}: {message} (rule {number}, {level})")
    }
}
