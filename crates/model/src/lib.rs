//! Language models: a conversation in, a stream of events out.
//!
//! A [`Model`] knows nothing of sessions, files or the protocol. It is given what was said and which tools there are, and
//! says what comes next.

mod catalog;
mod conversation;
pub mod embedded;
mod error;
mod event;
mod http;
mod model_info;
mod provider_endpoint;
mod remote;
pub mod scripted;
mod thought_signature;
mod wire;

use std::pin::Pin;

use futures_util::Stream;

pub use catalog::{ApiKey, Catalog, Environment, ProviderAddress, ProviderConfig, ProviderInfo};
pub use conversation::{Input, Message, Output, Request, ToolCall, ToolResult, ToolSpec};
pub use error::Error;
pub use event::{Event, Stop, Usage};
pub use model_info::{ModelInfo, Price, ThinkingLevel};
pub use provider_endpoint::ProviderConfigError;
pub use remote::RetryPolicy;
pub use wire::Protocol;

/// Something that continues a conversation.
pub trait Model: Send + Sync + std::fmt::Debug {
    /// What it is and can do.
    fn info(&self) -> &ModelInfo;

    /// Continues a conversation. Nothing is sent before the answer is polled, and an answer that is dropped is given up.
    fn answer(&self, request: Request) -> Answer;
}

/// What a model says, as it says it. It ends with [`Event::End`] or an error, and nothing comes after either.
pub type Answer = Pin<Box<dyn Stream<Item = Result<Event, Error>> + Send>>;
