//! Turns: one prompt at a time, others wait. A turn ends when the CLI is idle again, cancelled or not.

use std::time::Duration;

use attache::schema::error;
use attache::{Error, Reply, v1};
use tokio::time::Instant;

use super::control::{self, Request, Waiting};
use super::{Session, State};
use crate::frames::{Answer, Frame, Tokens};
use crate::mapping::{self, Ended};
use crate::prompt;

/// The turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    reply: Reply<v1::PromptResponse>,
    uuid: String,
    /// What was said in its middle and is not taken yet: each has a result of its own.
    steered: Vec<String>,
    /// Whether what the CLI says now is about this prompt.
    taken: bool,
    ended: Option<Ended>,
    tokens: Option<Tokens>,
    knows_states: bool,
    interrupted: Option<Instant>,
    /// Whether the CLI has heard the interrupt.
    is_stopped: bool,
    /// Whether the CLI has dropped the prompt before it began.
    is_dropped: bool,
}

impl Turn {
    /// The CLI has taken something that was said. Whether it is not wanted any more.
    fn is_taken(&mut self, uuid: &str) -> bool {
        self.taken |= self.uuid == uuid;
        let waiting = self.steered.len();
        self.steered.retain(|steered| steered != uuid);
        let is_steered = self.steered.len() < waiting;
        if is_steered {
            self.ended = None;
        }
        is_steered && self.interrupted.is_some()
    }

    /// Something is said in its middle; false if too much waits to be taken.
    pub(super) fn is_steered(&mut self, uuid: String) -> bool {
        let has_room = self.steered.len() < QUEUE;
        if has_room {
            self.steered.push(uuid);
        }
        has_room
    }

    pub(super) fn ended(&mut self, ended: Ended) {
        if !self.taken {
            return;
        }
        if let Some(tokens) = ended.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(tokens));
        }
        self.ended = Some(ended);
    }

    pub(super) fn knows_states(&mut self) {
        self.knows_states = true;
    }

    /// The CLI has answered the interrupt, and named what it will not begin.
    pub(super) fn is_stopped(&mut self, answer: &Answer) {
        self.is_stopped = self.interrupted.is_some();
        if let Answer::Success(answer) = answer {
            let mut dropped = answer["cancelled"].as_array().into_iter().flatten();
            self.is_dropped |= dropped.any(|uuid| *uuid == self.uuid);
        }
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.is_dropped
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interrupted.map(|at| at + HANGING)
    }

    pub(super) fn fail(self, error: Error) {
        self.reply.fail(error);
    }

    pub(super) fn into_reply(self) -> Reply<v1::PromptResponse> {
        self.reply
    }
}

/// Waits until the client no longer wants the turn.
pub(super) async fn cancelled(turn: Option<&Turn>) {
    match turn {
        Some(turn) if turn.interrupted.is_none() => turn.reply.cancelled().await,
        _ => std::future::pending().await,
    }
}

impl Session {
    pub(super) async fn prompted(
        &mut self,
        request: v1::PromptRequest,
        reply: Reply<v1::PromptResponse>,
    ) {
        if let Some(why) = prompt::refusal(&request.prompt) {
            return reply.fail(error::unusable_params(why));
        }
        if self.queue.len() == QUEUE {
            let words = "too many prompts are waiting";
            return reply.fail(error::invalid_request("busy", words));
        }
        self.queue.push_back((request, reply));
        self.next_turn().await;
    }

