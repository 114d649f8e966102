//! Requests of the CLI, and its answers to ours.

use serde_json::Value;

use super::{Frame, string, take, text};

/// Whether a tool may run.
#[derive(Debug, Clone, PartialEq)]
pub struct CanUseTool {
    /// The request, to be answered.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What it would be given.
    pub input: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// Rules and modes that would make the question needless, as the CLI wants them back.
    pub suggestions: Vec<Value>,
    /// Why it is asked.
    pub reason: Option<String>,
    /// Whether no rule may be offered.
    pub never_always: bool,
}

/// What the CLI answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It was done.
    Success(Value),
    /// It was refused, with the reason.
    Failure(String),
}

pub(super) fn request(mut frame: Value) -> Frame {
    let id = text(&frame, "request_id");
    let mut request = take(&mut frame, "request");
    let subtype = text(&request, "subtype");
    if subtype != "can_use_tool" {
        return Frame::Unserved { id, subtype };
    }
    let suggestions = match take(&mut request, "permission_suggestions") {
        Value::Array(suggestions) => suggestions,
        _ => Vec::new(),
    };
    Frame::CanUseTool(Box::new(CanUseTool {
        id,
        tool: text(&request, "tool_name"),
        input: take(&mut request, "input"),
        tool_use_id: text(&request, "tool_use_id"),
        suggestions,
        reason: string(&request, "decision_reason"),
        never_always: request["suppress_always_allow_rule"] == true,
    }))
}

pub(super) fn response(mut frame: Value) -> Frame {
    let mut response = take(&mut frame, "response");
    let answer = match response["subtype"].as_str() {
        Some("success") => Answer::Success(take(&mut response, "response")),
        _ => Answer::Failure(text(&response, "error")),
    };
    Frame::Answered {
        id: text(&response, "request_id"),
        answer,
    }
}
