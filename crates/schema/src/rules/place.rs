//! A place in a message, written out only when something is wrong there.

use std::fmt;

/// The way from a message to a value in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// A part of the message: `params`, `result` or `error`.
    Part(&'a str, &'static str),
    /// A member of an object.
    Member(&'a Place<'a>, &'a str),
    /// An item of an array, or a member of a map whose names come from the input.
    Item(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(super) fn params(method: &'a str) -> Self {
        Place::Part(method, "params")
    }

    pub(super) fn result(method: &'a str) -> Self {
        Place::Part(method, "result")
    }

    pub(super) fn error(method: &'a str) -> Self {
        Place::Part(method, "error")
    }

    pub(super) fn member(&'a self, name: &'a str) -> Self {
        Place::Member(self, name)
    }

    pub(super) fn item(&'a self, index: usize) -> Self {
        Place::Item(self, index)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Part(method, part) => write!(f, "{method} {part}"),
            Place::Member(outer, name) => write!(f, "{outer}.{name}"),
            Place::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}
