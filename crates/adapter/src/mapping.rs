//! The translation: a frame of the CLI in, what is to be done out. A value without I/O and without a clock, so that
//! whole conversations can be checked as text.

mod calls;
mod ending;
mod markup;
mod messages;
mod partial;

use std::collections::{HashMap, VecDeque};

use attache::v1;
use serde_json::{Value, json};

use crate::frames::{
    Answer, CanUseTool, Compaction, Elicitation, Event, Frame, Message, State, TaskEnd, Tokens,
};
use crate::tools::Tasks;
use crate::{question, settings};
use calls::Calls;
use messages::Making;

pub(crate) use ending::usage;
pub use ending::{Ended, Failure, logged_out};
pub use markup::{is_markup, prompt_text};

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Tell the client.
    Tell(v1::SessionUpdate),
    /// Ask the person.
    Ask(Box<CanUseTool>),
    /// Ask the person for an MCP server.
    Elicit(Box<Elicitation>),
    /// The person has dealt with a page of an MCP server.
    PageDone {
        /// The server.
        server: String,
        /// Its id for the page.
        id: String,
    },
    /// A question is no longer open.
    Withdraw(String),
    /// Say this to the CLI.
    Say(Value),
    /// An answer to a request of ours.
    Answered {
        /// The request.
        id: String,
        /// The answer.
        answer: Answer,
    },
    /// A prompt of ours has been taken.
    Taken(String),
    /// What is set may have changed.
    LookAgain,
    /// The turn has ended, but for what the CLI still does.
    Ended(Ended),
    /// What the CLI does has changed.
    State(State),
    /// A shell command is about to run.
    Runs {
        /// The tool call.
        tool_call: String,
        /// The command.
        command: String,
    },
}

/// What the client can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shows {
    /// Terminals that the agent runs: `_meta.terminal_output`.
    pub terminals: bool,
    /// How a compaction goes.
    pub compaction: bool,
}

/// One session's translation.
#[derive(Debug, Default)]
pub struct Mapping {
    shows: Shows,
    /// Messages that come piece by piece, by the subagent that makes them.
    making: HashMap<Option<String>, Making>,
    /// The messages of which pieces have been told, newest last.
    streamed: VecDeque<String>,
    /// How many blocks have been seen of the message that comes block by block, by the subagent that makes it.
    blocks: HashMap<Option<String>, (String, u64)>,
    calls: Calls,
    tasks: Tasks,
    mode: Option<String>,
    /// The model of the last turn.
    model: Option<String>,
    context: Option<Tokens>,
    compactions: u64,
    /// The frames in which the CLI has said something by itself, newest last.
    local: VecDeque<String>,
}

impl Mapping {
    /// A translation for a client that shows these things.
    pub fn new(shows: Shows) -> Mapping {
        Mapping {
            shows,
            ..Mapping::default()
        }
    }

    /// The permission mode, once it is known.
    pub fn mode(&self) -> Option<&str> {
        self.mode.as_deref()
    }

    /// The mode has been set by us: the CLI's word on it is no news.
    pub fn has_mode(&mut self, mode: &str) {
        self.mode = Some(mode.to_owned());
    }

    /// Translates a frame.
    pub fn take(&mut self, frame: Frame) -> Vec<Act> {
        let mut acts = Vec::new();
        match frame {
            Frame::State(state) => acts.push(Act::State(state)),
            Frame::Begun { mode, model } => {
                // It is asked for when a CLI starts; after that a change is news.
                if self.model.is_some() && self.model != model {
                    acts.push(Act::LookAgain);
                }
                self.model = model;
                if let Some(mode) = mode {
                    self.change_mode(mode, &mut acts);
                }
            }
            Frame::Mode(mode) => self.change_mode(mode, &mut acts),
            Frame::Commands(list) => {
                let update = settings::commands(&list);
                acts.push(Act::Tell(v1::SessionUpdate::AvailableCommandsUpdate(
                    update,
                )));
            }
            Frame::Compaction(step) => self.compact(step, &mut acts),
            Frame::LocalOutput(text) => {
                let output = markup::local_output(&text);
                let is_other = output.is_none() && is_markup(&text);
                if !is_other {
                    self.say_locally(output.unwrap_or(&text), &mut acts);
                }
            }
            Frame::Task { id, tool_use_id } => self.calls.runs_as(&tool_use_id, id),
            Frame::TaskEnded(end) => self.end_task(end, &mut acts),
            Frame::Taken(uuid) => acts.push(Act::Taken(uuid)),
            Frame::Stream { parent, event } => self.stream(parent, event, &mut acts),
            Frame::Assistant(message) => self.assistant(message, &mut acts),
            Frame::User(message) => self.user(message, &mut acts),
            Frame::Result(outcome) => self.end(&outcome, &mut acts),
            Frame::CanUseTool(question) => self.ask(*question, &mut acts),
            Frame::Elicitation(asked) => acts.push(Act::Elicit(asked)),
            Frame::PageDone { server, id } => acts.push(Act::PageDone { server, id }),
            Frame::Dialog(id) => acts.push(Act::Say(question::undrawn(&id))),
            Frame::Unserved { id, subtype } => acts.push(Act::Say(unserved(&id, &subtype))),
            Frame::Withdrawn(id) => acts.push(Act::Withdraw(id)),
            Frame::Answered { id, answer } => acts.push(Act::Answered { id, answer }),
            Frame::Other => {}
        }
        acts
    }

