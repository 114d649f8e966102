//! Requests of ours to the CLI, and who waits for their answers.

use std::time::Duration;

use attache::json::Raw;
use attache::{Error, Reply, v1};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Session;

/// Who waits for an answer of the CLI.
#[derive(Debug)]
pub(super) enum Waiting {
    Mode(String, Reply<v1::SetSessionModeResponse>),
    Option(String, String, Reply<v1::SetSessionConfigOptionResponse>),
    /// Whoever has set something, or nobody: the turn does not end before it is known what is set.
    Settings(Option<Reply<v1::SetSessionConfigOptionResponse>>),
    Stop(Reply<Raw>),
    /// The turn, which is to end.
    Interrupt,
    Nobody,
}

impl Waiting {
    pub(super) fn fail(self, error: Error) {
        match self {
            Waiting::Mode(_, reply) => reply.fail(error),
            Waiting::Option(_, _, reply) => reply.fail(error),
            Waiting::Settings(Some(reply)) => reply.fail(error),
            Waiting::Stop(reply) => reply.fail(error),
            Waiting::Settings(None) | Waiting::Interrupt | Waiting::Nobody => {}
        }
    }
}

/// One request under way.
#[derive(Debug)]
pub(super) struct Request {
    waiting: Waiting,
    deadline: Instant,
}

impl Session {
    /// Asks the CLI something.
    pub(super) async fn ask_cli(&mut self, request: Value, waiting: Waiting) {
        if let Err(error) = self.wake_again().await {
            return waiting.fail(error);
        }
        self.send_request(request, waiting).await;
    }

    pub(super) async fn send_request(&mut self, request: Value, waiting: Waiting) {
        self.requests += 1;
        let id = format!("attache-{}", self.requests);
        let frame = frame(&id, request);
        let deadline = Instant::now() + PATIENCE;
        self.waiting.insert(id, Request { waiting, deadline });
        self.say(&frame).await;
    }
}

impl Request {
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the turn is to end only when it is answered.
    pub(super) fn holds_turn(&self) -> bool {
        matches!(self.waiting, Waiting::Settings(None))
    }

    pub(super) fn into_waiting(self) -> Waiting {
        self.waiting
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
