//! The table of everything that cannot be translated without loss. `docs/dialects.md` shows a copy.

mod bridge;
mod draft;
mod legacy;
mod pharo;

use std::fmt;

use super::Dialect;

/// A detail that a translation loses or has to guess.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// Dialect of the peer.
    pub dialect: Dialect,
    /// The affected method, member or type.
    pub element: &'static str,
    /// Direction in which the detail is lost.
    pub direction: Direction,
    /// Effect on the message.
    pub what: &'static str,
}

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the peer's shape to the official one.
    Reading,
    /// From the official shape to the peer's.
    Writing,
    /// Both directions.
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