    /// A prompt as it stands in a transcript, told again.
    pub fn replay_prompt(&mut self, message: &Message) -> Vec<Act> {
        let mut acts = Vec::new();
        self.prompt(message, &mut acts);
        acts
    }

    /// The task of the CLI that a tool call runs as.
    pub fn task_of(&self, tool_call: &str) -> Option<&str> {
        self.calls.task_of(tool_call)
    }

    /// The output of a tool call is told while it runs: it is not told again at the end.
    pub fn is_live(&mut self, tool_call: &str) {
        self.calls.is_live(tool_call);
    }

    /// Whether a tool call has given back what it had to say, and runs on.
    pub fn is_in_background(&self, tool_call: &str) -> bool {
        self.calls.is_in_background(tool_call)
    }

    /// What the command of a tool call has written in all: its size, and the end of it to be shown.
    pub fn wrote(&mut self, tool_call: &str, size: u64, end: String) {
        self.calls.wrote(tool_call, size, end);
    }

    /// Whether something runs that no turn waits for.
    pub fn has_background(&self) -> bool {
        self.calls.has_background()
    }

    /// The CLI is gone: what it has begun will not end.
    pub fn abandon(&mut self) -> Vec<Act> {
        self.making.clear();
        self.calls.abandon(self.shows)
    }

    fn end_task(&mut self, end: TaskEnd, acts: &mut Vec<Act>) {
        // A subagent says nothing after its end.
        self.making.remove(&Some(end.tool_use_id.clone()));
        self.calls.end(end, self.shows, acts);
    }

    fn change_mode(&mut self, mode: String, acts: &mut Vec<Act>) {
        if self.mode.as_ref() != Some(&mode) {
            let update = v1::CurrentModeUpdate::new(mode.as_str());
            acts.push(Act::Tell(v1::SessionUpdate::CurrentModeUpdate(update)));
            self.mode = Some(mode);
        }
    }

    fn compact(&mut self, step: Compaction, acts: &mut Vec<Act>) {
        if step == Compaction::Begun {
            self.compactions += 1;
        }
        if !self.shows.compaction {
            return;
        }
        let status = match step {
            Compaction::Begun => v1::CompactionStatus::InProgress,
            Compaction::Done => v1::CompactionStatus::Completed,
            Compaction::Failed => v1::CompactionStatus::Failed,
        };
        let id = format!("compaction-{}", self.compactions);
        let update = v1::CompactionUpdate::new(id, status);
        acts.push(Act::Tell(v1::SessionUpdate::CompactionUpdate(update)));
    }

    fn ask(&mut self, question: CanUseTool, acts: &mut Vec<Act>) {
        // The call is known by its input before the question comes, but for one that came in no message.
        self.calls.know(
            &question.tool_use_id,
            &question.tool,
            &question.input,
            None,
            self.shows,
            acts,
        );
        acts.push(Act::Ask(Box::new(question)));
    }

    fn stream(&mut self, parent: Option<String>, event: Event, acts: &mut Vec<Act>) {
        match &event {
            Event::Message { id, tokens } => {
                self.remember(id);
                self.count(&parent, *tokens);
            }
            Event::Tokens(tokens) if parent.is_none() => {
                let context = self.context.get_or_insert_default();
                context.output = context.output.max(tokens.output);
            }
            _ => {}
        }
        let making = self.making.entry(parent.clone()).or_default();
        making.take(event, parent.as_deref(), self.shows, &mut self.calls, acts);
    }

    /// Only what the main model sees counts.
    fn count(&mut self, parent: &Option<String>, tokens: Option<Tokens>) {
        if parent.is_none() && tokens.is_some_and(|tokens| tokens.total() > 0) {
            self.context = tokens;
        }
    }

    fn remember(&mut self, id: &str) {
        if self.streamed.len() == REMEMBERED {
            self.streamed.pop_front();
        }
        self.streamed.push_back(id.to_owned());
    }
}

fn unserved(id: &str, subtype: &str) -> Value {
    let error = format!("{subtype} is not served here");
    json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": id, "error": error },
    })
}

/// Blocks come soon after their pieces, but messages of several subagents interleave.
const REMEMBERED: usize = 64;
