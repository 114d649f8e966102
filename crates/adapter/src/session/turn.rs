//! Turns: one prompt at a time, the others wait. A turn ends when the CLI is idle again.

use std::time::Duration;

use attache::schema::error;
use attache::{Error, Reply, v1};
use tokio::time::Instant;

use super::cli_requests::{self, CliRequest, RequestPurpose};
use super::{CliState, Session};
use crate::frames::{ControlResponse, Frame, TokenUsage};
use crate::mapping::{self, TurnEnd};
use crate::prompt;

/// The running turn.
#[derive(Debug)]
pub(super) struct Turn {
    reply: Reply<v1::PromptResponse>,
    uuid: String,
    /// Ids of steering messages that the CLI has not accepted yet. Each of them gets its own result.
    steered: Vec<String>,
    /// Whether the CLI has accepted this prompt, so that results belong to it.
    is_accepted: bool,
    end: Option<TurnEnd>,
    tokens: Option<TokenUsage>,
    reports_states: bool,
    interrupted_at: Option<Instant>,
    /// Whether the CLI has responded to the interrupt.
    interrupt_answered: bool,
    /// Whether the CLI has dropped the prompt before starting on it.
    is_dropped: bool,
}

impl Turn {
    /// The CLI has accepted a message. Returns whether it must be interrupted.
    fn accept(&mut self, uuid: &str) -> bool {
        self.is_accepted |= self.uuid == uuid;
        let waiting = self.steered.len();
        self.steered.retain(|steered| steered != uuid);
        let is_steered = self.steered.len() < waiting;
        if is_steered {
            self.end = None;
        }
        is_steered && self.interrupted_at.is_some()
    }

    /// Adds a steering message; false if too many are waiting.
    pub(super) fn add_steering(&mut self, uuid: String) -> bool {
        let has_room = self.steered.len() < MAX_QUEUED;
        if has_room {
            self.steered.push(uuid);
        }
        has_room
    }

    pub(super) fn record_end(&mut self, end: TurnEnd) {
        if !self.is_accepted {
            return;
        }
        if let Some(tokens) = end.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(tokens));
        }
        self.end = Some(end);
    }

    pub(super) fn set_reports_states(&mut self) {
        self.reports_states = true;
    }

    /// The CLI has responded to the interrupt and named the prompts that it drops.
    pub(super) fn interrupt_answered(&mut self, response: &ControlResponse) {
        self.interrupt_answered = self.interrupted_at.is_some();
        if let ControlResponse::Success(response) = response {
            let mut dropped = response["cancelled"].as_array().into_iter().flatten();
            self.is_dropped |= dropped.any(|uuid| *uuid == self.uuid);
        }
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.is_dropped
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interrupted_at.map(|at| at + INTERRUPT_TIMEOUT)
    }

    pub(super) fn fail(self, error: Error) {
        self.reply.fail(error);
    }

    pub(super) fn into_reply(self) -> Reply<v1::PromptResponse> {
        self.reply
    }
}

/// Waits until the client cancels the turn.
pub(super) async fn cancelled(turn: Option<&Turn>) {
    match turn {
        Some(turn) if turn.interrupted_at.is_none() => turn.reply.cancelled().await,
        _ => std::future::pending().await,
    }
}

impl Session {
    pub(super) async fn queue_prompt(
        &mut self,
        request: v1::PromptRequest,
        reply: Reply<v1::PromptResponse>,
    ) {
        if let Some(why) = prompt::unsupported_reason(&request.prompt) {
            return reply.fail(error::unusable_params(why));
        }
        if self.queue.len() == MAX_QUEUED {
            let words = "too many prompts are waiting";
            return reply.fail(error::invalid_request("busy", words));
        }
        self.queue.push_back((request, reply));
        self.start_next_turn().await;
    }

