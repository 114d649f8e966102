//! The lifecycle of compactions: started, summarized in chunks, ended once.

use std::collections::HashMap;

use crate::rules::{Findings, MessagePath, Violation};
use crate::v1::{CompactionId, CompactionStatus, CompactionUpdate, SessionUpdate};

/// Checks the lifecycle of the compactions of a session.
#[derive(Debug, Clone, Default)]
pub struct Compactions(HashMap<CompactionId, CompactionState>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompactionState {
    Running,
    Ended,
}

impl Compactions {
    /// Checks the next update of the session.
    pub fn apply(&mut self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        let at = at.member("update");
        match update {
            SessionUpdate::CompactionUpdate(update) => self.update(update, &at, &mut found),
            SessionUpdate::CompactionSummaryChunk(chunk)
                if self.0.get(&chunk.compaction_id) != Some(&CompactionState::Running) =>
            {
                let message = "the compaction is not running; send chunks while it is";
                found.add(rule!("115"), &at.member("compactionId"), message);
            }
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::Plan(_)
            | SessionUpdate::PlanUpdate(_)
            | SessionUpdate::PlanRemoved(_)
            | SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_)
            | SessionUpdate::Notice(_)
            | SessionUpdate::CompactionSummaryChunk(_)
            | SessionUpdate::SubagentUpdate(_)
            | SessionUpdate::SessionMessage(_)
            | SessionUpdate::SessionMessageChunk(_)
            | SessionUpdate::Other(_) => {}
        }
        found.into_list()
    }

    /// Reports each compaction that never ended. Call it at the end of the session.
    pub fn finish(&self) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        let at = at.member("update");
        for _ in self
            .0
            .values()
            .filter(|state| **state == CompactionState::Running)
        {
            let message = "a compaction has started but not ended; end it with a final status";
            found.add(rule!("115"), &at.member("status"), message);
        }
        found.into_list()
    }

    fn update(&mut self, update: &CompactionUpdate, at: &MessagePath<'_>, found: &mut Findings) {
        if self.0.get(&update.compaction_id) == Some(&CompactionState::Ended) {
            let message = "the compaction has ended; start another one with a new id";
            found.add(rule!("115"), &at.member("status"), message);
            return;
        }
        let state = match update.status {
            CompactionStatus::InProgress => CompactionState::Running,
            CompactionStatus::Completed
            | CompactionStatus::Failed
            | CompactionStatus::Cancelled => CompactionState::Ended,
            CompactionStatus::Other(_) => return,
        };
        self.0.insert(update.compaction_id.clone(), state);
    }
}
