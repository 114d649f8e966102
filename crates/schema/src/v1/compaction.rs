//! Compaction: the agent shortens the history of a session.

use attache_rpc::json::MaybeUndefined;

use super::ContentBlock;
use crate::Meta;

ids! {
    /// Id of a compaction, chosen by the agent and unique within its session.
    ///
    /// See [Session compaction](https://agentclientprotocol.com/rfds/session-compaction).
    CompactionId
}

fragment! {
    /// A compaction of the session's history started, changed or ended. The first update fixes its place in the
    /// conversation. An omitted member is unchanged, and `null` removes the value. The agent MUST NOT send it unless
    /// the client advertises `session.compaction`.
    ///
    /// See [Session compaction](https://agentclientprotocol.com/rfds/session-compaction).
    pub struct CompactionUpdate {
        /// Id of the compaction.
        compaction_id: CompactionId = "compactionId",
        /// Progress of the compaction. Once started, it MUST end with exactly one of the other statuses.
        status: CompactionStatus = "status",
        ..
        /// Summary that replaces the history, for the user. It replaces the previous summary as a whole.
        summary: MaybeUndefined<Vec<ContentBlock>> = "summary" patch_items,
        /// Why the compaction failed, for the user.
        error: MaybeUndefined<String> = "error" lenient,
        /// Extension data (`_meta`), kept and passed on unchanged. `null` removes it.
        meta: MaybeUndefined<Meta> = "_meta" lenient,
    }
}

message! {
    /// The next part of a compaction's summary. An unknown id starts a compaction. The agent MUST NOT send it
    /// unless the client advertises `session.compaction`.
    ///
    /// See [Session compaction](https://agentclientprotocol.com/rfds/session-compaction).
    pub struct CompactionSummaryChunk {
        /// Id of the compaction.
        compaction_id: CompactionId = "compactionId",
        /// The part.
        content: ContentBlock = "content",
    }
}

open_enum! {
    /// Progress of a compaction.
    ///
    /// See [Session compaction](https://agentclientprotocol.com/rfds/session-compaction).
    pub enum CompactionStatus {
        /// Running.
        InProgress = "in_progress",
        /// Finished successfully.
        Completed = "completed",
        /// Finished with an error.
        Failed = "failed",
        /// Cancelled before it finished.
        Cancelled = "cancelled",
    }
}
