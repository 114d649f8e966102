//! The lifecycle of turns: prompt, perhaps `session/cancel`, response.

use attache_rpc::Error;

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::{RequestPermissionOutcome, RequestPermissionResponse, SessionUpdate, StopReason};

/// Checks the turns of a session. Report events in the order in which the agent sees them: from the client's side, a
/// response may cross `session/cancel` on the way, which is not the agent's fault.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    state: TurnState,
    /// Prompts without a response. A client may send one while a turn is running.
    open_prompts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TurnState {
    /// No turn yet.
    #[default]
    NotStarted,
    Running,
    Cancelled,
    /// The prompt has its response.
    Ended,
    /// The cancelled prompt has its response.
    EndedAfterCancel,
}

impl Turns {
    /// Call it when the client has sent a prompt.
    pub fn prompt(&mut self) {
        self.state = TurnState::Running;
        self.open_prompts += 1;
    }

    /// Call it when the client has sent `session/cancel`. Without a running turn it has no effect.
    pub fn cancel(&mut self) {
        if self.state == TurnState::Running {
            self.state = TurnState::Cancelled;
        }
    }

    /// Checks an update from the agent.
    pub fn apply(&self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let rule = rule!("108");
        let level = match self.state {
            TurnState::EndedAfterCancel => rule.level,
            // Some agents go on in the background, which the specification does not forbid.
            TurnState::Ended => Level::Observed,
            TurnState::NotStarted | TurnState::Running | TurnState::Cancelled => return Vec::new(),
        };
        if belongs_to_turn(update) {
            let at = MessagePath::params("session/update");
            let message = "the prompt has its response; send updates of the turn before it";
            found.hint(rule, level, &at.member("update"), message);
        }
        found.into_list()
    }

    /// Checks the client's response to a permission request.
    pub fn permission_response(&self, response: &RequestPermissionResponse) -> Vec<Violation> {
        let mut found = Findings::default();
        if self.state == TurnState::Cancelled
            && !matches!(response.outcome, RequestPermissionOutcome::Cancelled)
        {
            let at = MessagePath::result("session/request_permission");
            let message = "the turn has been cancelled; answer with the outcome cancelled";
            found.add(rule!("104"), &at.member("outcome"), message);
        }
        found.into_list()
    }

    /// Checks the agent's response to the prompt.
    pub fn prompt_response(&mut self, outcome: Result<&StopReason, &Error>) -> Vec<Violation> {
        let mut found = Findings::default();
        self.open_prompts = self.open_prompts.saturating_sub(1);
        let is_last = self.open_prompts == 0;
        if self.state != TurnState::Cancelled {
            if is_last {
                self.state = TurnState::Ended;
            }
            return found.into_list();
        }
        if is_last {
            self.state = TurnState::EndedAfterCancel;
        }
        match outcome {
            Ok(StopReason::Cancelled) => {}
            Ok(_) => {
                let at = MessagePath::result("session/prompt");
                let message = "the turn was cancelled; respond with the stop reason `cancelled`";
                found.add(rule!("106"), &at.member("stopReason"), message);
            }
            Err(_) => {
                let at = MessagePath::error("session/prompt");
                let message = "the turn was cancelled, which is not an error; respond with the stop reason `cancelled`";
                found.add(rule!("107"), &at, message);
            }
        }
        found.into_list()
    }
}

/// Whether an update belongs to a turn. Commands, modes, options, titles and usage may change at any time.
fn belongs_to_turn(update: &SessionUpdate) -> bool {
    matches!(
        update,
        SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::Plan(_)
    )
}
