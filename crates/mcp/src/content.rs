//! Converts results of servers for the user and for the model, within size limits. A note says what was left out.

use attache::v1;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, ResourceContents, Role};
use serde_json::Value;

use super::{offerings, text};

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// The content for the user.
    pub for_user: Vec<v1::ContentBlock>,
    /// The content for the model.
    pub for_model: Vec<Content>,
    /// The result as data.
    pub raw: Option<Value>,
    /// Whether it failed.
    pub failed: bool,
}

/// A piece of a result, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// Its format, such as `image/png`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// Audio.
    Audio {
        /// Its format, such as `audio/wav`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

pub(super) fn result(result: CallToolResult) -> CallResult {
    let mut builder = ContentBuilder::new();
    for block in result.content {
        builder.add(block);
    }
    let raw = result
        .structured_content
        .filter(|value| *value != Value::Null);
    let raw = raw.map(|value| (value.to_string(), value));
    if let Some((words, _)) = &raw
        && builder.for_model.is_empty()
    {
        builder.add_text(words);
    }
    let raw = raw
        .filter(|(words, _)| words.len() <= RAW)
        .map(|(_, value)| value);
    builder.close();
    CallResult {
        for_user: builder.for_user,
        for_model: builder.for_model,
        raw,
        failed: result.is_error == Some(true),
    }
}

/// Converts a prompt. Messages in the assistant's role are marked.
pub(super) fn prompt(result: GetPromptResult) -> Vec<Content> {
    let mut builder = ContentBuilder::new();
    for message in result.messages {
        if message.role == Role::Assistant {
            builder.add_text("(The answer so far:)");
        }
        builder.add(message.content);
    }
    builder.close();
    builder.for_model
}

/// Converts the contents of a resource.
pub(super) fn resource(contents: Vec<ResourceContents>) -> Vec<Content> {
    let mut builder = ContentBuilder::new();
    for part in contents {
        builder.add_resource(part);
    }
    builder.close();
    builder.for_model
}

/// Builds the content for the user and for the model, and tracks the remaining room.
struct ContentBuilder {
    for_user: Vec<v1::ContentBlock>,
    for_model: Vec<Content>,
    text: usize,
    media: usize,
    blocks: usize,
    cut: usize,
    dropped: usize,
}

impl ContentBuilder {
    fn new() -> ContentBuilder {
        ContentBuilder {
            for_user: Vec::new(),
            for_model: Vec::new(),
            text: TEXT,
            media: MEDIA,
            blocks: BLOCKS,
            cut: 0,
            dropped: 0,
        }
    }

    fn add(&mut self, block: ContentBlock) {
        if self.blocks == 0 {
            self.dropped += 1;
            return;
        }
        self.blocks -= 1;
        match block {
            ContentBlock::Text(text) => self.add_text(&text.text),
            ContentBlock::Image(image) => self.add_image(image.mime_type, image.data),
            ContentBlock::Audio(audio) => self.add_audio(audio.mime_type, audio.data),
            ContentBlock::ResourceLink(resource) => match offerings::link(&resource) {
                Some(link) => self.add_link(link),
                None => self.dropped += 1,
            },
            ContentBlock::Resource(resource) => self.add_resource(resource.resource),
            _ => self.dropped += 1,
        }
    }

    fn add_text(&mut self, words: &str) {
        if let Some(words) = self.fit(words) {
            self.for_user.push(words.clone().into());
            self.for_model.push(Content::Text(words));
        }
    }

    fn add_link(&mut self, link: v1::ResourceLink) {
        if let Some(words) = self.fit(&format!("[resource {} <{}>]", link.name, link.uri)) {
            self.for_model.push(Content::Text(words));
            self.for_user.push(v1::ContentBlock::ResourceLink(link));
        }
    }

    fn add_resource(&mut self, resource: ResourceContents) {
        match resource {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. }
                if uri.len() > offerings::ADDRESS =>
            {
                self.dropped += 1;
            }
            ResourceContents::TextResourceContents {
                uri,
                mime_type,
                text,
                ..
            } => {
                if let Some(words) = self.fit(&text) {
                    self.for_model
                        .push(Content::Text(format!("{uri}:\n{words}")));
                    let mut contents = v1::TextResourceContents::new(words, uri);
                    contents.mime_type = mime_type.filter(|kind| kind.len() <= KIND);
                    let resource = v1::EmbeddedResourceResource::Text(contents);
                    let resource = v1::EmbeddedResource::new(resource);
                    self.for_user.push(v1::ContentBlock::Resource(resource));
                }
            }
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => match mime_type {
                Some(kind) if kind.starts_with("image/") => self.add_image(kind, blob),
                Some(kind) if kind.starts_with("audio/") => self.add_audio(kind, blob),
                _ => {
                    let bytes = blob.len() / 4 * 3;
                    self.add_text(&format!("[{uri}: about {bytes} bytes that are not text]"));
                }
            },
            _ => self.dropped += 1,
        }
    }

    fn add_image(&mut self, media_type: String, data: String) {
        if !IMAGES.contains(&media_type.as_str()) {
            return self.leave_out("picture", "models do not support its format");
        }
        if let Some(data) = self.fit_media("picture", data) {
            let image = v1::ImageContent::new(&*data, &*media_type);
            self.for_user.push(v1::ContentBlock::Image(image));
            self.for_model.push(Content::Image { media_type, data });
        }
    }

    fn add_audio(&mut self, media_type: String, data: String) {
        if media_type.len() > KIND {
            return self.leave_out("sound", "models do not support its format");
        }
        if let Some(data) = self.fit_media("sound", data) {
            let audio = v1::AudioContent::new(&*data, &*media_type);
            self.for_user.push(v1::ContentBlock::Audio(audio));
            self.for_model.push(Content::Audio { media_type, data });
        }
    }

    /// Checks base64, because providers reject a whole conversation with an image that can't be decoded.
    fn fit_media(&mut self, what: &str, data: String) -> Option<String> {
        if data.len() > ONE.min(self.media) {
            self.leave_out(what, "it is too large");
            return None;
        }
        if data.is_empty() || STANDARD.decode(&data).is_err() {
            self.leave_out(what, "it is not valid base64");
            return None;
        }
        self.media -= data.len();
        Some(data)
    }

    fn leave_out(&mut self, what: &str, why: &str) {
        self.add_text(&format!("[a {what} was left out: {why}]"));
    }

    fn fit(&mut self, words: &str) -> Option<String> {
        let (words, cut) = text::head(words, self.text);
        self.text -= words.len();
        self.cut += cut;
        (cut == 0 || !words.is_empty()).then(|| words.to_owned())
    }

    fn close(&mut self) {
        let note = match (self.cut, self.dropped) {
            (0, 0) => return,
            (cut, 0) => format!("[{cut} bytes of text were left out]"),
            (0, dropped) => format!("[{dropped} parts were left out]"),
            (cut, dropped) => {
                format!("[{cut} bytes of text and {dropped} parts were left out]")
            }
        };
        self.for_user.push(note.clone().into());
        self.for_model.push(Content::Text(note));
    }
}

const TEXT: usize = 96 * 1024;
const MEDIA: usize = 8 * 1024 * 1024;
const ONE: usize = 5 * 1024 * 1024;
const BLOCKS: usize = 64;
const KIND: usize = 100;
const RAW: usize = 64 * 1024;
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
