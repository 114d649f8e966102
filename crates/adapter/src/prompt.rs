//! Prompts of ACP as the CLI takes them. Plain functions of the data.

use attache::v1;
use serde_json::{Value, json};

/// The frame that prompts the CLI.
pub fn user_frame(prompt: &[v1::ContentBlock], uuid: &str) -> Value {
    json!({
        "type": "user",
        "message": { "role": "user", "content": content(prompt) },
        "parent_tool_use_id": null,
        "session_id": "",
        "uuid": uuid,
    })
}

/// The same, to be taken before whatever the CLI does is done.
pub fn steering_frame(prompt: &[v1::ContentBlock], uuid: &str) -> Value {
    let mut frame = user_frame(prompt, uuid);
    frame["priority"] = json!("now");
    frame
}

/// Why a prompt cannot be given to the CLI; none if it can.
pub fn unsupported_reason(prompt: &[v1::ContentBlock]) -> Option<&'static str> {
    use v1::ContentBlock::{Image, Resource, ResourceLink, Text};
    let is_taken = |block| matches!(block, &(Text(_) | Image(_) | ResourceLink(_) | Resource(_)));
    let is_blank = |block: &v1::ContentBlock| {
        let text = block.as_text();
        text.is_some_and(|text| text.trim().is_empty())
    };
    match prompt.iter().all(is_taken) {
        true if prompt.iter().all(is_blank) => Some("the prompt is empty"),
        true => None,
        false => Some("only text, images, links and resources are supported"),
    }
}

/// The command that would make the CLI go on in another transcript, where nobody who knows this session finds it; none
/// if the prompt is none.
pub fn clear_command(prompt: &[v1::ContentBlock]) -> Option<&str> {
    let last = prompt.iter().rev().find_map(v1::ContentBlock::as_text)?;
    let name = last.split_whitespace().next()?.strip_prefix('/')?;
    CLEAR.contains(&name).then_some(name)
}

/// The first words, as a title; none if there are none.
pub fn title(prompt: &[v1::ContentBlock]) -> Option<String> {
    let text = prompt.iter().find_map(v1::ContentBlock::as_text)?;
    let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let title: String = line.chars().take(TITLE).collect();
    Some(if title.len() < line.len() {
        title + "…"
    } else {
        title
    })
}

/// The texts of resources come last, each named by the link that stands where it was attached.
fn content(prompt: &[v1::ContentBlock]) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut contexts = Vec::new();
    for block in prompt {
        match block {
            v1::ContentBlock::Text(content) => blocks.push(text(&command(&content.text))),
            v1::ContentBlock::Image(content) => blocks.push(image(content)),
            v1::ContentBlock::ResourceLink(link) => blocks.push(text(&file_mention(&link.uri))),
            v1::ContentBlock::Resource(resource) => match &resource.resource {
                v1::EmbeddedResourceResource::Text(resource) => {
                    blocks.push(text(&file_mention(&resource.uri)));
                    let (uri, inner) = (&resource.uri, &resource.text);
                    contexts.push(text(&format!(
                        "\n<context ref=\"{uri}\">\n{inner}\n</context>"
                    )));
                }
                v1::EmbeddedResourceResource::Blob(resource) => blocks.push(blob(resource)),
            },
            _ => {}
        }
    }
    blocks.append(&mut contexts);
    blocks
}

/// What was attached to a prompt, from the text that stands for it in a transcript.
pub fn attached_content(text: &str) -> Option<v1::ContentBlock> {
    if let Some((uri, inner)) = context_block(text) {
        let resource = v1::TextResourceContents::new(inner, uri);
        let resource = v1::EmbeddedResourceResource::Text(resource);
        return Some(v1::ContentBlock::Resource(v1::EmbeddedResource::new(
            resource,
        )));
    }
    let (name, uri) = text
        .strip_prefix("[@")?
        .strip_suffix(')')?
        .split_once("](")?;
    let is_ours = file_mention(uri) == text;
    is_ours.then(|| v1::ContentBlock::ResourceLink(v1::ResourceLink::new(name, uri)))
}

/// The address and the text of a resource in a transcript.
pub(crate) fn context_block(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("\n<context ref=\"")?;
    let (uri, inner) = rest.split_once("\">\n")?;
    Some((uri, inner.strip_suffix("\n</context>")?))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// `/mcp:server:prompt` is `/server:prompt (MCP)` to the CLI.
fn command(typed: &str) -> String {
    let Some(rest) = typed.strip_prefix("/mcp:") else {
        return typed.to_owned();
    };
    let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
    format!("/{name} (MCP) {arguments}").trim_end().to_owned()
}

fn image(image: &v1::ImageContent) -> Value {
    let is_page = |uri: &&String| uri.starts_with("http://") || uri.starts_with("https://");
    let source = match image.uri.as_ref().filter(is_page) {
        Some(uri) if image.data.is_empty() => json!({ "type": "url", "url": uri }),
        _ => json!({ "type": "base64", "media_type": image.mime_type, "data": image.data }),
    };
    json!({ "type": "image", "source": source })
}

fn blob(resource: &v1::BlobResourceContents) -> Value {
    let kind = resource.mime_type.as_deref().unwrap_or_default();
    let source = json!({ "type": "base64", "media_type": kind, "data": resource.blob });
    match kind {
        "application/pdf" => json!({ "type": "document", "source": source }),
        kind if kind.starts_with("image/") => json!({ "type": "image", "source": source }),
        _ => text(&file_mention(&resource.uri)),
    }
}

/// A file by the mark that the CLI knows, anything else as it is.
fn file_mention(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("[@{name}]({uri})")
}

/// What is said instead of clearing a session.
pub const NO_CLEAR: &str = "A session cannot be cleared here: open a new one instead.";
const CLEAR: &[&str] = &["clear", "reset", "new"];
const TITLE: usize = 80;
