//! The translation: a frame of the CLI in, what is to be done out. A value without I/O and without a clock, so that
//! whole conversations can be checked as text.

mod markup;
mod messages;
mod partial;
mod tool_calls;
mod turn_end;

use std::collections::{HashMap, VecDeque};

use attache::v1;
use serde_json::{Value, json};

use crate::frames::{
    CanUseTool, CliState, Compaction, ControlResponse, Elicitation, Frame, Message, MessageEvent,
    TaskEnd, TokenUsage,
};
use crate::tools::TaskPlan;
use crate::{permission, settings};
use messages::StreamingMessage;
use tool_calls::ToolCalls;

pub use markup::{is_markup, prompt_text};
pub(crate) use turn_end::usage;
pub use turn_end::{CliFailure, TurnEnd, auth_required};

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionAction {
    /// Tell the client.
    Update(v1::SessionUpdate),
    /// Ask the person.
    AskPermission(Box<CanUseTool>),
    /// Ask the person for an MCP server.
    Elicit(Box<Elicitation>),
    /// The person has dealt with a page of an MCP server.
    CompleteElicitation {
        /// The server.
        server: String,
        /// Its id for the page.
        id: String,
    },
    /// A question is no longer open.
    WithdrawRequest(String),
    /// Say this to the CLI.
    SendFrame(Value),
    /// An answer to a request of ours.
    SettleRequest {
        /// The request.
        id: String,
        /// The answer.
        response: ControlResponse,
    },
    /// A prompt of ours has been taken.
    AcceptPrompt(String),
    /// What is set may have changed.
    RefreshSettings,
    /// The turn has ended, but for what the CLI still does.
    EndTurn(TurnEnd),
    /// What the CLI does has changed.
    SetState(CliState),
    /// A shell command is about to run.
    ExpectCommand {
        /// The tool call.
        tool_call: String,
        /// The command.
        command: String,
    },
}

/// What the client can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisplaySupport {
    /// Terminals that the agent runs: `_meta.terminal_output`.
    pub terminals: bool,
    /// How a compaction goes.
    pub compaction: bool,
}

/// One session's translation.
#[derive(Debug, Default)]
pub struct Mapping {
    display: DisplaySupport,
    /// Messages that come piece by piece, by the subagent that makes them.
    streaming: HashMap<Option<String>, StreamingMessage>,
    /// The messages of which pieces have been told, newest last.
    streamed: VecDeque<String>,
    /// How many blocks have been seen of the message that comes block by block, by the subagent that makes it.
    blocks: HashMap<Option<String>, (String, u64)>,
    calls: ToolCalls,
    tasks: TaskPlan,
    mode: Option<String>,
    /// The model of the last turn.
    model: Option<String>,
    context: Option<TokenUsage>,
    compactions: u64,
    /// The frames in which the CLI has said something by itself, newest last.
    local: VecDeque<String>,
}

impl Mapping {
    /// A translation for a client that display these things.
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

    /// The mode has been set by us: the CLI's word on it is no news.
    pub fn set_mode(&mut self, mode: &str) {
        self.mode = Some(mode.to_owned());
    }

    /// Translates a frame.
    pub fn apply(&mut self, frame: Frame) -> Vec<SessionAction> {
        let mut actions = Vec::new();
        match frame {
            Frame::State(state) => actions.push(SessionAction::SetState(state)),
            Frame::TurnStarted { mode, model } => {
                // It is asked for when a CLI starts; after that a change is news.
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
                let output = markup::local_output(&text);
                let is_other = output.is_none() && is_markup(&text);
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

    /// A prompt as it stands in a transcript, told again.
    pub fn replay_prompt(&mut self, message: &Message) -> Vec<SessionAction> {
        let mut actions = Vec::new();
        self.push_prompt(message, &mut actions);
        actions
    }

    /// The task of the CLI that a tool call runs as.
    pub fn task_of(&self, tool_call: &str) -> Option<&str> {
        self.calls.task_of(tool_call)
    }

    /// The output of a tool call is told while it runs: it is not told again at the end.
    pub fn mark_live(&mut self, tool_call: &str) {
        self.calls.mark_live(tool_call);
    }

    /// Whether a tool call has given back what it had to say, and runs on.
    pub fn is_in_background(&self, tool_call: &str) -> bool {
        self.calls.is_in_background(tool_call)
    }

    /// What the command of a tool call has written in all: its size, and the end of it to be shown.
    pub fn set_command_output(&mut self, tool_call: &str, size: u64, end: String) {
        self.calls.set_command_output(tool_call, size, end);
    }

    /// Whether something runs that no turn waits for.
    pub fn has_background(&self) -> bool {
        self.calls.has_background()
    }

    /// The CLI is gone: what it has begun will not end.
    pub fn fail_open_calls(&mut self) -> Vec<SessionAction> {
        self.streaming.clear();
        self.calls.fail_open(self.display)
    }

    fn end_task(&mut self, end: TaskEnd, actions: &mut Vec<SessionAction>) {
        // A subagent says nothing after its end.
        self.streaming.remove(&Some(end.tool_use_id.clone()));
        self.calls.end(end, self.display, actions);
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
        // The call is known by its input before the question comes, but for one that came in no message.
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
            _ => {}
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

    /// Only what the main model sees counts.
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

fn unsupported_request(id: &str, subtype: &str) -> Value {
    let error = format!("{subtype} is not served here");
    json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": id, "error": error },
    })
}

/// Blocks come soon after their pieces, but messages of multi_select subagents interleave.
const MAX_STREAMED: usize = 64;
