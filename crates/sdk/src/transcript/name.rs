//! What an entry is found by when the agent speaks of it again.

use attache_schema::v1;

use super::MessageKind;

/// The id of an entry, with what it is the id of: a thought and a message can have the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum EntryKey {
    Message(MessageKind, v1::MessageId),
    ToolCall(v1::ToolCallId),
    Compaction(v1::CompactionId),
    Subagent(v1::SessionId),
    SessionMessage(v1::MessageId),
}
