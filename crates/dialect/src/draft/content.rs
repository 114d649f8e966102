//! Content blocks: the draft wraps images and sounds in a `source`, leaves links without a name, and makes embedded
//! resources flat.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::{draft_meta, shape};
use crate::edit;

/// Reads a draft block.
pub(super) fn read(block: &mut Object<'_>) -> Result<(), DecodeError> {
    match edit::string(block, "type").as_deref() {
        Some("image" | "audio") if edit::kind(block, "source") == Some(ValueKind::Object) => {
            read_source(block)
        }
        Some("resource_link") => {
            if !block.has("name") {
                block.put("name", &link_name(block));
            }
            Ok(())
        }
        Some("resource") if !block.has("resource") => read_resource(block),
        _ => Ok(()),
    }
}

/// Writes a block for the draft.
pub(super) fn write(block: &mut Object<'_>) -> Result<(), DecodeError> {
    match edit::string(block, "type").as_deref() {
        Some("image" | "audio") if block.has("data") => write_source(block),
        Some("resource_link") => write_link(block),
        Some("resource") => write_resource(block),
        _ => Ok(()),
    }
}

/// The official block as text, for members of the draft that accept text only.
pub(super) fn text_of(block: &Object<'_>) -> String {
    let string = |name| edit::string(block, name).unwrap_or_default();
    match &*string("type") {
        "text" => string("text"),
        "resource_link" => format!("[{}]({})", string("name"), string("uri")),
        "resource" => {
            let resource = block.get("resource").map(Raw::parse);
            let member = |name| match &resource {
                Some(Ok(resource)) => resource.string_member(name),
                _ => None,
            };
            let link = || format!("[resource]({})", member("uri").unwrap_or_default());
            member("text").unwrap_or_else(link)
        }
        kind => format!("[{}]", format!("{kind} {}", string("mimeType")).trim()),
    }
}

/// An image or audio with a URI instead of data has no official form; it becomes a link.
fn read_source(block: &mut Object<'_>) -> Result<(), DecodeError> {
    let text = block.get("source").unwrap_or("{}").to_owned();
    let source = Object::parse(&text)?;
    let Some(url) = edit::string(&source, "url").filter(|_| !source.has("data")) else {
        for (from, to) in [("data", "data"), ("mediaType", "mimeType")] {
            if let Some(json) = source.get(from) {
                block.set(to, json.to_owned());
            }
        }
        block.take("source");
        return Ok(());
    };
    draft_meta::put(block, "source", &text)?;
    let kind = block.take("type").unwrap_or_default();
    draft_meta::put(block, "type", &kind)?;
    block.take("source");
    block.set("type", "\"resource_link\"");
    block.put("uri", &url);
    block.put("name", tail(&url));
    if let Some(media) = source.get("mediaType") {
        block.set("mimeType", media.to_owned());
    }
    Ok(())
}

fn write_source(block: &mut Object<'_>) -> Result<(), DecodeError> {
    let mut source = Object::default();
    let (data, mime) = (block.take("data"), block.take("mimeType"));
    let uri = edit::string(block, "uri").filter(|_| data.as_deref() == Some("\"\""));
    source.put("type", if uri.is_some() { "url" } else { "base64" });
    if let Some(mime) = mime {
        source.set("mediaType", mime.into_owned());
    }
    match (uri, data) {
        (Some(uri), _) => {
            block.take("uri");
            source.put("url", &uri);
        }
        (None, Some(data)) => source.set("data", data.into_owned()),
        (None, None) => (),
    }
    block.put("source", &source);
    Ok(())
}

fn write_link(block: &mut Object<'_>) -> Result<(), DecodeError> {
    if draft_meta::peek(block, "source").is_some() {
        for name in ["type", "uri", "name", "mimeType"] {
            block.take(name);
        }
        return edit::restore_from_meta(block);
    }
    if edit::string(block, "name").as_deref() == Some(&*link_name(block)) {
        block.take("name");
    }
    Ok(())
}

fn read_resource(block: &mut Object<'_>) -> Result<(), DecodeError> {
    let mut resource = Object::default();
    for (from, to) in [
        ("uri", "uri"),
        ("mimeType", "mimeType"),
        ("content", "text"),
    ] {
        if let Some(json) = block.take(from) {
            resource.set(to, json.into_owned());
        }
    }
    if let Some(blob) = block.take("blob") {
        resource.take("text");
        resource.set("blob", blob.into_owned());
    }
    block.put("resource", &resource);
    edit::move_to_meta(block, &["title"])
}

/// The draft has no member for bytes; they go into a member of their own next to an empty text.
fn write_resource(block: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(block, "resource") != Some(ValueKind::Object) {
        return Ok(());
    }
    let text = block.take("resource").unwrap_or_default();
    let mut resource = Object::parse(&text)?;
    resource.rename("text", "content");
    shape::fill(&mut resource, "content", "\"\"");
    edit::restore_from_meta(block)?;
    shape::fill_from(block, &json::to_string(&resource));
    Ok(())
}

/// The name of a link without one: its title, or the last part of its URI.
fn link_name(block: &Object<'_>) -> String {
    let title = edit::string(block, "title").filter(|title| !title.is_empty());
    title.unwrap_or_else(|| tail(&edit::string(block, "uri").unwrap_or_default()).to_owned())
}

/// The last part of a URI, or the whole URI if the part is empty.
pub(super) fn tail(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let last = path.trim_end_matches('/').rsplit('/').next();
    last.filter(|last| !last.is_empty()).unwrap_or(uri)
}