    /// Starts the next turn if none is running.
    pub(super) async fn start_next_turn(&mut self) {
        while self.turn.is_none() {
            let Some((request, reply)) = self.queue.pop_front() else {
                return;
            };
            if reply.is_cancelled() {
                reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
                continue;
            }
            if self.is_clear_command(&request.prompt) {
                let update = v1::ContentChunk::new(prompt::NO_CLEAR);
                self.send_update(v1::SessionUpdate::AgentMessageChunk(update))
                    .await;
                reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                continue;
            }
            let restarted = tokio::select! {
                restarted = self.restart_cli() => Some(restarted),
                () = reply.cancelled() => None,
            };
            match restarted {
                Some(Ok(())) => self.start_turn(&request.prompt, reply).await,
                Some(Err(error)) if !*self.closing.borrow() => reply.fail(error),
                _ => reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled)),
            }
        }
    }

    /// Whether a prompt is the built-in command to clear the session, not a command of the user with the same name.
    pub(super) fn is_clear_command(&self, content: &[v1::ContentBlock]) -> bool {
        prompt::clear_command(content).is_some_and(|name| !self.settings.has_command(name))
    }

    async fn start_turn(&mut self, content: &[v1::ContentBlock], reply: Reply<v1::PromptResponse>) {
        let uuid = match uuid() {
            Ok(uuid) => uuid,
            Err(failed) => return reply.fail(error::internal(&failed.to_string())),
        };
        if !self.is_titled
            && let Some(title) = prompt::title(content)
        {
            self.is_titled = true;
            let update = v1::SessionInfoUpdate::new().title(title);
            self.send_update(v1::SessionUpdate::SessionInfoUpdate(update))
                .await;
        }
        let frame = prompt::user_frame(content, &uuid);
        self.turn = Some(Turn {
            reply,
            uuid,
            steered: Vec::new(),
            // While the CLI is busy with something else, its results do not belong to this turn.
            is_accepted: self.state == CliState::Idle,
            end: None,
            tokens: None,
            reports_states: false,
            interrupted_at: None,
            interrupt_answered: false,
            is_dropped: false,
        });
        self.was_prompted = true;
        Box::pin(self.send_frame(&frame)).await;
    }

    /// Ends the turn if its result has arrived and the CLI is idle.
    pub(super) async fn end_turn_if_done(&mut self) {
        let idle = self.state == CliState::Idle;
        let is_held = self.pending.values().any(CliRequest::holds_turn);
        let is_over = |turn: &mut Turn| {
            let is_said = turn.steered.is_empty() || turn.interrupted_at.is_some();
            let is_done = turn.end.is_some() && is_said && (idle || !turn.reports_states);
            let has_ended = is_done && (!is_held || turn.interrupted_at.is_some());
            // A prompt that the CLI drops before starting on it has no result.
            has_ended || turn.is_dropped || turn.interrupt_answered && idle
        };
        let Some(mut turn) = self.turn.take_if(is_over) else {
            return;
        };
        self.cancelled_steering.append(&mut turn.steered);
        let surplus = self.cancelled_steering.len().saturating_sub(MAX_QUEUED);
        self.cancelled_steering.drain(..surplus);
        let usage = turn.tokens.map(mapping::usage);
        let reason = match (turn.end, turn.interrupted_at) {
            (Some(end), None) => end.reason,
            _ => Ok(v1::StopReason::Cancelled),
        };
        match reason {
            Ok(reason) => {
                let response = v1::PromptResponse::new(reason);
                turn.reply.ok(with_usage(response, usage));
            }
            Err(failure) => turn.reply.fail(failure.to_error(self.client.id())),
        }
        Box::pin(self.start_next_turn()).await;
    }

    pub(super) async fn interrupt(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.interrupted_at = Some(Instant::now());
            self.request_cli(cli_requests::interrupt(), RequestPurpose::Interrupt)
                .await;
        }
    }

    /// The CLI has accepted a message. A message that was cancelled before must be interrupted now.
    pub(super) async fn accept_prompt(&mut self, uuid: &str) {
        let late = self.cancelled_steering.iter().position(|it| it == uuid);
        let mut is_unwanted = late.map(|at| self.cancelled_steering.remove(at)).is_some();
        if let Some(turn) = &mut self.turn {
            is_unwanted |= turn.accept(uuid);
        }
        if is_unwanted {
            // Keep a queued prompt that was not cancelled.
            let is_wanted = |turn: &Turn| turn.interrupted_at.is_none();
            let request = match self.turn.as_ref().is_some_and(is_wanted) {
                true => cli_requests::interrupt_now(),
                false => cli_requests::interrupt(),
            };
            Box::pin(self.send_request(request, RequestPurpose::Interrupt)).await;
        }
    }

    /// Interrupts the CLI. If only its input were closed, it would keep working.
    pub(super) async fn interrupt_before_close(&mut self) {
        let is_busy = self.turn.is_some() || self.state != CliState::Idle;
        let Some(cli) = self.cli.as_mut().filter(|_| is_busy) else {
            return;
        };
        let stopped = async {
            let request = cli_requests::frame(CLOSE_INTERRUPT_ID, cli_requests::interrupt());
            cli.send(&request).await.ok()?;
            let (mut is_answered, mut is_idle) = (false, false);
            while !(is_answered && is_idle) {
                match cli.next_frame().await? {
                    Frame::ControlResponse { id, .. } if id == CLOSE_INTERRUPT_ID => {
                        is_answered = true
                    }
                    Frame::State(state) => is_idle = state == CliState::Idle,
                    Frame::ControlResponse { .. }
                    | Frame::TurnStarted { .. }
                    | Frame::Mode(_)
                    | Frame::Commands(_)
                    | Frame::Compaction(_)
                    | Frame::LocalOutput(_)
                    | Frame::TaskStarted { .. }
                    | Frame::TaskEnded(_)
                    | Frame::PromptAccepted(_)
                    | Frame::Stream { .. }
                    | Frame::Assistant(_)
                    | Frame::User(_)
                    | Frame::Result(_)
                    | Frame::CanUseTool(_)
                    | Frame::Elicitation(_)
                    | Frame::ElicitationComplete { .. }
                    | Frame::Dialog(_)
                    | Frame::UnsupportedRequest { .. }
                    | Frame::RequestCancelled(_)
                    | Frame::Other => {}
                }
            }
            Some(())
        };
        // A CLI that does not respond is stopped anyway.
        tokio::time::timeout(CLOSE_TIMEOUT, stopped).await.ok();
    }

    /// Kills a CLI that does not react to an interrupt. The next prompt starts another.
    pub(super) async fn kill_hanging_cli(&mut self) {
        if let Some(cli) = self.cli.take() {
            cli.kill().await;
        }
        self.pending.clear();
        self.reset_cli_state().await;
        if let Some(turn) = self.turn.take() {
            turn.reply
                .ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
        }
        self.start_next_turn().await;
    }
}

fn with_usage(response: v1::PromptResponse, usage: Option<v1::Usage>) -> v1::PromptResponse {
    match usage {
        Some(usage) => response.usage(usage),
        None => response,
    }
}

/// A random UUID.
pub(crate) fn uuid() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    Ok(parts.join("-"))
}

/// How long the CLI may take to become idle after an interrupt.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);
/// The same before closing the session.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const CLOSE_INTERRUPT_ID: &str = "attache-hush";
const MAX_QUEUED: usize = 32;
