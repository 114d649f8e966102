//! Language models: a conversation goes in, a stream of events comes out.
//!
//! A [`Model`] knows nothing of sessions, files or ACP. A request contains the conversation and the available tools; the
//! answer continues the conversation.

mod catalog;
mod conversation;
pub mod embedded;
mod error;
mod http;
mod model_info;
mod provider_endpoint;
mod remote;
pub mod scripted;
mod wire;

use std::pin::Pin;

use futures_util::Stream;

pub use catalog::{ApiKey, Catalog, Environment, ProviderAddress, ProviderConfig, ProviderInfo};
pub use conversation::{
    Event, Input, Message, Output, Request, Stop, ToolCall, ToolResult, ToolSpec, Usage,
};
pub use error::Error;
pub use model_info::{ModelInfo, Price, ThinkingLevel};
pub use provider_endpoint::ProviderConfigError;
pub use remote::RetryPolicy;
pub use wire::Protocol;

/// A language model.
pub trait Model: Send + Sync + std::fmt::Debug {
    /// Properties and capabilities of the model.
    fn info(&self) -> &ModelInfo;

    /// Continues a conversation. Nothing is sent before the answer is polled, and dropping the answer cancels it.
    fn answer(&self, request: Request) -> Answer;
}

/// The events of a model's answer. The stream ends after [`Event::End`] or an error.
pub type Answer = Pin<Box<dyn Stream<Item = Result<Event, Error>> + Send>>;
