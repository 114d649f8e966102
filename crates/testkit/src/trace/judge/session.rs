//! What only a sequence of messages in one session can break.

use attache_rpc::Error;
use attache_rpc::json::from_str;
use attache_schema::call::ClientRequest;
use attache_schema::rules::{Compactions, Plans, Replays, ToolCalls, Turns, Violation};
use attache_schema::v1;

#[derive(Default)]
pub(super) struct Session {
    tool_calls: ToolCalls,
    plans: Plans,
    compactions: Compactions,
    turns: Turns,
    replays: Replays,
}

/// The session whose sequence a request belongs to.
pub(super) fn of(request: &ClientRequest) -> Option<&v1::SessionId> {
    match request {
        ClientRequest::Prompt(request) => Some(&request.session_id),
        ClientRequest::LoadSession(request) => Some(&request.session_id),
        ClientRequest::ResumeSession(request) => Some(&request.session_id),
        _ => None,
    }
}

impl Session {
    pub(super) fn asked(&mut self, request: &ClientRequest) {
        match request {
            ClientRequest::Prompt(_) => self.turns.prompt(),
            // What is told once more is no news, and belongs to no turn of this connection.
            ClientRequest::LoadSession(_) => {
                *self = Session::default();
                self.replays.load();
            }
            ClientRequest::ResumeSession(_) => self.replays.resume(),
            _ => {}
        }
    }

    pub(super) fn answered(
        &mut self,
        request: &ClientRequest,
        outcome: Result<&str, &Error>,
    ) -> Vec<Violation> {
        let ClientRequest::Prompt(_) = request else {
            self.replays.answer();
            return Vec::new();
        };
        match outcome.map(from_str::<v1::PromptResponse>) {
            Ok(Ok(answer)) => self.turns.answer(Ok(&answer.stop_reason)),
            // What is wrong with it has been said.
            Ok(Err(_)) => Vec::new(),
            Err(error) => self.turns.answer(Err(error)),
        }
    }

    pub(super) fn cancel(&mut self) {
        self.turns.cancel();
    }

    pub(super) fn release(&mut self, terminal: &v1::TerminalId) {
        self.tool_calls.release(terminal);
    }

    pub(super) fn permission(&self, response: &v1::RequestPermissionResponse) -> Vec<Violation> {
        self.turns.permission(response)
    }

    pub(super) fn update(&mut self, update: &v1::SessionUpdate) -> Vec<Violation> {
        let mut found = self.tool_calls.apply(update);
        found.extend(self.plans.apply(update));
        found.extend(self.compactions.apply(update));
        found.extend(self.turns.update(update));
        found.extend(self.replays.apply(update));
        found
    }
}
