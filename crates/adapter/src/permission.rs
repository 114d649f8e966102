//! Converts the CLI's permission requests to ACP permission requests, and the user's decisions to responses to the
//! CLI. Pure functions.

mod suggestion;

use std::path::Path;

use attache::v1;
use attache_text::plain;
use serde_json::{Value, json};

use crate::frames::CanUseTool;
use crate::settings::BYPASS;
use suggestion::Suggestions;

/// The options for a tool call. Only permissions that the CLI suggests can be lasting.
pub fn options(question: &CanUseTool, bypass: bool) -> Vec<v1::PermissionOption> {
    let mut options = match question.tool.as_str() {
        "ExitPlanMode" => plan_options(bypass),
        _ => tool_options(question),
    };
    if question.prefers_reject {
        // Reject is the last option.
        options.rotate_right(1);
    }
    options
}

/// Why the CLI asks, made safe to show.
pub fn reason(question: &CanUseTool) -> Option<String> {
    let reason = plain::strip(question.reason.as_deref()?);
    (!reason.trim().is_empty()).then_some(reason)
}

/// The locations of a tool call, including the path outside the allowed directories.
pub fn locations(
    question: &CanUseTool,
    mut shown: Vec<v1::ToolCallLocation>,
) -> Vec<v1::ToolCallLocation> {
    let blocked = question.blocked_path.as_deref();
    if let Some(path) = blocked.filter(|path| Path::new(path).is_absolute())
        && shown.iter().all(|known| known.path.as_str() != path)
    {
        shown.push(v1::ToolCallLocation::new(path));
    }
    shown
}

/// The response to the CLI for the option that the user selected.
pub fn respond(question: &CanUseTool, chosen: &str) -> Value {
    if question.tool == "ExitPlanMode" {
        return respond_to_plan(question, chosen);
    }
    if chosen == "allow" {
        return allow(question, Vec::new());
    }
    let offered = Suggestions::of(question).offered;
    let mut offered = offered.iter().enumerate();
    match offered.find(|(at, _)| always(*at) == chosen) {
        Some((_, suggestion)) => allow(question, vec![suggestion.to_update()]),
        None => deny(question, "The user rejected this."),
    }
}

/// Says that the CLI suggests more than is offered; `None` if every grant it suggests has an option.
pub fn hidden_suggestions_note(question: &CanUseTool) -> Option<String> {
    match Suggestions::of(question).hidden {
        0 => None,
        hidden => Some(format!(
            "Claude suggests {hidden} more lasting {}, too long or too many to show here. Use its own settings for them.",
            if hidden == 1 {
                "permission"
            } else {
                "permissions"
            },
        )),
    }
}

/// The response when the user dismissed the request without a choice: it ends the turn.
pub fn cancelled(question: &CanUseTool) -> Value {
    response(
        &question.id,
        json!({ "behavior": "deny", "message": "The user closed the question.", "interrupt": true }),
    )
}

/// The response that rejects the call.
pub fn deny(question: &CanUseTool, why: &str) -> Value {
    response(&question.id, json!({ "behavior": "deny", "message": why }))
}

/// The response to a dialog, which no ACP client can show: the CLI continues without it. An error would leave it open.
pub fn cancel_dialog(id: &str) -> Value {
    response(id, json!({ "behavior": "cancelled" }))
}

fn tool_options(question: &CanUseTool) -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    let offered = Suggestions::of(question).offered;
    let offered = offered.iter().enumerate();
    let lasting = offered.map(|(at, it)| option(&always(at), &it.name(), AllowAlways));
    let mut options = vec![option("allow", "Allow", AllowOnce)];
    options.extend(lasting);
    options.push(option("reject", "Reject", RejectOnce));
    options
}

fn plan_options(bypass: bool) -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    let mut options = Vec::new();
    if bypass {
        options.push(option(BYPASS, "Yes, and never ask", AllowAlways));
    }
    options.push(option("acceptEdits", "Yes, and accept edits", AllowAlways));
    options.push(option("default", "Yes, and ask before edits", AllowOnce));
    options.push(option("plan", "No, keep planning", RejectOnce));
    options
}

fn respond_to_plan(question: &CanUseTool, chosen: &str) -> Value {
    match chosen {
        "default" | "acceptEdits" | BYPASS => {
            let mode = json!({ "type": "setMode", "mode": chosen, "destination": "session" });
            allow(question, vec![mode])
        }
        _ => deny(question, "The user wants to keep planning."),
    }
}

fn allow(question: &CanUseTool, permissions: Vec<Value>) -> Value {
    let mut answer = json!({ "behavior": "allow", "updatedInput": question.input });
    if !permissions.is_empty() {
        answer["updatedPermissions"] = Value::Array(permissions);
    }
    response(&question.id, answer)
}

pub(crate) fn response(id: &str, answer: Value) -> Value {
    json!({
        "type": "control_response",
        "response": { "subtype": "success", "request_id": id, "response": answer },
    })
}

pub(crate) fn option(id: &str, name: &str, kind: v1::PermissionOptionKind) -> v1::PermissionOption {
    v1::PermissionOption::new(id, name, kind)
}

/// The option id for the suggestion at this index.
fn always(at: usize) -> String {
    format!("allow_always:{at}")
}
