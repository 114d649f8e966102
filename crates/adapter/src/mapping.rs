//! Translates frames of the CLI into actions for the session. It does no I/O and reads no clock, so tests can compare
//! whole conversations as text.

mod messages;
mod tool_calls;

use std::collections::{HashMap, VecDeque};

use attache::schema::error;
use attache::{Error, v1};
use serde_json::{Value, json};

use crate::frames::{
    CanUseTool, CliState, Compaction, ControlResponse, Elicitation, Frame, Message, MessageEvent,
    TaskEnd, TokenUsage, TurnResult,
};
use crate::tools::TaskPlan;
use crate::{permission, prompt, settings};
use messages::StreamingMessage;
use tool_calls::ToolCalls;

/// An action for the session to carry out.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionAction {
    /// Send this update to the client.
    Update(v1::SessionUpdate),
    /// Ask the user for permission.
    AskPermission(Box<CanUseTool>),
    /// Ask the user on behalf of an MCP server.
    Elicit(Box<Elicitation>),
    /// The user is done with the page of an MCP server.
    CompleteElicitation {
        /// The server's name.
        server: String,
        /// The server's id for the elicitation.
        id: String,
    },
    /// Withdraw the request to the user that has this id.
    WithdrawRequest(String),
    /// Send this frame to the CLI.
    SendFrame(Value),
    /// Handle the response to one of our requests.
    SettleRequest {
        /// The request id.
        id: String,
        /// The response.
        response: ControlResponse,
    },
    /// The CLI has accepted the prompt with this id.
    AcceptPrompt(String),
    /// Read the settings again, because they may have changed.
    RefreshSettings,
    /// End the turn once the CLI is idle.
    EndTurn(TurnEnd),
    /// Record the CLI's state.
    SetState(CliState),
    /// Expect a shell command to start.
    ExpectCommand {
        /// The tool call.
        tool_call: String,
        /// The command line.
        command: String,
    },
}

/// Capabilities of the client that affect the mapping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisplaySupport {
    /// Terminals that the agent runs: `_meta.terminal_output`.
    pub terminals: bool,
    /// The status of a compaction.
    pub compaction: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// The stop reason, or the failure.
    pub reason: Result<v1::StopReason, CliFailure>,
    /// Tokens used since the start of the turn or since its previous result: a turn may have several.
    pub tokens: Option<TokenUsage>,
}

/// Why the CLI could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CliFailure {
    /// The CLI has no login.
    #[error("log in with `attache claude --login`, or set ANTHROPIC_API_KEY")]
    LoggedOut,
    /// The CLI does not know the session.
    #[error("unknown session")]
    NoSession,
    /// Any other failure, in the CLI's own text.
    #[error("{0}")]
    Other(String),
}

impl CliFailure {
    /// Converts the failure to an error for the client.
    pub fn to_error(&self, session: &v1::SessionId) -> Error {
        match self {
            CliFailure::LoggedOut => auth_required(),
            CliFailure::NoSession => error::session_not_found(session),
            CliFailure::Other(words) => error::internal(words),
        }
    }
}

/// The error when the CLI has no login.
pub fn auth_required() -> Error {
    let mut error = error::auth_required();
    error.message = format!("{}: {}", error.message, CliFailure::LoggedOut);
    error
}

/// The translation for one session.
#[derive(Debug, Default)]
pub struct Mapping {
    display: DisplaySupport,
    /// Messages being streamed, by the tool call of the subagent that sends them.
    streaming: HashMap<Option<String>, StreamingMessage>,
    /// Messages whose deltas were sent, newest last.
    streamed: VecDeque<String>,
    /// The current message and the number of its blocks so far, by the tool call of the subagent.
    blocks: HashMap<Option<String>, (String, u64)>,
    calls: ToolCalls,
    tasks: TaskPlan,
    mode: Option<String>,
    /// The model of the latest turn.
    model: Option<String>,
    context: Option<TokenUsage>,
    compactions: u64,
    /// Frames with the CLI's own text, newest last.
    local: VecDeque<String>,
}

impl Mapping {
    /// A translation for a client with this display support.
    pub fn new(display: DisplaySupport) -> Mapping {
        Mapping {
            display,
            ..Mapping::default()
        }
    }

    /// The permission mode, once it is known.
    pub fn mode(&self) -> Option<&str> {
        self.mode.as_deref()
    }

    /// Records a mode that we set, so that the CLI's confirmation is not sent to the client again.
    pub fn set_mode(&mut self, mode: &str) {
        self.mode = Some(mode.to_owned());
    }

