//! Requests of the CLI, and its answers to ours.

use serde_json::Value;

use super::{Frame, string, take_member, text};

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
    /// Why it is asked. It may hold anything that steers a terminal.
    pub reason: Option<String>,
    /// The path that is out of bounds.
    pub blocked_path: Option<String>,
    /// Whether nothing may be allowed for ever: it would be too broad, or the user's own rule says to ask.
    pub once_only: bool,
    /// Whether saying yes must not be the first that comes to hand.
    pub prefers_reject: bool,
    /// Whether only a person may answer, no program in their place.
    pub needs_user: bool,
}

/// Data that an MCP server asks the person for.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The request, to be answered.
    pub id: String,
    /// The server.
    pub server: String,
    /// What it says.
    pub message: String,
    /// What it is about, in a few words.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// How it asks.
    pub mode: ElicitationMode,
}

/// How an MCP server asks.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationMode {
    /// By a form with this schema.
    Form(Value),
    /// By a page.
    Url {
        /// The server's id for it.
        id: String,
        /// Where it is.
        url: String,
    },
    /// In a way that is not known.
    Other,
}

/// What the CLI answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlResponse {
    /// It was done.
    Success(Value),
    /// It was refused, with the reason.
    Error(String),
}

pub(super) fn request(mut frame: Value) -> Frame {
    let id = text(&frame, "request_id");
    let request = take_member(&mut frame, "request");
    match text(&request, "subtype").as_str() {
        "can_use_tool" => can_use_tool(id, request),
        "elicitation" => elicitation(id, request),
        "request_user_dialog" => Frame::Dialog(id),
        subtype => Frame::UnsupportedRequest {
            id,
            subtype: subtype.to_owned(),
        },
    }
}

fn can_use_tool(id: String, mut request: Value) -> Frame {
    let suggestions = match take_member(&mut request, "permission_suggestions") {
        Value::Array(suggestions) => suggestions,
        _ => Vec::new(),
    };
    Frame::CanUseTool(Box::new(CanUseTool {
        id,
        tool: text(&request, "tool_name"),
        input: take_member(&mut request, "input"),
        tool_use_id: text(&request, "tool_use_id"),
        suggestions,
        reason: string(&request, "decision_reason"),
        blocked_path: string(&request, "blocked_path"),
        once_only: is_never_always(&request),
        prefers_reject: request["default_to_no"] == true,
        needs_user: request["requires_user_interaction"] == true,
    }))
}

/// A rule of the user to ask is stronger than any to allow.
fn is_never_always(request: &Value) -> bool {
    request["suppress_always_allow_rule"] == true
        || request["matched_ask_rule"].is_object()
        || request["decision_reason_type"] == "rule"
}

fn elicitation(id: String, mut request: Value) -> Frame {
    let mode = match request["mode"].as_str() {
        None | Some("form") => ElicitationMode::Form(take_member(&mut request, "requested_schema")),
        Some("url") => ElicitationMode::Url {
            id: text(&request, "elicitation_id"),
            url: text(&request, "url"),
        },
        Some(_) => ElicitationMode::Other,
    };
    Frame::Elicitation(Box::new(Elicitation {
        id,
        server: text(&request, "mcp_server_name"),
        message: text(&request, "message"),
        title: string(&request, "title"),
        description: string(&request, "description"),
        mode,
    }))
}

pub(super) fn response(mut frame: Value) -> Frame {
    let mut response = take_member(&mut frame, "response");
    let outcome = match response["subtype"].as_str() {
        Some("success") => ControlResponse::Success(take_member(&mut response, "response")),
        _ => ControlResponse::Error(text(&response, "error")),
    };
    Frame::ControlResponse {
        id: text(&response, "request_id"),
        response: outcome,
    }
}
