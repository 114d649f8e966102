//! A place in a message, written out only when something is wrong there.

use std::fmt;

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
