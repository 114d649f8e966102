//! The changes that an update makes to a transcript.

use std::ops::Range;

/// The change that an update made to a transcript, so that a screen knows what to redraw.
///
/// The entry may already be dropped if it alone exceeds the limit of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nothing has changed.
    Nothing,
    /// A new entry was added, with this number.
    Added(usize),
    /// Content was appended to an entry.
    Appended {
        /// Number of the entry.
        entry: usize,
        /// Index of the content block that is new or has grown; always the last one.
        block: usize,
        /// Range of the new bytes in the block's text; empty if the block is not text.
        text: Range<usize>,
    },
    /// The entry with this number has changed in another way.
    Changed(usize),
    /// This part of the state has changed.
    State(StatePart),
}

/// A part of the current state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatePart {
    /// The plan, see [`plan`](super::Transcript::plan).
    Plan,
    /// The plans with an id, see [`plans`](super::Transcript::plans).
    Plans,
    /// The slash commands, see [`commands`](super::Transcript::commands).
    Commands,
    /// The mode, see [`mode`](super::Transcript::mode).
    Mode,
    /// The config options, see [`config`](super::Transcript::config).
    Config,
    /// The session's [`title`](super::Transcript::title) and time of the last
    /// [update](super::Transcript::updated_at).
    Info,
    /// Tokens and cost, see [`usage`](super::Transcript::usage).
    Usage,
}

impl Change {
    /// Number of the entry that has changed; `None` if no entry has.
    pub fn entry(&self) -> Option<usize> {
        match self {
            Change::Added(entry) | Change::Changed(entry) | Change::Appended { entry, .. } => {
                Some(*entry)
            }
            Change::Nothing | Change::State(_) => None,
        }
    }
}
