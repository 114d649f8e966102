//! Size of values in memory, for the limit of a transcript.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache_schema::json::{self, Encode, Raw};
use attache_schema::{FilePath, Meta, v1};

/// A value that reports how many bytes it owns beyond its own size.
pub(super) trait Weight {
    fn weight(&self) -> usize;
}

/// Size of a small or rare value, estimated by its JSON text.
pub(super) fn encoded<T: Encode>(value: &T) -> usize {
    json::to_string(value).len()
}

impl<T: Weight> Weight for Option<T> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(0, T::weight)
    }
}

impl<T: Weight> Weight for Vec<T> {
    fn weight(&self) -> usize {
        let own = self.len().saturating_mul(size_of::<T>());
        own + self.iter().map(T::weight).sum::<usize>()
    }
}

impl<T: Weight> Weight for Box<T> {
    fn weight(&self) -> usize {
        size_of::<T>() + (**self).weight()
    }
}

macro_rules! texts {
    ($($Type:ty),*) => {
        $(impl Weight for $Type {
            fn weight(&self) -> usize {
                self.as_str().len()
            }
        })*
    };
}

texts! {
    String, Raw, Meta, FilePath, v1::MessageId, v1::ToolCallId, v1::TerminalId, v1::CompactionId, v1::SessionId,
    v1::Role, v1::ToolKind, v1::ToolCallStatus
}

/// Lists all members of each type. A test finds types with members that are not listed.
macro_rules! objects {
    ($($Type:path { $($member:ident)* } $({ $($fixed:ident)* })?)*) => {
        $(impl Weight for $Type {
            fn weight(&self) -> usize {
                let $Type { $($member,)* $($($fixed: _,)*)? .. } = self;
                0 $(+ $member.weight())*
            }
        })*

        #[test]
        fn all_members_are_weighed() {
            $(
                let listed = [$(stringify!($member),)* $($(stringify!($fixed),)*)?];
                assert_eq!(listed.len(), <$Type>::MEMBERS.len(), "{}", stringify!($Type));
            )*
        }
    };
}

objects! {
    v1::TextContent { text annotations meta }
    v1::ImageContent { data mime_type uri annotations meta }
    v1::AudioContent { data mime_type annotations meta }
    v1::ResourceLink { name uri title description mime_type annotations meta } { size }
    v1::EmbeddedResource { resource annotations meta }
    v1::TextResourceContents { text uri mime_type meta }
    v1::BlobResourceContents { blob uri mime_type meta }
    v1::Annotations { audience last_modified meta } { priority }
    v1::ToolCall { tool_call_id title name kind status content locations raw_input raw_output meta }
    v1::Content { content meta }
    v1::Diff { path new_text old_text meta }
    v1::Terminal { terminal_id meta }
    v1::ToolCallLocation { path meta } { line }
}

impl Weight for v1::ContentBlock {
    fn weight(&self) -> usize {
        match self {
            Self::Text(content) => content.weight(),
            Self::Image(content) => content.weight(),
            Self::Audio(content) => content.weight(),
            Self::ResourceLink(link) => link.weight(),
            Self::Resource(resource) => resource.weight(),
            Self::Other(raw) => raw.weight(),
            unknown => encoded(unknown),
        }
    }
}

impl Weight for v1::EmbeddedResourceResource {
    fn weight(&self) -> usize {
        match self {
            Self::Text(contents) => contents.weight(),
            Self::Blob(contents) => contents.weight(),
            unknown => encoded(unknown),
        }
    }
}

impl Weight for v1::ToolCallContent {
    fn weight(&self) -> usize {
        match self {
            Self::Content(content) => content.weight(),
            Self::Diff(diff) => diff.weight(),
            Self::Terminal(terminal) => terminal.weight(),
            Self::Other(raw) => raw.weight(),
            unknown => encoded(unknown),
        }
    }
}
