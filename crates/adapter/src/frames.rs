//! Frames of the CLI: one JSON object per line. Reading is tolerant: an unknown frame is `Other`, and a missing or
//! malformed member counts as absent. Nothing here knows ACP.

mod control;
mod message;
mod stream;

use serde_json::Value;

pub use control::{CanUseTool, ControlResponse, Elicitation, ElicitationMode};
pub use message::{Block, Message, TokenUsage, TurnResult};
pub use stream::{Delta, MessageEvent};

/// One frame of the CLI.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// The CLI's state has changed.
    State(CliState),
    /// A turn starts, with these settings.
    TurnStarted {
        /// The permission mode.
        mode: Option<String>,
        /// The full name of the model.
        model: Option<String>,
    },
    /// The permission mode has changed.
    Mode(String),
    /// The slash commands have changed, to this list.
    Commands(Value),
    /// The history is being compacted, or has been.
    Compaction(Compaction),
    /// The output of a command that the CLI handles itself.
    LocalOutput(String),
    /// A task has started for a tool call.
    TaskStarted {
        /// The task id, for `stop_task`.
        id: String,
        /// The id of the tool call.
        tool_use_id: String,
    },
    /// A task has ended.
    TaskEnded(TaskEnd),
    /// The CLI has started to work on the queued prompt with this id.
    PromptAccepted(String),
    /// An event of a message that is being streamed.
    Stream {
        /// The tool call whose subagent sends the message.
        parent: Option<String>,
        /// The event.
        event: MessageEvent,
    },
    /// A message of the model, usually one block of it.
    Assistant(Message),
    /// A message to the model: a prompt, or the result of a tool.
    User(Message),
    /// The result of a turn.
    Result(Box<TurnResult>),
    /// A request for permission to run a tool.
    CanUseTool(Box<CanUseTool>),
    /// An MCP server asks the user for data.
    Elicitation(Box<Elicitation>),
    /// The user is done with the page of an MCP server.
    ElicitationComplete {
        /// The server's name.
        server: String,
        /// The server's id for the elicitation.
        id: String,
    },
    /// A request to show a dialog, by its request id.
    Dialog(String),
    /// Any other request of the CLI.
    UnsupportedRequest {
        /// The request id.
        id: String,
        /// The kind of request.
        subtype: String,
    },
    /// The CLI withdraws the request with this id.
    RequestCancelled(String),
    /// The response to one of our requests, or the echo of our own response.
    ControlResponse {
        /// The request id.
        id: String,
        /// The response.
        response: ControlResponse,
    },
    /// Any other frame.
    Other,
}

/// The state of the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliState {
    /// The CLI is working.
    Running,
    /// The CLI waits for a response to a request.
    RequiresAction,
    /// The CLI has nothing to do.
    Idle,
}

/// The status of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    /// The compaction is running.
    Started,
    /// The compaction has succeeded.
    Completed,
    /// The compaction has failed.
    Failed,
}

impl Frame {
    /// Reads a frame from a line.
    ///
    /// # Errors
    ///
    /// When the line is not a JSON object.
    pub fn read(line: &[u8]) -> Result<Frame, MalformedLine> {
        let line = std::str::from_utf8(line).map_err(|_| MalformedLine)?;
        if let Some(frame) = stream::read_block_delta(line) {
            return Ok(frame);
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(members)) => Ok(Frame::from_value(Value::Object(members))),
            _ => Err(MalformedLine),
        }
    }

    /// Reads a frame from a JSON object.
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
            // In a transcript: a queued note for the model.
            "queue-operation" => frame["content"]
                .as_str()
                .and_then(TaskEnd::from_note)
                .map_or(Frame::Other, Frame::TaskEnded),
            _ => Frame::Other,
        }
    }
}

impl Frame {
    /// The tool calls that this frame ends.
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

/// The line is not a JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the line is not a JSON object")]
pub struct MalformedLine;

/// The end of a tool call's task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// `completed`, `failed` or `stopped`.
    pub status: String,
    /// The outcome of the task as text.
    pub summary: String,
}

impl TaskEnd {
    fn from_value(frame: &Value) -> TaskEnd {
        TaskEnd {
            tool_use_id: text(frame, "tool_use_id"),
            status: text(frame, "status"),
            summary: text(frame, "summary"),
        }
    }

    /// Reads the end from the note that the CLI writes for the model.
    pub fn from_note(note: &str) -> Option<TaskEnd> {
        if !note.trim_start().starts_with("<task-notification>") {
            return None;
        }
        let member = |open: &str, close: &str| between(note, open, close).map(str::to_owned);
        let words = member("<result>", "</result>").or_else(|| member("<summary>", "</summary>"));
        Some(TaskEnd {
            tool_use_id: member("<tool-use-id>", "</tool-use-id>")?,
            status: member("<status>", "</status>")?,
            summary: words.unwrap_or_default(),
        })
    }

    /// Whether the task succeeded.
    pub fn is_success(&self) -> bool {
        self.status == "completed"
    }

    /// The exit code of a command, which only the summary contains.
    pub fn exit_code(&self) -> Option<u32> {
        let (_, code) = self.summary.rsplit_once("exit code ")?;
        code.trim_end_matches(')').parse().ok()
    }
}

/// Whether the result of a tool call says that its task keeps running in the background.
pub fn runs_on(result: &Value) -> bool {
    result["backgroundTaskId"].is_string() || result["status"] == "async_launched"
}

/// The text between two tags, or everything after the first tag if the second is missing.
pub(crate) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, inner) = text.split_once(open)?;
    Some(inner.split_once(close).map_or(inner, |(inner, _)| inner))
}

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
        // Transcripts use the second name.
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
        // The `compact_boundary` that follows reports the success.
        (_, Some("success")) => Frame::Other,
        (_, Some(_)) => Frame::Compaction(Compaction::Failed),
        _ => Frame::Other,
    }
}

/// Takes a member out of a value, which may be anything.
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
