//! What cannot be translated without loss: the one table, of which `docs/dialects.md` shows a copy.

mod bridge;
mod draft;
mod legacy;
mod pharo;

use std::fmt;

use super::Dialect;

/// Something that a translation loses or has to guess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The peer's dialect.
    pub dialect: Dialect,
    /// The method, member or type it concerns.
    pub element: &'static str,
    /// On which way it is lost.
    pub direction: Direction,
    /// What happens to it.
    pub what: &'static str,
}

/// The way of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the peer's shape to the official one.
    Reading,
    /// From the official shape to the peer's.
    Writing,
    /// Either way.
    Both,
}

/// All losses, by dialect.
pub fn all() -> impl Iterator<Item = &'static Loss> {
    [legacy::ROWS, bridge::ROWS, draft::ROWS, pharo::ROWS]
        .into_iter()
        .flatten()
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Reading => "reading",
            Direction::Writing => "writing",
            Direction::Both => "both",
        })
    }
}
