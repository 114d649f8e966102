//! Turns: prompted, perhaps cancelled, answered.

use attache_rpc::Error;

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::{RequestPermissionOutcome, RequestPermissionResponse, SessionUpdate, StopReason};

/// The turns of a session. Its events are those of one side in the order of that side: seen from elsewhere, an answer
/// can have crossed the cancel on its way, and then the agent is not to blame.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    state: TurnState,
    /// Prompts that have not been answered: a client may send one while a turn is running.
    open_prompts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TurnState {
    /// No turn yet.
    #[default]
    NotStarted,
    Running,
    Cancelled,
    /// A turn has been answered.
    Ended,
    /// A cancelled turn has been answered.
    EndedAfterCancel,
}

impl Turns {
    /// The client has sent a prompt.
    pub fn prompt(&mut self) {
        self.state = TurnState::Running;
        self.open_prompts += 1;
    }

    /// The client has cancelled; without a turn that means nothing.
    pub fn cancel(&mut self) {
        if self.state == TurnState::Running {
            self.state = TurnState::Cancelled;
        }
    }

    /// The agent has sent an update.
    pub fn apply(&self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let rule = rule!("108");
        let level = match self.state {
            TurnState::EndedAfterCancel => rule.level,
            // Some agents go on in the background; nobody has forbidden it.
            TurnState::Ended => Level::Observed,
            TurnState::NotStarted | TurnState::Running | TurnState::Cancelled => return Vec::new(),
        };
        if belongs_to_turn(update) {
            let at = MessagePath::params("session/update");
            let message = "the turn has been answered; send its updates before the answer";
            found.hint(rule, level, &at.member("update"), message);
        }
        found.into_list()
    }

    /// The client has answered a question for permission.
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

    /// The agent has answered the prompt.
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

/// Commands, modes, options, titles and costs can change at any time; what is said and done belongs to a turn.
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
