//! Control requests of the CLI, and its responses to ours.

use serde_json::Value;

use super::{Frame, string, take_member, text};

/// A request for permission to run a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CanUseTool {
    /// The request id, for the response.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The tool's input.
    pub input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Permission updates that the CLI suggests, in the form in which it accepts them back.
    pub suggestions: Vec<Value>,
    /// Why the CLI asks. May contain terminal control sequences.
    pub reason: Option<String>,
    /// The path outside the allowed directories, if that is the reason.
    pub blocked_path: Option<String>,
    /// Whether only this one call may be allowed: anything lasting would be too broad, or the user's own rule says to
    /// ask.
    pub once_only: bool,
    /// Whether Reject should be the first option.
    pub prefers_reject: bool,
    /// Whether only the user may answer, never a program on the user's behalf.
    pub needs_user: bool,
}

/// An elicitation: an MCP server asks the user for data.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The request id, for the response.
    pub id: String,
    /// The server's name.
    pub server: String,
    /// The server's message.
    pub message: String,
    /// A short title.
    pub title: Option<String>,
    /// A description.
    pub description: Option<String>,
    /// Form or URL.
    pub mode: ElicitationMode,
}

/// How an MCP server elicits data.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationMode {
    /// With a form that has this schema.
    Form(Value),
    /// With a web page.
    Url {
        /// The server's id for the elicitation.
        id: String,
        /// The address of the page.
        url: String,
    },
    /// With a mode that we do not support.
    Other,
}

/// A response of the CLI to a control request.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlResponse {
    /// The request succeeded, with this result.
    Success(Value),
    /// The request failed, with this message.
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

/// A rule of the user that asks takes precedence over any rule that allows.
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
