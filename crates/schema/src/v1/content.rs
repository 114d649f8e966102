//! Content blocks, which prompts, messages and tool results consist of. They have the shape of MCP's content blocks.

use attache_rpc::json::{Decode, DecodeError, Encode, Members, Problem, Reader, write};

union! {
    /// A piece of content: text, an image, audio or a resource.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub enum ContentBlock by "type" {
        /// Text, which the client SHOULD show as Markdown. Every agent MUST accept it in prompts.
        Text(TextContent) = "text",
        /// An image. In prompts only if the agent advertises `promptCapabilities.image`.
        Image(ImageContent) = "image",
        /// Audio. In prompts only if the agent advertises `promptCapabilities.audio`.
        Audio(AudioContent) = "audio",
        /// A link to a resource that the agent can read itself. Every agent MUST accept it in prompts.
        ResourceLink(ResourceLink) = "resource_link",
        /// A resource with its contents, the preferred way to send context. In prompts only if the agent advertises
        /// `promptCapabilities.embeddedContext`.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// The text, for a text block.
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
    /// Text, plain or Markdown.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct TextContent {
        /// The text.
        text: String = "text",
        ..
        /// Hints for showing and using the block.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// An image.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct ImageContent {
        /// The image in base64.
        data: String = "data",
        /// MIME type of the image, such as `image/png`.
        mime_type: String = "mimeType",
        ..
        /// URI of the image's source.
        uri: Option<String> = "uri" lenient,
        /// Hints for showing and using the block.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// Audio.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct AudioContent {
        /// The audio in base64.
        data: String = "data",
        /// MIME type of the audio, such as `audio/wav`.
        mime_type: String = "mimeType",
        ..
        /// Hints for showing and using the block.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// A link to a resource that the agent can read.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct ResourceLink {
        /// Name of the resource.
        name: String = "name",
        /// URI of the resource.
        uri: String = "uri",
        ..
        /// Title for the user. Default: `name`.
        title: Option<String> = "title" lenient,
        /// Description for the user.
        description: Option<String> = "description" lenient,
        /// MIME type of the resource.
        mime_type: Option<String> = "mimeType" lenient,
        /// Size in bytes, if known.
        size: Option<i64> = "size" lenient,
        /// Hints for showing and using the block.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

message! {
    /// A resource together with its contents.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct EmbeddedResource {
        /// The contents.
        resource: EmbeddedResourceResource = "resource",
        ..
        /// Hints for showing and using the block.
        annotations: Option<Box<Annotations>> = "annotations" lenient,
    }
}

/// The contents of a resource: text or bytes.
///
/// See [Content](https://agentclientprotocol.com/protocol/v1/content).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EmbeddedResourceResource {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

message! {
    /// A resource whose contents are text.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct TextResourceContents {
        /// The text.
        text: String = "text",
        /// URI of the resource.
        uri: String = "uri",
        ..
        /// MIME type of the resource.
        mime_type: Option<String> = "mimeType" lenient,
    }
}

message! {
    /// A resource whose contents are bytes.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct BlobResourceContents {
        /// The bytes in base64.
        blob: String = "blob",
        /// URI of the resource.
        uri: String = "uri",
        ..
        /// MIME type of the resource.
        mime_type: Option<String> = "mimeType" lenient,
    }
}

message! {
    /// Hints for showing and using a content block.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub struct Annotations {
        ..
        /// Who the block is for. Default: everyone.
        audience: Option<Vec<Role>> = "audience" optional_items,
        /// Time of the last change of the resource, in ISO 8601.
        last_modified: Option<String> = "lastModified" lenient,
        /// How important the block is, from 0 (least) to 1 (most).
        priority: Option<f64> = "priority" lenient,
    }
}

open_enum! {
    /// A side of the conversation.
    ///
    /// See [Content](https://agentclientprotocol.com/protocol/v1/content).
    pub enum Role {
        /// The agent.
        Assistant = "assistant",
        /// The user.
        User = "user",
    }
}

impl Decode for EmbeddedResourceResource {
    /// The member that is present decides the variant; if both are, the text counts.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
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
