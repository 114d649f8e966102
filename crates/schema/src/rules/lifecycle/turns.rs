//! Turns: prompted, perhaps cancelled, answered.

use attache_rpc::Error;

use crate::rules::{Findings, Level, Place, Violation};
use crate::v1::{RequestPermissionOutcome, RequestPermissionResponse, SessionUpdate, StopReason};

/// The turns of a session. Its events are those of one side in the order of that side: seen from elsewhere, an answer
/// can have crossed the cancel on its way, and then the agent is not to blame.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    state: State,
    /// Prompts that have not been answered: a client may send one while a turn is running.
    waiting: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// No turn yet.
    #[default]
    Fresh,
    Running,
    Cancelled,
    /// A turn has been answered.
    Over,
    /// A cancelled turn has been answered.
    CancelledAndOver,
}

impl Turns {
    /// The client has sent a prompt.
    pub fn prompt(&mut self) {
        self.state = State::Running;
        self.waiting += 1;
    }

    /// The client has cancelled; without a turn that means nothing.
    pub fn cancel(&mut self) {
        if self.state == State::Running {
            self.state = State::Cancelled;
        }
    }

    /// The agent has sent an update.
    pub fn update(&self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let rule = rule!("108");
        let level = match self.state {
            State::CancelledAndOver => rule.level,
            // Some agents go on in the background; nobody has forbidden it.
            State::Over => Level::Observed,
            State::Fresh | State::Running | State::Cancelled => return Vec::new(),
        };
        if belongs_to_turn(update) {
            let at = Place::params("session/update");
            let message = "the turn has been answered; send its updates before the answer";
            found.hint(rule, level, &at.member("update"), message);
        }
        found.into_list()
    }

    /// The client has answered a question for permission.
    pub fn permission(&self, response: &RequestPermissionResponse) -> Vec<Violation> {
        let mut found = Findings::default();
        if self.state == State::Cancelled
            && !matches!(response.outcome, RequestPermissionOutcome::Cancelled)
        {
            let at = Place::result("session/request_permission");
            let message = "the turn has been cancelled; answer with the outcome cancelled";
            found.add(rule!("104"), &at.member("outcome"), message);
        }
        found.into_list()
    }

    /// The agent has answered the prompt.
    pub fn answer(&mut self, outcome: Result<&StopReason, &Error>) -> Vec<Violation> {
        let mut found = Findings::default();
        self.waiting = self.waiting.saturating_sub(1);
        let is_last = self.waiting == 0;
        if self.state != State::Cancelled {
            if is_last {
                self.state = State::Over;
            }
            return found.into_list();
        }
        if is_last {
            self.state = State::CancelledAndOver;
        }
        match outcome {
            Ok(StopReason::Cancelled) => {}
            Ok(_) => {
                let at = Place::result("session/prompt");
                let message = "the turn was cancelled; respond with the stop reason `cancelled`";
                found.add(rule!("106"), &at.member("stopReason"), message);
            }
            Err(_) => {
                let at = Place::error("session/prompt");
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