    /// Translates a frame.
    pub fn apply(&mut self, frame: Frame) -> Vec<SessionAction> {
        let mut actions = Vec::new();
        match frame {
            Frame::State(state) => actions.push(SessionAction::SetState(state)),
            Frame::TurnStarted { mode, model } => {
                // The settings were read when the CLI started; from then on a different model is a change.
                if self.model.is_some() && self.model != model {
                    actions.push(SessionAction::RefreshSettings);
                }
                self.model = model;
                if let Some(mode) = mode {
                    self.change_mode(mode, &mut actions);
                }
            }
            Frame::Mode(mode) => self.change_mode(mode, &mut actions),
            Frame::Commands(list) => {
                let update = settings::commands(&list);
                actions.push(SessionAction::Update(
                    v1::SessionUpdate::AvailableCommandsUpdate(update),
                ));
            }
            Frame::Compaction(step) => self.compaction(step, &mut actions),
            Frame::LocalOutput(text) => {
                let output = prompt::local_output(&text);
                let is_other = output.is_none() && prompt::is_markup(&text);
                if !is_other {
                    self.push_local_output(output.unwrap_or(&text), &mut actions);
                }
            }
            Frame::TaskStarted { id, tool_use_id } => self.calls.set_task(&tool_use_id, id),
            Frame::TaskEnded(end) => self.end_task(end, &mut actions),
            Frame::PromptAccepted(uuid) => actions.push(SessionAction::AcceptPrompt(uuid)),
            Frame::Stream { parent, event } => self.stream(parent, event, &mut actions),
            Frame::Assistant(message) => self.assistant(message, &mut actions),
            Frame::User(message) => self.user(message, &mut actions),
            Frame::Result(outcome) => self.end(&outcome, &mut actions),
            Frame::CanUseTool(question) => self.request_permission(*question, &mut actions),
            Frame::Elicitation(asked) => actions.push(SessionAction::Elicit(asked)),
            Frame::ElicitationComplete { server, id } => {
                actions.push(SessionAction::CompleteElicitation { server, id })
            }
            Frame::Dialog(id) => {
                actions.push(SessionAction::SendFrame(permission::cancel_dialog(&id)))
            }
            Frame::UnsupportedRequest { id, subtype } => {
                actions.push(SessionAction::SendFrame(unsupported_request(&id, &subtype)))
            }
            Frame::RequestCancelled(id) => actions.push(SessionAction::WithdrawRequest(id)),
            Frame::ControlResponse { id, response } => {
                actions.push(SessionAction::SettleRequest { id, response })
            }
            Frame::Other => {}
        }
        actions
    }

    /// Translates a prompt from a transcript.
    pub fn replay_prompt(&mut self, message: &Message) -> Vec<SessionAction> {
        let mut actions = Vec::new();
        self.push_prompt(message, &mut actions);
        actions
    }

    /// The task id of a tool call.
    pub fn task_of(&self, tool_call: &str) -> Option<&str> {
        self.calls.task_of(tool_call)
    }

    /// Marks a tool call whose output was sent while it runs, so that it is not sent again at the end.
    pub fn mark_live(&mut self, tool_call: &str) {
        self.calls.mark_live(tool_call);
    }

    /// Whether a tool call has returned and keeps running in the background.
    pub fn is_in_background(&self, tool_call: &str) -> bool {
        self.calls.is_in_background(tool_call)
    }

    /// Records the whole output of a tool call's command: its size, and its last part to show.
    pub fn set_command_output(&mut self, tool_call: &str, size: u64, end: String) {
        self.calls.set_command_output(tool_call, size, end);
    }

    /// Whether a tool call runs in the background.
    pub fn has_background(&self) -> bool {
        self.calls.has_background()
    }

    /// Fails all open tool calls, because the CLI is gone.
    pub fn fail_open_calls(&mut self) -> Vec<SessionAction> {
        self.streaming.clear();
        self.calls.fail_open(self.display)
    }

    fn end_task(&mut self, end: TaskEnd, actions: &mut Vec<SessionAction>) {
        // A subagent sends nothing after its end.
        self.streaming.remove(&Some(end.tool_use_id.clone()));
        self.calls.end(end, self.display, actions);
    }

    fn end(&mut self, outcome: &TurnResult, actions: &mut Vec<SessionAction>) {
        if let (Some(context), Some(window)) = (self.context, outcome.window) {
            let mut update = v1::UsageUpdate::new(context.total(), window);
            if let Some(cost) = outcome.cost {
                update = update.cost(v1::Cost::new(cost, "USD"));
            }
            actions.push(SessionAction::Update(v1::SessionUpdate::UsageUpdate(
                update,
            )));
        }
        self.calls.fail_incomplete(self.display, actions);
        if outcome.is_local {
            actions.push(SessionAction::RefreshSettings);
        }
        actions.push(SessionAction::EndTurn(TurnEnd {
            reason: reason(outcome),
            tokens: outcome.tokens,
        }));
    }

