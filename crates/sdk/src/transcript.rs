//! The content and state of a session, folded from its updates, for screens, printers, replays and exports.
//!
//! A transcript starts no task and writes nothing to disk. To rebuild it, apply the same updates again.

mod apply;
mod blocks;
mod change;
mod compaction;
mod entry;
mod log;
mod message;
mod read;
mod state;
mod subagent;
#[cfg(test)]
mod tests;
mod tool_call;
mod turn;
mod weight;

pub use blocks::ContentBlocks;
pub use change::{Change, StatePart};
pub use compaction::CompactionEntry;
pub use entry::{Entry, EntryKind};
pub use message::{MessageEntry, MessageKind};
pub use subagent::{SessionMessageEntry, SubagentEntry};
pub use tool_call::ToolCallEntry;
pub use turn::{TurnEnd, TurnOutcome};

use log::EntryLog;
use state::State;

/// The transcript of one session: its entries in the order in which they started, and its current state.
///
/// Pass session updates to [`apply`](Self::apply), and report turns with [`begin_turn`](Self::begin_turn) and
/// [`end_turn`](Self::end_turn). Each returns what changed, so that a screen redraws only that.
///
/// Entries are numbered from 0 and keep their numbers. When they exceed the limit in bytes, the oldest are dropped;
/// [`dropped`](Self::dropped) counts them.
///
/// ```
/// use attache::transcript::{Change, Transcript};
/// use attache_schema::v1;
///
/// let mut transcript = Transcript::new();
/// transcript.begin_turn(vec!["What is two and two?".into()]);
/// let piece = |text: &str| v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(text));
/// assert_eq!(transcript.apply(piece("Fo")), Change::Added(1));
/// let change = transcript.apply(piece("ur"));
/// assert_eq!(change, Change::Appended { entry: 1, block: 0, text: 2..4 });
/// transcript.end_turn(v1::StopReason::EndTurn);
/// assert_eq!(transcript.text(), "Four");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    log: EntryLog,
    state: State,
}

/// Counters of what a transcript has dropped to stay within its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DroppedCounts {
    /// Dropped entries; this is also the number of the first remaining entry.
    pub entries: usize,
    /// Bytes of dropped entries, and of the dropped parts of others.
    pub bytes: usize,
    /// Plans with an id that were dropped without being removed by the agent.
    pub plans: usize,
}

impl Transcript {
    /// Default limit for the size of all entries, in bytes.
    pub const DEFAULT_LIMIT: usize = 64 * 1024 * 1024;

    /// Creates an empty transcript with the default limit.
    pub fn new() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }

    /// Creates an empty transcript with this limit for the size of all entries, in bytes.
    ///
    /// The state does not count: it is one update of each kind and a fixed number of plans with an id.
    pub fn with_limit(bytes: usize) -> Self {
        Transcript {
            log: EntryLog::with_limit(bytes),
            state: State::default(),
        }
    }
}

impl Default for Transcript {
    fn default() -> Self {
        Self::new()
    }
}
