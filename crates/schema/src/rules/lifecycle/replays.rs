//! Checks the updates that arrive while a session is loaded or resumed, before the response.

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::SessionUpdate;

/// Checks the updates that a session sends while it is loaded or resumed.
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
    /// Call it when the client has sent `session/load`.
    pub fn load(&mut self) {
        self.0 = ReplayState::Loading;
    }

    /// Call it when the client has sent `session/resume`.
    pub fn resume(&mut self) {
        self.0 = ReplayState::Resuming;
    }

    /// Call it when the agent has responded to either.
    pub fn finish(&mut self) {
        self.0 = ReplayState::Idle;
    }

    /// Checks the next update of the session.
    pub fn apply(&self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        match self.0 {
            ReplayState::Loading if matches!(update, SessionUpdate::Notice(_)) => {
                // The notice may be new; nothing distinguishes it from a replayed one.
                let message =
                    "a notice is sent while the session is loaded; do not replay old ones";
                found.hint(rule!("57"), Level::Observed, &at.member("update"), message);
            }
            ReplayState::Resuming if is_history(update) => {
                let message =
                    "history is replayed before the response; respond without replaying it";
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
