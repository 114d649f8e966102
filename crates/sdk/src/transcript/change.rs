//! What an update touched.

use std::ops::Range;

/// What an update touched, and so what a screen has to draw again.
///
/// An entry that is named here can be gone already if it alone is larger than the transcript's limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Nothing,
    /// There is a new entry of this number.
    Added(usize),
    /// An entry has grown at its end.
    Appended {
        /// The entry's number.
        entry: usize,
        /// The content block that is new or has grown, always the last one.
        block: usize,
        /// The bytes of the block's text that are new; empty if the block is no text.
        text: Range<usize>,
    },
    /// The entry of this number has changed in some other way.
    Changed(usize),
    /// A part of the state has changed.
    State(StatePart),
}

/// A part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatePart {
    /// [`plan`](super::Transcript::plan).
    Plan,
    /// [`plans`](super::Transcript::plans).
    Plans,
    /// [`commands`](super::Transcript::commands).
    Commands,
    /// [`mode`](super::Transcript::mode).
    Mode,
    /// [`config`](super::Transcript::config).
    Config,
    /// [`title`](super::Transcript::title) and [`updated_at`](super::Transcript::updated_at).
    Info,
    /// [`usage`](super::Transcript::usage).
    Usage,
}

impl Change {
    /// The number of the entry that was touched, if one was.
    pub fn entry(&self) -> Option<usize> {
        match self {
            Change::Added(entry) | Change::Changed(entry) | Change::Appended { entry, .. } => {
                Some(*entry)
            }
            Change::Nothing | Change::State(_) => None,
        }
    }
}
