//! `session/request_permission`: in the draft an operation on a resource, granted for a scope; in the protocol a tool
//! call with options.

use std::borrow::Cow;

use attache_rpc::json::{DecodeError, Object, Raw};

use super::memory::Memory;
use super::tools::Tool;
use super::{choice, draft_meta, path, shape};
use crate::edit::{self, quoted};

/// Reads a draft agent's request. Its scopes become options that keep their scope in `_meta`.
pub(super) fn read_params(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    let id = edit::string(params, "toolCallId");
    let id = id.unwrap_or_else(|| memory.new_id("permission"));
    let Some(call) = tool_call(params, &id, memory.cwd(params)) else {
        return Ok(());
    };
    params.put("toolCall", &call);
    params.set("options", choice::options());
    edit::move_to_meta(params, &REQUEST)
}

/// The official tool call for a draft request.
fn tool_call(request: &Object<'_>, id: &str, cwd: Option<&str>) -> Option<Object<'static>> {
    let operation = edit::string(request, "operation")?;
    let resource = edit::string(request, "resource")?;
    let mut call = Object::default();
    call.put("toolCallId", id);
    call.put("title", &title(&operation, &resource));
    if let Some(kind) = kind(&operation) {
        call.put("kind", kind);
    }
    if operation.starts_with("file_") {
        let path = path::absolute(&resource, cwd);
        call.set("locations", format!("[{{\"path\":{}}}]", quoted(&path)));
    }
    if let Some(reason) = edit::string(request, "reason") {
        let text = format!("{{\"type\":\"text\",\"text\":{}}}", quoted(&reason));
        call.set(
            "content",
            format!("[{{\"type\":\"content\",\"content\":{text}}}]"),
        );
    }
    Some(call)
}

/// Writes our request for a draft client, which cannot show the options; its response is matched to them. A kept
/// request is used only if the tool call is unchanged.
pub(super) fn write_params(
    params: &mut Object<'_>,
    memory: &mut Memory,
) -> Result<(), DecodeError> {
    let text = params.take("toolCall").unwrap_or(Cow::Borrowed("null"));
    params.take("options");
    let mut kept = draft_meta::take(params)?;
    let call = Object::parse(&text);
    if let Ok(call) = &call
        && is_of(call, &kept.members(), memory.cwd(params))
    {
        kept.put_back(params);
        return Ok(());
    }
    let call = call.map_err(|error| error.within("toolCall"))?;
    describe(&call, params, memory);
    for name in REQUEST {
        kept.drop(name);
    }
    kept.put_back(params);
    Ok(())
}

/// Whether a tool call is unchanged since it was created from the draft.
fn is_of(call: &Object<'_>, request: &Object<'_>, cwd: Option<&str>) -> bool {
    let id = edit::string(request, "toolCallId").or_else(|| edit::string(call, "toolCallId"));
    let Some(made) = tool_call(request, &id.unwrap_or_default(), cwd) else {
        return false;
    };
    let text = |object: &Object<'_>, name| object.get(name).unwrap_or("null").to_owned();
    ["toolCallId", "title", "kind", "locations", "content"]
        .into_iter()
        .all(|name| edit::same(&text(&made, name), &text(call, name)))
}

/// The operation and its resource, derived from a tool call.
fn describe(call: &Object<'_>, params: &mut Object<'_>, memory: &mut Memory) {
    let id = edit::string(call, "toolCallId").unwrap_or_default();
    let Tool {
        kind,
        title,
        resource,
        ..
    } = memory.tools.learn(call);
    let resource = resource
        .or_else(|| title.clone())
        .unwrap_or_else(|| id.clone());
    params.put("operation", operation(kind.as_deref()));
    params.put("resource", &resource);
    if let Some(title) = title.filter(|title| *title != resource) {
        params.put("reason", &title);
    }
    params.put("toolCallId", &id);
}

/// Reads a draft client's response as one of the offered options.
pub(super) fn read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    if is_granted(result).is_none() {
        return Ok(());
    }
    let outcome = match chosen(result, &offered(context)) {
        Some(id) => format!("{{\"outcome\":\"selected\",\"optionId\":{}}}", quoted(&id)),
        None => "{\"outcome\":\"cancelled\"}".to_owned(),
    };
    result.set("outcome", outcome);
    edit::move_to_meta(result, &["granted", "remember", "scope"])
}

/// Writes our response for a draft agent. Only a selected option that grants is a grant. A request in the official
/// shape gets an official response. A kept response is used only if its option is still the selected one.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let options = offered(context);
    if context.has("options") && !choice::are_ours(&options) {
        return Ok(());
    }
    let outcome = result.take("outcome").unwrap_or(Cow::Borrowed("null"));
    let outcome = Raw::parse(&outcome).map_err(|error| error.within("outcome"))?;
    let is_selected = outcome.string_member("outcome").as_deref() == Some("selected");
    let id = outcome.string_member("optionId").filter(|_| is_selected);
    let scope = id.as_deref().and_then(|id| choice::scope(&options, id));
    let kept = draft_meta::take(result)?;
    let before = kept.members();
    result.put("granted", &scope.is_some());
    if is_granted(&before) == Some(scope.is_some()) && chosen(&before, &options) == id {
        kept.put_back(result);
    } else if let Some(scope) = scope {
        result.put("remember", &choice::is_lasting(&scope));
        result.put("scope", &scope);
    }
    Ok(())
}

/// The options of the request.
fn offered(context: &Object<'_>) -> Vec<Raw> {
    shape::value(context, "options").unwrap_or_default()
}

fn is_granted(answer: &Object<'_>) -> Option<bool> {
    shape::value(answer, "granted")
}

/// The id of the option that a draft response selects.
fn chosen(answer: &Object<'_>, options: &[Raw]) -> Option<String> {
    if shape::is_true(answer, "granted") {
        choice::grant(options, &scope(answer))
    } else {
        choice::refusal(options, shape::is_true(answer, "remember"))
    }
}

/// The scope of a grant. A grant to remember without a scope lasts for the session.
fn scope(result: &Object<'_>) -> String {
    let remember = shape::is_true(result, "remember");
    let unsaid = if remember { "session" } else { "once" };
    edit::string(result, "scope").unwrap_or_else(|| unsaid.to_owned())
}

fn title(operation: &str, resource: &str) -> String {
    match operation {
        "file_read" => format!("Read {resource}"),
        "file_write" => format!("Write {resource}"),
        "file_delete" => format!("Delete {resource}"),
        "terminal_execute" => format!("Run {resource}"),
        "network_access" => format!("Connect to {resource}"),
        "mcp_tool" => format!("Use the tool {resource}"),
        other => format!("{other}: {resource}"),
    }
}

fn kind(operation: &str) -> Option<&'static str> {
    match operation {
        "file_read" => Some("read"),
        "file_write" => Some("edit"),
        "file_delete" => Some("delete"),
        "terminal_execute" => Some("execute"),
        "network_access" => Some("fetch"),
        _ => None,
    }
}

fn operation(kind: Option<&str>) -> &'static str {
    match kind {
        Some("read" | "search") => "file_read",
        Some("edit" | "move") => "file_write",
        Some("delete") => "file_delete",
        Some("execute") => "terminal_execute",
        Some("fetch") => "network_access",
        _ => "mcp_tool",
    }
}

/// Members of a request without an official form.
const REQUEST: [&str; 4] = ["operation", "resource", "reason", "toolCallId"];
