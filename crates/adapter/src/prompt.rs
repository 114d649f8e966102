//! Converts ACP prompts to the CLI's frames and back. Pure functions.

use attache::v1;
use serde_json::{Value, json};

use crate::frames::between;

/// The frame for a prompt.
pub fn user_frame(prompt: &[v1::ContentBlock], uuid: &str) -> Value {
    json!({
        "type": "user",
        "message": { "role": "user", "content": content(prompt) },
        "parent_tool_use_id": null,
        "session_id": "",
        "uuid": uuid,
    })
}

/// The frame for a steering message, which the CLI accepts before it finishes its current work.
pub fn steering_frame(prompt: &[v1::ContentBlock], uuid: &str) -> Value {
    let mut frame = user_frame(prompt, uuid);
    frame["priority"] = json!("now");
    frame
}

/// Why a prompt can't be sent to the CLI; `None` if it can.
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

/// The command that makes the CLI continue in another transcript, where clients would not find this session; `None` if
/// the prompt is not such a command.
pub fn clear_command(prompt: &[v1::ContentBlock]) -> Option<&str> {
    let last = prompt.iter().rev().find_map(v1::ContentBlock::as_text)?;
    let name = last.split_whitespace().next()?.strip_prefix('/')?;
    CLEAR.contains(&name).then_some(name)
}

/// The start of the prompt as a title.
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

/// The content blocks for the CLI. The texts of resources come last, each named by the link where it was attached.
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
                _ => blocks.push(text("[a resource of an unknown kind was attached]")),
            },
            _ => {}
        }
    }
    blocks.append(&mut contexts);
    blocks
}

/// Reads back an attachment from its text in a transcript.
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

/// The URI and the text of a resource in a transcript.
pub(crate) fn context_block(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("\n<context ref=\"")?;
    let (uri, inner) = rest.split_once("\">\n")?;
    Some((uri, inner.strip_suffix("\n</context>")?))
}

/// Whether the text of a user message was written by the CLI.
pub fn is_markup(text: &str) -> bool {
    let text = text.trim_start();
    INTERNAL.iter().any(|tag| text.starts_with(tag)) || is_interruption(text)
}

/// The text that the user typed; `None` if the CLI wrote all of it. Slash commands appear as they were typed.
pub fn prompt_text(text: &str) -> Option<String> {
    let is_command = text.trim_start().starts_with("<command-");
    if let Some(command) = between(text, "<command-name>", "</command-name>").filter(|_| is_command)
    {
        let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
        let command = command.trim_start_matches('/');
        return Some(format!("/{command} {arguments}").trim_end().to_owned());
    }
    let text = without_reminders(text);
    let is_nothing = text.trim().is_empty() || is_markup(&text);
    (!is_nothing).then_some(text)
}

/// The output of a command that the CLI handled itself.
pub(crate) fn local_output(text: &str) -> Option<&str> {
    if !text.trim_start().starts_with("<local-command-") {
        return None;
    }
    between(text, "<local-command-stdout>", "</local-command-stdout>")
        .or_else(|| between(text, "<local-command-stderr>", "</local-command-stderr>"))
}

/// Whether this is the CLI's confirmation of a model that we set.
pub(crate) fn is_hush(output: &str) -> bool {
    output.starts_with("Set model to")
}

fn is_interruption(text: &str) -> bool {
    text.starts_with("[Request interrupted by user")
}

fn without_reminders(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = after
            .split_once("</system-reminder>")
            .map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// `/mcp:server:prompt` becomes `/server:prompt (MCP)`, the CLI's name for it.
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

/// A file as the CLI's mention of it, any other URI unchanged.
fn file_mention(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("[@{name}]({uri})")
}

/// The response to a command that would clear the session.
pub const NO_CLEAR: &str = "A session cannot be cleared here: open a new one instead.";
const CLEAR: &[&str] = &["clear", "reset", "new"];
const TITLE: usize = 80;
const INTERNAL: &[&str] = &[
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<system-reminder>",
    "<task-notification>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "Caveat: The messages below were generated by the user while running local commands",
    "This session is being continued from a previous conversation",
];
