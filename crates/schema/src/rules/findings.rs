//! The result of a check: the violations of a message, each with its position.

use std::fmt;

use attache_rpc::json;

use super::{Level, Rule};

/// A rule that a message violates, where, and what to do about it. The text never repeats data from the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The violated rule.
    pub rule: &'static Rule,
    /// Severity: the level of the rule, or a lower one if the message only suggests a violation.
    pub level: Level,
    /// The method and the path of the value, such as `session/new params.cwd`.
    pub path: String,
    /// Description of the violation, and how to fix it.
    pub message: String,
}

impl Violation {
    /// A violation at the level of the rule.
    pub fn new(rule: &'static Rule, path: impl Into<String>, message: impl Into<String>) -> Self {
        Violation {
            rule,
            level: rule.level,
            path: path.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, message) = (&self.path, &self.message);
        let (number, level) = (self.rule.number, self.level);
        write!(f, "{path}: {message} (rule {number}, {level})")
    }
}

/// The violations in one message, at most [`MOST_VIOLATIONS`].
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Violation>);

impl Findings {
    /// Reports a violation at the level of the rule.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        self.hint(rule, rule.level, at, message);
    }

    /// Reports a violation at a lower level, because it is uncertain or common.
    pub(super) fn hint(
        &mut self,
        rule: &'static Rule,
        level: Level,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        if self.0.len() < MOST_VIOLATIONS {
            self.0.push(Violation {
                rule,
                level,
                path: at.to_string(),
                message: message.into(),
            });
        }
    }

    /// Reports a value that does not match the schema.
    pub(super) fn unreadable(&mut self, at: &MessagePath<'_>, fault: &json::DecodeError) {
        let message = format!("does not match the schema: {fault}");
        self.add(rule!("B6"), at, message);
    }

    pub(super) fn into_list(self) -> Vec<Violation> {
        self.0
    }
}

/// The path from a message to a value in it. It is formatted only when there is a violation.
#[derive(Debug, Clone, Copy)]
pub(super) enum MessagePath<'a> {
    /// A part of the message: method, and `params`, `result` or `error`.
    Part(&'a str, &'static str),
    /// A member of an object.
    Member(&'a MessagePath<'a>, &'a str),
    /// An item of an array, or a member of a map whose names come from the input.
    Item(&'a MessagePath<'a>, usize),
}

impl<'a> MessagePath<'a> {
    pub(super) fn params(method: &'a str) -> Self {
        MessagePath::Part(method, "params")
    }

    pub(super) fn result(method: &'a str) -> Self {
        MessagePath::Part(method, "result")
    }

    pub(super) fn error(method: &'a str) -> Self {
        MessagePath::Part(method, "error")
    }

    pub(super) fn member(&'a self, name: &'a str) -> Self {
        MessagePath::Member(self, name)
    }

    pub(super) fn item(&'a self, index: usize) -> Self {
        MessagePath::Item(self, index)
    }
}

impl fmt::Display for MessagePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessagePath::Part(method, part) => write!(f, "{method} {part}"),
            MessagePath::Member(outer, name) => write!(f, "{outer}.{name}"),
            MessagePath::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}

const MOST_VIOLATIONS: usize = 100;
