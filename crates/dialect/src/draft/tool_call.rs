//! Tool calls: in the draft a `tool` with its `input`, in the protocol a title, a kind and one of four statuses.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::draft_meta::{self, DraftMeta};
use super::memory::Memory;
use super::{path, shape, tool_output};
use crate::edit;

/// Reads the draft's `tool_call` or `tool_call_update`. The tool becomes the official name; title and kind are derived
/// from it.
pub(super) fn read(
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<(), DecodeError> {
    update.rename("id", "toolCallId");
    update.rename("input", "rawInput");
    update.rename("tool", "name");
    if let Some(tool) = edit::string(update, "name") {
        let title = title(&tool, update);
        shape::fill(update, "title", edit::quoted(&title));
        if let Some(kind) = kind(&tool) {
            shape::fill(update, "kind", edit::quoted(kind));
        }
    }
    read_status(update)?;
    read_location(update, memory.directory(session))?;
    tool_output::read(update)?;
    edit::move_to_meta(update, &["requiresPermission", "duration", "error"])
}

/// Writes an official `tool_call` or `tool_call_update` for a draft client. Title and kind are kept where they add to
/// the tool.
pub(super) fn write(
    update: &mut Object<'_>,
    tag: &str,
    memory: &Memory,
    session: &str,
) -> Result<(), DecodeError> {
    let mut kept = draft_meta::take(update)?;
    write_tool(update);
    update.rename("toolCallId", "id");
    update.rename("rawInput", "input");
    if tag == "tool_call" {
        shape::fill(update, "input", "{}");
        shape::fill(update, "status", "\"pending\"");
    }
    write_status(update, &kept);
    write_location(update, &kept, memory.directory(session));
    tool_output::write(update, &mut kept)?;
    kept.put_back(update);
    Ok(())
}

fn write_tool(update: &mut Object<'_>) {
    let Some(tool) = edit::string(update, "name") else {
        if edit::string(update, "title").is_some() {
            update.rename("title", "tool");
        }
        return;
    };
    if edit::string(update, "title") == Some(title(&tool, update)) {
        update.take("title");
    }
    if edit::string(update, "kind").as_deref() == Some(kind(&tool).unwrap_or("other")) {
        update.take("kind");
    }
    update.rename("name", "tool");
}

fn read_status(update: &mut Object<'_>) -> Result<(), DecodeError> {
    let status = edit::string(update, "status").unwrap_or_default();
    match official_status(&status) {
        Some(official) => {
            edit::move_to_meta(update, &["status"])?;
            update.put("status", official);
            Ok(())
        }
        None => Ok(()),
    }
}

/// A kept status is used only if the official one is unchanged.
fn write_status(update: &mut Object<'_>, kept: &DraftMeta) {
    let Some(status) = kept.string("status") else {
        return;
    };
    let official = edit::string(update, "status");
    if official.as_deref() == official_status(&status) {
        update.put("status", &status);
    }
}

/// The closest official status for a status that only the draft has.
fn official_status(status: &str) -> Option<&'static str> {
    match status {
        "awaiting_permission" => Some("pending"),
        "denied" | "cancelled" => Some("failed"),
        _ => None,
    }
}

fn read_location(update: &mut Object<'_>, cwd: Option<&str>) -> Result<(), DecodeError> {
    if edit::kind(update, "location") != Some(ValueKind::Object) {
        return Ok(());
    }
    let text = update.get("location").unwrap_or("{}").to_owned();
    let location = official_location(&Object::parse(&text)?, cwd);
    update.set("locations", format!("[{}]", json::to_string(&location)));
    edit::move_to_meta(update, &["location"])
}

fn write_location(update: &mut Object<'_>, kept: &DraftMeta, cwd: Option<&str>) {
    let locations: Vec<Raw> = shape::value(update, "locations").unwrap_or_default();
    if update.take("locations").is_none() {
        return;
    }
    let Some(Ok(first)) = locations.first().map(|first| Object::parse(first.as_str())) else {
        return;
    };
    let first = official_location(&first, None);
    let original = kept.get("location").unwrap_or_default();
    let same =
        Object::parse(&original).is_ok_and(|original| official_location(&original, cwd) == first);
    let location = if same {
        original
    } else {
        json::to_string(&first)
    };
    update.set("location", location);
}

/// The official location: path and line, the members that both shapes have.
fn official_location(location: &Object<'_>, cwd: Option<&str>) -> Object<'static> {
    let mut official = Object::default();
    if let Some(path) = edit::string(location, "path") {
        official.put("path", &path::absolute(&path, cwd));
    }
    if let Some(line) = location.get("line") {
        official.set("line", line.to_owned());
    }
    official
}

/// A title for the user, from the tool and its input.
fn title(tool: &str, update: &Object<'_>) -> String {
    let (verb, name) = match tool {
        "fs/read_text_file" => ("Read", "path"),
        "fs/write_text_file" => ("Write", "path"),
        "terminal/create" => ("Run", "command"),
        _ => return tool.to_owned(),
    };
    let input = update.get("rawInput").map(Raw::parse);
    match input
        .and_then(Result::ok)
        .and_then(|input| input.string_member(name))
    {
        Some(object) => format!("{verb} {object}"),
        None => tool.to_owned(),
    }
}

fn kind(tool: &str) -> Option<&'static str> {
    match tool {
        "fs/read_text_file" => Some("read"),
        "fs/write_text_file" => Some("edit"),
        _ if tool.starts_with("terminal/") => Some("execute"),
        _ => None,
    }
}
