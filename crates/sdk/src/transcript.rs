//! What a session has said and done, folded from its updates: for screens, printers, replays and exports alike.
//!
//! It starts no task and stores nothing: whoever needs it again applies the same updates again.

mod apply;
mod blocks;
mod change;
mod compaction;
mod entry;
mod log;
mod message;
mod name;
mod plans;
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

/// One session, as far as it has come: entries in the order in which they began, and the present state beside them.
///
/// [`apply`](Self::apply) takes the updates, [`begin_turn`](Self::begin_turn) and [`end_turn`](Self::end_turn) what
/// the client itself knows of a turn. Each says what it touched, so that a screen redraws no more than that.
///
/// Entries are numbered from 0 and keep their numbers. When they hold more bytes than the limit, the oldest are
/// dropped; [`dropped`](Self::dropped) counts them.
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

/// What a transcript no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DroppedCounts {
    /// Entries that are gone; this is also the number of the first entry that is left.
    pub entries: usize,
    /// Bytes of the entries that are gone, and of those that lost a part.
    pub bytes: usize,
    /// Plans with an id that are gone without the agent's having removed them.
    pub plans: usize,
}

impl Transcript {
    /// How many bytes the entries may hold unless the program says otherwise.
    pub const DEFAULT_LIMIT: usize = 64 * 1024 * 1024;

    /// An empty transcript with the default limit.
    pub fn new() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }

    /// An empty transcript whose entries may hold so many bytes.
    ///
    /// The state is apart: it is one update of each sort, and a fixed number of plans with an id.
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
