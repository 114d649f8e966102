//! Content blocks in one line.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache::v1;

use crate::figures;
use attache_text::plain;

/// One line for a content block: the first line of a text, otherwise the kind of content with its type and size.
pub fn summary_line(block: &v1::ContentBlock) -> String {
    match block {
        v1::ContentBlock::Text(content) => {
            plain::line(content.text.lines().next().unwrap_or_default()).into_owned()
        }
        v1::ContentBlock::Image(image) => {
            let from = image
                .uri
                .as_deref()
                .map(|uri| format!(" from {}", plain::line(uri)));
            media("image", &image.mime_type, &image.data) + &from.unwrap_or_default()
        }
        v1::ContentBlock::Audio(audio) => media("audio", &audio.mime_type, &audio.data),
        v1::ContentBlock::ResourceLink(link) => resource_link(link),
        v1::ContentBlock::Resource(resource) => embedded(&resource.resource),
        v1::ContentBlock::Other(_) => unknown_kind(&block.tag()),
        unknown => unknown_kind(&unknown.tag()),
    }
}

fn unknown_kind(tag: &str) -> String {
    format!("[content of a type unknown here: {}]", plain::line(tag))
}

fn media(word: &str, mime_type: &str, data: &str) -> String {
    let size = figures::bytes(figures::decoded_bytes(data));
    format!("[{word} {}, {size}]", plain::line(mime_type))
}

fn resource_link(link: &v1::ResourceLink) -> String {
    let name = link.title.as_deref().unwrap_or(&link.name);
    let mut text = format!("[link {} ({})", plain::line(name), plain::line(&link.uri));
    if let Some(mime_type) = &link.mime_type {
        text += &format!(", {}", plain::line(mime_type));
    }
    if let Some(size) = link.size.and_then(|size| u64::try_from(size).ok()) {
        text += &format!(", {}", figures::bytes(size));
    }
    text + "]"
}

fn embedded(resource: &v1::EmbeddedResourceResource) -> String {
    let (uri, mime_type, size) = match resource {
        v1::EmbeddedResourceResource::Text(text) => (
            &text.uri,
            &text.mime_type,
            u64::try_from(text.text.len()).unwrap_or(u64::MAX),
        ),
        v1::EmbeddedResourceResource::Blob(blob) => (
            &blob.uri,
            &blob.mime_type,
            figures::decoded_bytes(&blob.blob),
        ),
        _ => return unknown_kind("resource"),
    };
    let mime_type = mime_type
        .as_deref()
        .map(|kind| format!("{}, ", plain::line(kind)));
    format!(
        "[file {}, {}{}]",
        plain::line(uri),
        mime_type.unwrap_or_default(),
        figures::bytes(size)
    )
}
