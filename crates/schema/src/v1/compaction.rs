//! Compaction: the agent shortens a session's history.

use attache_rpc::json::Maybe;

use super::ContentBlock;
use crate::Meta;

ids! {
    /// Names one compaction within its session.
    CompactionId
}

fragment! {
    /// How a compaction is going. Absent members are unchanged, `null` clears them.
    pub struct CompactionUpdate {
        /// Which compaction.
        compaction_id: CompactionId = "compactionId",
        /// How far it has come.
        status: CompactionStatus = "status",
        ..
        /// What replaces the history.
        summary: Maybe<Vec<ContentBlock>> = "summary" patch_items,
        /// Why it failed.
        error: Maybe<String> = "error" lenient,
        /// Extension data (`_meta`): kept and passed on as it is.
        meta: Maybe<Meta> = "_meta" lenient,
    }
}

message! {
    /// The next piece of a compaction's summary.
    pub struct CompactionSummaryChunk {
        /// Which compaction.
        compaction_id: CompactionId = "compactionId",
        /// The piece.
        content: ContentBlock = "content",
    }
}

open_enum! {
    /// How far a compaction has come.
    pub enum CompactionStatus {
        /// Running.
        InProgress = "in_progress",
        /// Ended well.
        Completed = "completed",
        /// Ended badly.
        Failed = "failed",
        /// Ended by the person.
        Cancelled = "cancelled",
    }
}
