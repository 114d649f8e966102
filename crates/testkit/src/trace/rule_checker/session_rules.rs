//! The rules about sequences of messages in one session.

use attache_rpc::Error;
use attache_rpc::json::from_str;
use attache_schema::call::ClientRequest;
use attache_schema::rules::{Compactions, Plans, Replays, ToolCalls, Turns, Violation};
use attache_schema::v1;

#[derive(Default)]
pub(super) struct SessionRules {
    tool_calls: ToolCalls,
    plans: Plans,
    compactions: Compactions,
    turns: Turns,
    replays: Replays,
}

/// The session that a request belongs to.
pub(super) fn session_id(request: &ClientRequest) -> Option<&v1::SessionId> {
    match request {
        ClientRequest::Prompt(request) => Some(&request.session_id),
        ClientRequest::LoadSession(request) => Some(&request.session_id),
        ClientRequest::ResumeSession(request) => Some(&request.session_id),
        _ => None,
    }
}

impl SessionRules {
    pub(super) fn request(&mut self, request: &ClientRequest) {
        match request {
            ClientRequest::Prompt(_) => self.turns.prompt(),
            // Replayed updates are not new, and belong to no turn of this connection.
            ClientRequest::LoadSession(_) => {
                *self = SessionRules::default();
                self.replays.load();
            }
            ClientRequest::ResumeSession(_) => self.replays.resume(),
            _ => {}
        }
    }

    pub(super) fn response(
        &mut self,
        request: &ClientRequest,
        response: Result<&str, &Error>,
    ) -> Vec<Violation> {
        let ClientRequest::Prompt(_) = request else {
            self.replays.finish();
            return Vec::new();
        };
        match response.map(from_str::<v1::PromptResponse>) {
            Ok(Ok(answer)) => self.turns.prompt_response(Ok(&answer.stop_reason)),
            // The violation has already been reported.
            Ok(Err(_)) => Vec::new(),
            Err(error) => self.turns.prompt_response(Err(error)),
        }
    }

    pub(super) fn cancel(&mut self) {
        self.turns.cancel();
    }

    pub(super) fn release(&mut self, terminal: &v1::TerminalId) {
        self.tool_calls.release(terminal);
    }

    pub(super) fn permission(&self, response: &v1::RequestPermissionResponse) -> Vec<Violation> {
        self.turns.permission_response(response)
    }

    pub(super) fn update(&mut self, update: &v1::SessionUpdate) -> Vec<Violation> {
        let mut found = self.tool_calls.apply(update);
        found.extend(self.plans.apply(update));
        found.extend(self.compactions.apply(update));
        found.extend(self.turns.apply(update));
        found.extend(self.replays.apply(update));
        found
    }
}
