//! Tool calls: one location instead of a list, and content blocks without a wrapper.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::content;
use crate::{bridge, edit};

pub(super) fn read(call: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(call, "location") == Some(ValueKind::Object) {
        edit::member(call, "location", |location| Ok(format!("[{location}]")))?;
    }
    call.rename("location", "locations");
    edit::items(call, "content", read_item)
}

pub(super) fn write(call: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::string(call, "kind").as_deref() == Some("switch_mode") {
        call.put("kind", "other");
    }
    if let Some(locations) = call.get("locations")
        && let Ok(locations) = json::from_str::<Vec<Raw>>(locations)
    {
        match locations.first() {
            Some(location) => call.put("locations", location),
            None => drop(call.take("locations")),
        }
    }
    call.rename("locations", "location");
    edit::items(call, "content", write_item)
}

fn read_item(item: &str) -> Result<String, DecodeError> {
    let Some(kind) = edit::tag(item, "type") else {
        return Ok(item.to_owned());
    };
    edit::object(item, |item| match kind.as_str() {
        "diff" => edit::move_to_meta(item, &["mimeType"]),
        "terminal" => edit::move_to_meta(item, &["command", "exitCode"]),
        "content" => edit::part(item, "content", content::read),
        _ => content::read(item),
    })
    .map(|item| bridge::wrapped(&kind, item))
}

fn write_item(item: &str) -> Result<String, DecodeError> {
    match edit::tag(item, "type").as_deref() {
        Some("diff") => edit::object(item, write_diff),
        Some("terminal") => edit::object(item, edit::restore_from_meta),
        Some("content") => match Object::parse(item)?.get("content") {
            Some(block) if edit::tag(block, "type").is_some() => {
                edit::object(block, content::write)
            }
            _ => Ok(item.to_owned()),
        },
        _ => Ok(item.to_owned()),
    }
}

/// A new file has an empty old text in this shape, like an empty file.
fn write_diff(diff: &mut Object<'_>) -> Result<(), DecodeError> {
    if matches!(edit::kind(diff, "oldText"), None | Some(ValueKind::Null)) {
        diff.put("oldText", "");
    }
    edit::restore_from_meta(diff)
}
