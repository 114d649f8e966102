//! What the CLI says, one JSON object a line, read with tolerance: a frame that is not known is `Other`, a member that
//! is missing or badly made counts as absent. Nothing here knows ACP.

mod block_delta;
mod control;
mod message;
mod stream;
mod task;
mod turn_result;

use serde_json::Value;

pub use control::{CanUseTool, ControlResponse, Elicitation, ElicitationMode};
pub use message::{Block, Message};
pub use stream::{Delta, MessageEvent};
pub(crate) use task::between;
pub use task::{TaskEnd, runs_on};
pub use turn_result::{TokenUsage, TurnResult};

/// One frame of the CLI.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// What the CLI is about to do, or that it is done.
    State(CliState),
    /// A turn begins, with what is set.
    TurnStarted {
        /// The permission mode.
        mode: Option<String>,
        /// The model, by its full name.
        model: Option<String>,
    },
    /// The permission mode has changed.
    Mode(String),
    /// The slash commands have changed: all that there are now.
    Commands(Value),
    /// The history is being shortened, or has been.
    Compaction(Compaction),
    /// The output of a command that the CLI carries out itself.
    LocalOutput(String),
    /// A task that runs for a tool call: its id for `stop_task`.
    TaskStarted {
        /// The task.
        id: String,
        /// The tool call it runs for.
        tool_use_id: String,
    },
    /// Such a task has ended.
    TaskEnded(TaskEnd),
    /// A queued prompt has been taken.
    PromptAccepted(String),
    /// A piece of a message that is being made.
    Stream {
        /// The tool call of the subagent that makes it.
        parent: Option<String>,
        /// The piece.
        event: MessageEvent,
    },
    /// A block of a message of the model.
    Assistant(Message),
    /// A block of a message to the model: a prompt, or what a tool gave back.
    User(Message),
    /// The end of a turn.
    Result(Box<TurnResult>),
    /// Whether a tool may run.
    CanUseTool(Box<CanUseTool>),
    /// An MCP server asks the person for data.
    Elicitation(Box<Elicitation>),
    /// The person has dealt with a page of an MCP server.
    ElicitationComplete {
        /// The server.
        server: String,
        /// Its id for the page.
        id: String,
    },
    /// A dialog that the CLI wants drawn, by the id of the request.
    Dialog(String),
    /// Another request of the CLI, which we do not serve.
    UnsupportedRequest {
        /// The request.
        id: String,
        /// What it wants.
        subtype: String,
    },
    /// A question is no longer open.
    RequestCancelled(String),
    /// The answer to a request of ours, or the echo of an answer of ours.
    ControlResponse {
        /// The request.
        id: String,
        /// The answer.
        response: ControlResponse,
    },
    /// Anything else.
    Other,
}

/// What the CLI does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliState {
    /// It works.
    Running,
    /// It waits for an answer.
    RequiresAction,
    /// It has done everything.
    Idle,
}

/// How far a compaction has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    /// It runs.
    Started,
    /// It has ended well.
    Completed,
    /// It has ended badly.
    Failed,
}

impl Frame {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// When the line is not a JSON object.
    pub fn read(line: &[u8]) -> Result<Frame, MalformedLine> {
        let line = std::str::from_utf8(line).map_err(|_| MalformedLine)?;
        if let Some(frame) = block_delta::read(line) {
            return Ok(frame);
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(members)) => Ok(Frame::from_value(Value::Object(members))),
            _ => Err(MalformedLine),
        }
    }

    /// The frame that an object is.
    pub fn from_value(mut frame: Value) -> Frame {
        match frame["type"].as_str().unwrap_or_default() {
            "system" => system(frame),
            "stream_event" => Frame::Stream {
                parent: string(&frame, "parent_tool_use_id"),
                event: MessageEvent::from_value(&mut take_member(&mut frame, "event")),
            },
            "assistant" => Frame::Assistant(Message::from_value(frame)),
            "user" => Frame::User(Message::from_value(frame)),
            "result" => Frame::Result(Box::new(TurnResult::from_value(&frame))),
            "control_request" => control::request(frame),
            "control_cancel_request" => Frame::RequestCancelled(text(&frame, "request_id")),
            "control_response" => control::response(frame),
            "command_lifecycle" if frame["state"] == "started" => {
                Frame::PromptAccepted(text(&frame, "command_uuid"))
            }
            // In a transcript: a note for the model waits for its turn.
            "queue-operation" => frame["content"]
                .as_str()
                .and_then(TaskEnd::from_note)
                .map_or(Frame::Other, Frame::TaskEnded),
            _ => Frame::Other,
        }
    }
}

impl Frame {
    /// The tool calls that it tells the end of.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        let (blocks, task) = match self {
            Frame::User(message) if !runs_on(&message.tool_result) => {
                (message.blocks.as_slice(), None)
            }
            Frame::TaskEnded(end) => (Default::default(), Some(end.tool_use_id.as_str())),
            _ => (Default::default(), None),
        };
        let results = blocks.iter().filter_map(|block| match block {
            Block::ToolResult { id, .. } => Some(id.as_str()),
            _ => None,
        });
        results.chain(task)
    }
}

/// A line that is no JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the line is not a JSON object")]
pub struct MalformedLine;

fn system(mut frame: Value) -> Frame {
    match frame["subtype"].as_str().unwrap_or_default() {
        "session_state_changed" => match frame["state"].as_str() {
            Some("idle") => Frame::State(CliState::Idle),
            Some("requires_action") => Frame::State(CliState::RequiresAction),
            Some("running") => Frame::State(CliState::Running),
            _ => Frame::Other,
        },
        "init" => Frame::TurnStarted {
            mode: string(&frame, "permissionMode"),
            model: string(&frame, "model"),
        },
        "status" => status(&frame),
        "commands_changed" => Frame::Commands(take_member(&mut frame, "commands")),
        "compact_boundary" => Frame::Compaction(Compaction::Completed),
        // The second is its name in a transcript.
        "local_command_output" | "local_command" => Frame::LocalOutput(text(&frame, "content")),
        "task_started" => Frame::TaskStarted {
            id: text(&frame, "task_id"),
            tool_use_id: text(&frame, "tool_use_id"),
        },
        "elicitation_complete" => Frame::ElicitationComplete {
            server: text(&frame, "mcp_server_name"),
            id: text(&frame, "elicitation_id"),
        },
        "task_notification" => Frame::TaskEnded(TaskEnd::from_value(&frame)),
        _ => Frame::Other,
    }
}

fn status(frame: &Value) -> Frame {
    if let Some(mode) = string(frame, "permissionMode") {
        return Frame::Mode(mode);
    }
    match (frame["status"].as_str(), frame["compact_result"].as_str()) {
        (Some("compacting"), _) => Frame::Compaction(Compaction::Started),
        // The boundary that follows tells of the success.
        (_, Some("success")) => Frame::Other,
        (_, Some(_)) => Frame::Compaction(Compaction::Failed),
        _ => Frame::Other,
    }
}

/// Takes a member out of a value, which need not be an object.
fn take_member(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

fn string(object: &Value, name: &str) -> Option<String> {
    object[name].as_str().map(str::to_owned)
}

fn text(object: &Value, name: &str) -> String {
    string(object, name).unwrap_or_default()
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}
