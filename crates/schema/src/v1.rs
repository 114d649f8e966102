//! Protocol version 1: all messages and types, under the names of the specification.
//!
//! All types are built the same way: `new` takes the required members, in the order of the specification, and each
//! optional member has a method of its name that sets it. MUST, SHOULD and MAY have the meaning of RFC 2119.
//!
//! ```
//! use attache_schema::v1;
//!
//! let call = v1::ToolCall::new("call-1", "Read main.rs").kind(v1::ToolKind::Read);
//! assert_eq!(call.status, v1::ToolCallStatus::Pending);
//! ```

mod agent_capabilities;
mod auth;
mod cancel;
mod client_capabilities;
mod compaction;
mod config_option;
mod content;
mod elicitation;
mod elicitation_schema;
mod fs;
mod initialize;
mod mcp_message;
mod mcp_server;
mod mode;
mod notice;
mod permission;
mod plan;
mod prompt;
mod provider;
mod proxy;
mod session;
mod session_catalog;
mod subagent;
mod terminal;
mod tool_call;
mod update;

pub use crate::error::ErrorCode;
pub use agent_capabilities::*;
pub use attache_rpc::{Error, Id as RequestId};
pub use auth::*;
pub use cancel::*;
pub use client_capabilities::*;
pub use compaction::*;
pub use config_option::*;
pub use content::*;
pub use elicitation::*;
pub use elicitation_schema::*;
pub use fs::*;
pub use initialize::*;
pub use mcp_message::*;
pub use mcp_server::*;
pub use mode::*;
pub use notice::*;
pub use permission::*;
pub use plan::*;
pub use prompt::*;
pub use provider::*;
pub use proxy::*;
pub use session::*;
pub use session_catalog::*;
pub use subagent::*;
pub use terminal::*;
pub use tool_call::*;
pub use update::*;
