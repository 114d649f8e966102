//! Language models: a conversation in, a stream of events out.
//!
//! A [`Model`] knows nothing of sessions, files or the protocol. It is given what was said and which tools there are, and
//! says what comes next.

mod card;
mod catalog;
mod conversation;
pub mod embedded;
mod endpoint;
mod error;
mod event;
mod http;
mod remote;
pub mod scripted;
mod seal;
mod wire;

use std::pin::Pin;

use futures_util::Stream;

pub use card::{Card, Price, Thought};
pub use catalog::{Catalog, Environment, Key, ProviderInfo, Route, Setting};
pub use conversation::{Input, Message, Output, Request, Tool, ToolCall, ToolResult};
pub use endpoint::SettingError;
pub use error::Error;
pub use event::{Event, Stop, Usage};
pub use remote::Patience;
pub use wire::Protocol;

/// Something that continues a conversation.
pub trait Model: Send + Sync + std::fmt::Debug {
    /// What it is and can do.
    fn card(&self) -> &Card;

    /// Continues a conversation. Nothing is sent before the answer is polled, and an answer that is dropped is given up.
    fn answer(&self, request: Request) -> Answer;
}

/// What a model says, as it says it. It ends with [`Event::End`] or an error, and nothing comes after either.
pub type Answer = Pin<Box<dyn Stream<Item = Result<Event, Error>> + Send>>;
