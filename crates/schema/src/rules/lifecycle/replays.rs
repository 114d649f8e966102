//! What is sent while a session is loaded or resumed, before the answer.

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::SessionUpdate;

/// The taking up of a stored session.
#[derive(Debug, Clone, Default)]
pub struct Replays(ReplayState);

#[derive(Debug, Clone, Copy, Default)]
enum ReplayState {
    #[default]
    Idle,
    Loading,
    Resuming,
}

impl Replays {
    /// The client has sent `session/load`.
    pub fn load(&mut self) {
        self.0 = ReplayState::Loading;
    }

    /// The client has sent `session/resume`.
    pub fn resume(&mut self) {
        self.0 = ReplayState::Resuming;
    }

    /// The agent has answered either.
    pub fn finish(&mut self) {
        self.0 = ReplayState::Idle;
    }

    /// The next update of the session.
    pub fn apply(&self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        match self.0 {
            ReplayState::Loading if matches!(update, SessionUpdate::Notice(_)) => {
                // It may be a new one, which nothing tells from an old one.
                let message = "a notice comes while the session is loaded; leave old ones out";
                found.hint(rule!("57"), Level::Observed, &at.member("update"), message);
            }
            ReplayState::Resuming if is_history(update) => {
                let message = "history is sent while the session is resumed; answer first";
                found.add(rule!("59"), &at.member("update"), message);
            }
            _ => {}
        }
        found.into_list()
    }
}

fn is_history(update: &SessionUpdate) -> bool {
    matches!(
        update,
        SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
    )
}
