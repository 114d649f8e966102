//! The result of a check: the violations of a message, each with its position.

use std::fmt;

use attache_rpc::json;

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

/// The violations of one message; more than [`MOST`] are not kept.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Violation>);

impl Findings {
    /// The rule is broken at that place.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        self.hint(rule, rule.level, at, message);
    }

    /// The rule seems to be broken, or it is common to break it: the finding weighs less than the rule.
    pub(super) fn hint(
        &mut self,
        rule: &'static Rule,
        level: Level,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        if self.0.len() < MOST {
            self.0.push(Violation {
                rule,
                level,
                path: at.to_string(),
                message: message.into(),
            });
        }
    }

    /// The value at that place cannot be read.
    pub(super) fn unreadable(&mut self, at: &MessagePath<'_>, fault: &json::Error) {
        let message = format!("does not fit the schema: {fault}");
        self.add(rule!("B6"), at, message);
    }

    pub(super) fn into_list(self) -> Vec<Violation> {
        self.0
    }
}

/// The way from a message to a value in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum MessagePath<'a> {
    /// A part of the message: `params`, `result` or `error`.
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

const MOST: usize = 100;
