//! `session/request_permission`: an operation on a resource, granted for a scope, against a tool call with options to
//! choose from.

use std::borrow::Cow;

use attache_rpc::json::{self, Error, Object, Raw};

use super::memory::Memory;
use super::tools::Tool;
use super::{choice, kept, path};
use crate::dialect::edit::{self, quoted};

/// A draft agent's request. Its scopes become options that carry the scope in what they keep.
pub(super) fn read_params(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), Error> {
    let (Some(operation), Some(resource)) = (
        edit::string(params, "operation"),
        edit::string(params, "resource"),
    ) else {
        return Ok(());
    };
    let id = edit::string(params, "toolCallId");
    let id = id.unwrap_or_else(|| memory.new_id("permission"));
    let mut call = Object::default();
    call.put("toolCallId", &id);
    call.put("title", &title(&operation, &resource));
    if let Some(kind) = kind(&operation) {
        call.put("kind", kind);
    }
    if operation.starts_with("file_") {
        let path = path::absolute(&resource, memory.cwd(params));
        call.set("locations", format!("[{{\"path\":{}}}]", quoted(&path)));
    }
    if let Some(reason) = edit::string(params, "reason") {
        let text = format!("{{\"type\":\"text\",\"text\":{}}}", quoted(&reason));
        call.set(
            "content",
            format!("[{{\"type\":\"content\",\"content\":{text}}}]"),
        );
    }
    params.put("toolCall", &call);
    params.set("options", choice::options());
    edit::keep(params, &["operation", "resource", "reason", "toolCallId"])
}

/// Our request for a draft client. It cannot show the options; its answer is fitted to them.
pub(super) fn write_params(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), Error> {
    let text = params.take("toolCall").unwrap_or(Cow::Borrowed("null"));
    params.take("options");
    let kept = kept::take(params)?;
    if kept.get("operation").is_some() {
        kept.put_back(params);
        return Ok(());
    }
    let call = Object::parse(&text).map_err(|error| error.within("toolCall"))?;
    let tool = memory.tools.learn(&call);
    let id = edit::string(&call, "toolCallId").unwrap_or_default();
    let Tool {
        kind,
        title,
        resource,
        ..
    } = tool;
    let resource = resource
        .or_else(|| title.clone())
        .unwrap_or_else(|| id.clone());
    params.put("operation", operation(kind.as_deref()));
    params.put("resource", &resource);
    if let Some(title) = title.filter(|title| *title != resource) {
        params.put("reason", &title);
    }
    params.put("toolCallId", &id);
    kept.put_back(params);
    Ok(())
}

/// A draft client's answer, as one of the options that were offered.
pub(super) fn read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    fact: &Object<'_>,
) -> Result<(), Error> {
    let granted: bool = match result.get("granted") {
        Some("true") => true,
        Some("false") => false,
        _ => return Ok(()),
    };
    let options: Vec<Raw> = json::from_str(fact.get("options").unwrap_or("[]"))?;
    let chosen = if granted {
        choice::grant(&options, &scope(result))
    } else {
        choice::refusal(&options, result.get("remember") == Some("true"))
    };
    let outcome = match chosen {
        Some(id) => format!("{{\"outcome\":\"selected\",\"optionId\":{}}}", quoted(&id)),
        None => "{\"outcome\":\"cancelled\"}".to_owned(),
    };
    result.set("outcome", outcome);
    edit::keep(result, &["granted", "remember", "scope"])
}

/// Our answer for a draft agent. A request that was cancelled is not granted.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), Error> {
    let outcome = result.take("outcome").unwrap_or(Cow::Borrowed("null"));
    let outcome = Raw::parse(&outcome).map_err(|error| error.within("outcome"))?;
    let scope = outcome.string_member("optionId");
    let scope = scope.filter(|scope| choice::SCOPES.contains(&&**scope));
    let kept = kept::take(result)?;
    result.put("granted", &scope.is_some());
    if kept.get("granted").as_deref() == result.get("granted") {
        kept.put_back(result);
    } else if let Some(scope) = scope {
        result.put("remember", &(scope != choice::SCOPES[0]));
        result.put("scope", &scope);
    }
    Ok(())
}

/// The scope of a grant. One that is to be remembered, nobody says how long, lasts for the session.
fn scope(result: &Object<'_>) -> String {
    let remember = result.get("remember") == Some("true");
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
