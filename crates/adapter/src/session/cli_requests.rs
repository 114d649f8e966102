//! Our control requests to the CLI, and what to do with the responses.

use std::time::Duration;

use attache::json::Raw;
use attache::schema::error;
use attache::{Error, Reply, v1};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Session;
use super::turn::Turn;
use crate::frames::ControlResponse;
use crate::settings;

/// The purpose of a control request, with the client request that waits for it.
#[derive(Debug)]
pub(super) enum RequestPurpose {
    SetMode(String, Reply<v1::SetSessionModeResponse>),
    SetOption(String, String, Reply<v1::SetSessionConfigOptionResponse>),
    /// Sent after a change, with the client request that made it. Without one, the turn waits for the response before
    /// it ends.
    ReadSettings(Option<Reply<v1::SetSessionConfigOptionResponse>>),
    StopTask(Reply<Raw>),
    /// Interrupts the turn.
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

/// A pending control request.
#[derive(Debug)]
pub(super) struct CliRequest {
    purpose: RequestPurpose,
    deadline: Instant,
}

impl Session {
    /// Sends a request, after starting the CLI again if necessary.
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

    pub(super) async fn handle_response(&mut self, id: &str, response: ControlResponse) {
        let Some(request) = self.pending.remove(id) else {
            // The echo of one of our responses.
            return;
        };
        match request.into_purpose() {
            RequestPurpose::SetMode(mode, reply) => match response {
                ControlResponse::Success(_) => {
                    self.apply_choice(settings::MODE, &mode).await;
                    reply.ok(v1::SetSessionModeResponse::new());
                }
                ControlResponse::Error(words) => reply.fail(error::unusable_params(&words)),
            },
            RequestPurpose::SetOption(option, value, reply) => match response {
                ControlResponse::Success(_) => {
                    self.apply_choice(&option, &value).await;
                    // The environment may override a setting, and a model brings its own effort.
                    let purpose = RequestPurpose::ReadSettings(Some(reply));
                    Box::pin(self.send_request(settings::get_settings_request(), purpose)).await;
                }
                ControlResponse::Error(words) => reply.fail(error::unusable_params(&words)),
            },
            RequestPurpose::ReadSettings(reply) => {
                let before = self.settings.options();
                if let ControlResponse::Success(settings) = response {
                    self.settings.apply_settings(&settings);
                }
                match reply {
                    Some(reply) => {
                        let options = self.settings.options();
                        reply.ok(v1::SetSessionConfigOptionResponse::new(options));
                    }
                    None => self.send_options_if_changed(&before).await,
                }
                self.end_turn_if_done().await;
            }
            RequestPurpose::StopTask(reply) => match response {
                ControlResponse::Success(_) => reply.ok(Raw::from(json!({}))),
                ControlResponse::Error(words) => reply.fail(error::internal(&words)),
            },
            RequestPurpose::Interrupt => {
                if let Some(turn) = &mut self.turn {
                    turn.interrupt_answered(&response);
                }
                // Otherwise the CLI's next frames end the turn.
                if self.turn.as_ref().is_some_and(Turn::is_dropped) {
                    self.end_turn_if_done().await;
                }
            }
            // The CLI's next frames show the effect.
            RequestPurpose::Ignored => {}
        }
    }

    /// Records a choice. A mode is reported both as a mode and as a config option.
    async fn apply_choice(&mut self, option: &str, value: &str) {
        if option == settings::MODE && self.settings.mode != value {
            self.mapping.set_mode(value);
            let update = v1::CurrentModeUpdate::new(value);
            self.send_update(v1::SessionUpdate::CurrentModeUpdate(update))
                .await;
        }
        self.settings.set_choice(option, value);
    }
}

impl CliRequest {
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the turn must wait for the response.
    pub(super) fn holds_turn(&self) -> bool {
        matches!(self.purpose, RequestPurpose::ReadSettings(None))
    }

    pub(super) fn into_purpose(self) -> RequestPurpose {
        self.purpose
    }
}

/// The request to interrupt everything, including steering messages that were not accepted yet.
pub(super) fn interrupt() -> Value {
    json!({ "subtype": "interrupt", "cancel_queued": true })
}

/// The request to interrupt the current work only and go on with queued messages.
pub(super) fn interrupt_now() -> Value {
    json!({ "subtype": "interrupt" })
}

/// A control request as a frame.
pub(super) fn frame(id: &str, request: Value) -> Value {
    json!({ "type": "control_request", "request_id": id, "request": request })
}

const PATIENCE: Duration = Duration::from_secs(30);
