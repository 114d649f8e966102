//! Content blocks: what messages, prompts and tool results are made of.

use attache_rpc::json::{Decode, Encode, Error, Members, Problem, Reader, write};

union! {
    /// One piece of content: text, an image, a sound, or a resource.
    pub enum ContentBlock by "type" {
        /// Plain or Markdown text; every agent takes it.
        Text(TextContent) = "text",
        /// An image; in prompts only if the agent takes images.
        Image(ImageContent) = "image",
        /// A sound; in prompts only if the agent takes audio.
        Audio(AudioContent) = "audio",
        /// A pointer to something the agent can read for itself; every agent takes it.
        ResourceLink(ResourceLink) = "resource_link",
        /// The contents of a resource; in prompts only if the agent takes embedded context.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        ContentBlock::Text(TextContent::new(text))
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        ContentBlock::Text(TextContent::new(text))
    }
}

message! {
    /// Text.
    pub struct TextContent {
        /// The text itself.
        text: String = "text",
        ..
        /// Hints on how to use it.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// An image.
    pub struct ImageContent {
        /// The image in base64.
        data: String = "data",
        /// Its type, such as `image/png`.
        mime_type: String = "mimeType",
        ..
        /// Where it came from.
        uri: Option<String> = "uri" lenient,
        /// Hints on how to use it.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// A sound.
    pub struct AudioContent {
        /// The sound in base64.
        data: String = "data",
        /// Its type, such as `audio/wav`.
        mime_type: String = "mimeType",
        ..
        /// Hints on how to use it.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// A pointer to a resource.
    pub struct ResourceLink {
        /// A name for people.
        name: String = "name",
        /// Where it is.
        uri: String = "uri",
        ..
        /// A title for people, if the name is not fit for them.
        title: Option<String> = "title" lenient,
        /// What it is.
        description: Option<String> = "description" lenient,
        /// Its type.
        mime_type: Option<String> = "mimeType" lenient,
        /// Its length in bytes.
        size: Option<i64> = "size" lenient,
        /// Hints on how to use it.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// A resource with its contents.
    pub struct EmbeddedResource {
        /// The contents.
        resource: EmbeddedResourceResource = "resource",
        ..
        /// Hints on how to use it.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

/// The contents of a resource: text or bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum EmbeddedResourceResource {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

message! {
    /// A resource that is text.
    pub struct TextResourceContents {
        /// The text.
        text: String = "text",
        /// Where it came from.
        uri: String = "uri",
        ..
        /// Its type.
        mime_type: Option<String> = "mimeType" lenient,
    }
}

message! {
    /// A resource that is bytes.
    pub struct BlobResourceContents {
        /// The bytes in base64.
        blob: String = "blob",
        /// Where they came from.
        uri: String = "uri",
        ..
        /// Their type.
        mime_type: Option<String> = "mimeType" lenient,
    }
}

message! {
    /// Hints on how a piece of content should be used.
    pub struct Annotations {
        ..
        /// Whom it is for.
        audience: Option<Vec<Role>> = "audience" optional_items,
        /// When it was last changed, in ISO 8601.
        last_modified: Option<String> = "lastModified" lenient,
        /// How important it is, from 0 to 1.
        priority: Option<f64> = "priority" lenient,
    }
}

open_enum! {
    /// A side of the conversation.
    pub enum Role {
        /// The agent.
        Assistant = "assistant",
        /// The person.
        User = "user",
    }
}

impl Decode for EmbeddedResourceResource {
    /// Nothing names the variant: the members do, and text wins where both are there.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mark = reader.mark();
        let as_text = match TextResourceContents::decode(reader) {
            Ok(text) => return Ok(Self::Text(text)),
            Err(error) => error,
        };
        reader.reset(mark);
        match BlobResourceContents::decode(reader) {
            Ok(blob) => Ok(Self::Blob(blob)),
            Err(as_blob) if as_blob.problem() == Problem::Missing => Err(as_text),
            Err(as_blob) => Err(as_blob),
        }
    }
}

impl Members for EmbeddedResourceResource {
    fn members(&self, out: &mut String) {
        match self {
            Self::Text(text) => text.members(out),
            Self::Blob(blob) => blob.members(out),
        }
    }
}

impl Encode for EmbeddedResourceResource {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

serde_bridge! { EmbeddedResourceResource }
