//! Requests of ours to the CLI, and who waits for their answers.

use std::time::Duration;

use attache::json::Raw;
use attache::{Error, Reply, v1};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Session;

/// Who waits for an answer of the CLI.
#[derive(Debug)]
pub(super) enum RequestPurpose {
    SetMode(String, Reply<v1::SetSessionModeResponse>),
    SetOption(String, String, Reply<v1::SetSessionConfigOptionResponse>),
    /// Whoever has set something, or nobody: the turn does not end before it is known what is set.
    ReadSettings(Option<Reply<v1::SetSessionConfigOptionResponse>>),
    StopTask(Reply<Raw>),
    /// The turn, which is to end.
    Interrupt,
    Ignored,
}

impl RequestPurpose {
    pub(super) fn fail(self, error: Error) {
        match self {
            RequestPurpose::SetMode(_, reply) => reply.fail(error),
            RequestPurpose::SetOption(_, _, reply) => reply.fail(error),
            RequestPurpose::ReadSettings(Some(reply)) => reply.fail(error),
            RequestPurpose::StopTask(reply) => reply.fail(error),
            RequestPurpose::ReadSettings(None)
            | RequestPurpose::Interrupt
            | RequestPurpose::Ignored => {}
        }
    }
}

/// One request under way.
#[derive(Debug)]
pub(super) struct CliRequest {
    purpose: RequestPurpose,
    deadline: Instant,
}

impl Session {
    /// Asks the CLI something.
    pub(super) async fn request_cli(&mut self, request: Value, purpose: RequestPurpose) {
        if let Err(error) = self.restart_cli().await {
            return purpose.fail(error);
        }
        self.send_request(request, purpose).await;
    }

    pub(super) async fn send_request(&mut self, request: Value, purpose: RequestPurpose) {
        self.requests += 1;
        let id = format!("attache-{}", self.requests);
        let frame = frame(&id, request);
        let deadline = Instant::now() + PATIENCE;
        self.pending.insert(id, CliRequest { purpose, deadline });
        self.send_frame(&frame).await;
    }
}

impl CliRequest {
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the turn is to end only when it is answered.
    pub(super) fn holds_turn(&self) -> bool {
        matches!(self.purpose, RequestPurpose::ReadSettings(None))
    }

    pub(super) fn into_purpose(self) -> RequestPurpose {
        self.purpose
    }
}

/// The request to stop. What was said in the middle and not taken yet is not wanted either.
pub(super) fn interrupt() -> Value {
    json!({ "subtype": "interrupt", "cancel_queued": true })
}

/// The request to stop what is being done, and to go on with what waits.
pub(super) fn interrupt_now() -> Value {
    json!({ "subtype": "interrupt" })
}

/// A request as the CLI takes it.
pub(super) fn frame(id: &str, request: Value) -> Value {
    json!({ "type": "control_request", "request_id": id, "request": request })
}

const PATIENCE: Duration = Duration::from_secs(30);