    /// Begins the next turn if none runs.
    pub(super) async fn next_turn(&mut self) {
        while self.turn.is_none() {
            let Some((request, reply)) = self.queue.pop_front() else {
                return;
            };
            if reply.is_cancelled() {
                reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
                continue;
            }
            if self.would_clear(&request.prompt) {
                let update = v1::ContentChunk::new(prompt::NO_CLEAR);
                self.tell(v1::SessionUpdate::AgentMessageChunk(update))
                    .await;
                reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                continue;
            }
            let woken = tokio::select! {
                woken = self.wake_again() => Some(woken),
                () = reply.cancelled() => None,
            };
            match woken {
                Some(Ok(())) => self.begin(&request.prompt, reply).await,
                Some(Err(error)) if !*self.closing.borrow() => reply.fail(error),
                _ => reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled)),
            }
        }
    }

    /// Whether a prompt is a command to clear the session, and none of the user's own with the same name.
    pub(super) fn would_clear(&self, content: &[v1::ContentBlock]) -> bool {
        prompt::clearing(content).is_some_and(|name| !self.settings.has_command(name))
    }

    async fn begin(&mut self, content: &[v1::ContentBlock], reply: Reply<v1::PromptResponse>) {
        let uuid = match uuid() {
            Ok(uuid) => uuid,
            Err(failed) => return reply.fail(error::internal(&failed.to_string())),
        };
        if !self.is_titled
            && let Some(title) = prompt::title(content)
        {
            self.is_titled = true;
            let update = v1::SessionInfoUpdate::new().title(title);
            self.tell(v1::SessionUpdate::SessionInfoUpdate(update))
                .await;
        }
        let frame = prompt::frame(content, &uuid);
        self.turn = Some(Turn {
            reply,
            uuid,
            steered: Vec::new(),
            // While the CLI works on something else, its results are not ours.
            taken: self.state == State::Idle,
            ended: None,
            tokens: None,
            knows_states: false,
            interrupted: None,
            is_stopped: false,
            is_dropped: false,
        });
        self.has_begun = true;
        Box::pin(self.say(&frame)).await;
    }

    /// Ends the turn if its result is there and the CLI is idle.
    pub(super) async fn settle_turn(&mut self) {
        let idle = self.state == State::Idle;
        let is_held = self.waiting.values().any(Request::holds_turn);
        let is_over = |turn: &mut Turn| {
            let is_said = turn.steered.is_empty() || turn.interrupted.is_some();
            let is_done = turn.ended.is_some() && is_said && (idle || !turn.knows_states);
            let has_ended = is_done && (!is_held || turn.interrupted.is_some());
            // A prompt that the CLI drops before it begins has no result.
            has_ended || turn.is_dropped || turn.is_stopped && idle
        };
        let Some(mut turn) = self.turn.take_if(is_over) else {
            return;
        };
        self.unwanted.append(&mut turn.steered);
        let surplus = self.unwanted.len().saturating_sub(QUEUE);
        self.unwanted.drain(..surplus);
        let usage = turn.tokens.map(mapping::usage);
        let reason = match (turn.ended, turn.interrupted) {
            (Some(ended), None) => ended.reason,
            _ => Ok(v1::StopReason::Cancelled),
        };
        match reason {
            Ok(reason) => {
                let response = v1::PromptResponse::new(reason);
                turn.reply.ok(with_usage(response, usage));
            }
            Err(failure) => turn.reply.fail(failure.to_error(self.client.id())),
        }
        Box::pin(self.next_turn()).await;
    }

    pub(super) async fn interrupt(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.interrupted = Some(Instant::now());
            self.ask_cli(control::interrupt(), Waiting::Interrupt).await;
        }
    }

    /// The CLI has taken something that was said. What it takes after it was interrupted has to be interrupted, too.
    pub(super) async fn has_taken(&mut self, uuid: &str) {
        let late = self.unwanted.iter().position(|it| it == uuid);
        let mut is_unwanted = late.map(|at| self.unwanted.remove(at)).is_some();
        if let Some(turn) = &mut self.turn {
            is_unwanted |= turn.is_taken(uuid);
        }
        if is_unwanted {
            // A prompt that waits behind it is wanted.
            let is_wanted = |turn: &Turn| turn.interrupted.is_none();
            let request = match self.turn.as_ref().is_some_and(is_wanted) {
                true => control::interrupt_now(),
                false => control::interrupt(),
            };
            Box::pin(self.send_request(request, Waiting::Interrupt)).await;
        }
    }

    /// Interrupts what the CLI does. If only its input were closed, it would work on.
    pub(super) async fn hush(&mut self) {
        let is_busy = self.turn.is_some() || self.state != State::Idle;
        let Some(cli) = self.cli.as_mut().filter(|_| is_busy) else {
            return;
        };
        let hushed = async {
            let request = control::frame(HUSH, control::interrupt());
            cli.say(&request).await.ok()?;
            let (mut is_heard, mut is_idle) = (false, false);
            while !(is_heard && is_idle) {
                match cli.hear().await? {
                    Frame::Answered { id, .. } if id == HUSH => is_heard = true,
                    Frame::State(state) => is_idle = state == State::Idle,
                    _ => {}
                }
            }
            Some(())
        };
        // One that does not listen is stopped in any case.
        tokio::time::timeout(HUSHING, hushed).await.ok();
    }

    /// The CLI does not stop by itself. The next prompt starts another.
    pub(super) async fn stop_hanging(&mut self) {
        if let Some(cli) = self.cli.take() {
            cli.cut_off().await;
        }
        self.waiting.clear();
        self.forget_cli().await;
        if let Some(turn) = self.turn.take() {
            turn.reply
                .ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
        }
        self.next_turn().await;
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
const HANGING: Duration = Duration::from_secs(5);
/// The same for a CLI that is to end.
const HUSHING: Duration = Duration::from_secs(1);
const HUSH: &str = "attache-hush";
const QUEUE: usize = 32;