    fn change_mode(&mut self, mode: String, actions: &mut Vec<SessionAction>) {
        if self.mode.as_ref() != Some(&mode) {
            let update = v1::CurrentModeUpdate::new(mode.as_str());
            actions.push(SessionAction::Update(v1::SessionUpdate::CurrentModeUpdate(
                update,
            )));
            self.mode = Some(mode);
        }
    }

    fn compaction(&mut self, step: Compaction, actions: &mut Vec<SessionAction>) {
        if step == Compaction::Started {
            self.compactions += 1;
        }
        if !self.display.compaction {
            return;
        }
        let status = match step {
            Compaction::Started => v1::CompactionStatus::InProgress,
            Compaction::Completed => v1::CompactionStatus::Completed,
            Compaction::Failed => v1::CompactionStatus::Failed,
        };
        let id = format!("compaction-{}", self.compactions);
        let update = v1::CompactionUpdate::new(id, status);
        actions.push(SessionAction::Update(v1::SessionUpdate::CompactionUpdate(
            update,
        )));
    }

    fn request_permission(&mut self, question: CanUseTool, actions: &mut Vec<SessionAction>) {
        // Usually the call is known already, but a call without a message is not.
        self.calls.update(
            &question.tool_use_id,
            &question.tool,
            &question.input,
            None,
            self.display,
            actions,
        );
        actions.push(SessionAction::AskPermission(Box::new(question)));
    }

    fn stream(
        &mut self,
        parent: Option<String>,
        event: MessageEvent,
        actions: &mut Vec<SessionAction>,
    ) {
        match &event {
            MessageEvent::Start { id, tokens } => {
                self.remember(id);
                self.count(&parent, *tokens);
            }
            MessageEvent::Usage(tokens) if parent.is_none() => {
                let context = self.context.get_or_insert_default();
                context.output = context.output.max(tokens.output);
            }
            MessageEvent::Usage(_)
            | MessageEvent::BlockStart { .. }
            | MessageEvent::BlockDelta { .. }
            | MessageEvent::BlockEnd(_)
            | MessageEvent::Other => {}
        }
        let message = self.streaming.entry(parent.clone()).or_default();
        message.apply(
            event,
            parent.as_deref(),
            self.display,
            &mut self.calls,
            actions,
        );
    }

    /// Updates the context size. Subagents have their own context, which is not counted.
    fn count(&mut self, parent: &Option<String>, tokens: Option<TokenUsage>) {
        if parent.is_none() && tokens.is_some_and(|tokens| tokens.total() > 0) {
            self.context = tokens;
        }
    }

    fn remember(&mut self, id: &str) {
        if self.streamed.len() == MAX_STREAMED {
            self.streamed.pop_front();
        }
        self.streamed.push_back(id.to_owned());
    }
}

fn reason(outcome: &TurnResult) -> Result<v1::StopReason, CliFailure> {
    let terminal = outcome.terminal_reason.as_deref().unwrap_or_default();
    match outcome.subtype.as_str() {
        _ if terminal.starts_with("aborted") => return Ok(v1::StopReason::Cancelled),
        "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries" => {
            return Ok(v1::StopReason::MaxTurnRequests);
        }
        "cancelled" => return Ok(v1::StopReason::Cancelled),
        "max_tokens" => return Ok(v1::StopReason::MaxTokens),
        _ => {}
    }
    if is_logged_out(outcome) {
        return Err(CliFailure::LoggedOut);
    }
    match outcome.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => Ok(v1::StopReason::MaxTokens),
        Some("refusal") => Ok(v1::StopReason::Refusal),
        _ if outcome.is_error => Err(failure(outcome)),
        _ => Ok(v1::StopReason::EndTurn),
    }
}

fn is_logged_out(outcome: &TurnResult) -> bool {
    let says_so = |text: &str| text.contains("Please run /login");
    says_so(&outcome.result)
        || outcome.errors.iter().any(|error| says_so(error))
        || outcome.is_error && outcome.api_error.as_deref() == Some("authentication_error")
}

fn failure(outcome: &TurnResult) -> CliFailure {
    let words = match outcome.errors.is_empty() {
        true => outcome.result.clone(),
        false => outcome.errors.join("; "),
    };
    match words.is_empty() {
        _ if words.contains("No conversation found") => CliFailure::NoSession,
        true => CliFailure::Other(format!("the CLI ended the turn with {}", outcome.subtype)),
        false => CliFailure::Other(words),
    }
}

pub(crate) fn usage(tokens: TokenUsage) -> v1::Usage {
    v1::Usage::new(tokens.total(), tokens.input, tokens.output)
        .cached_read_tokens(tokens.cache_read)
        .cached_write_tokens(tokens.cache_written)
}

fn unsupported_request(id: &str, subtype: &str) -> Value {
    let error = format!("{subtype} is not served here");
    json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": id, "error": error },
    })
}

/// Blocks follow soon after their deltas, but messages of several subagents interleave.
const MAX_STREAMED: usize = 64;
