//! A client for one user: conversations with agents, without a screen.
//!
//! A [`Conversation`] talks with one agent: it takes [`Command`]s, returns [`Event`]s, and serves files, terminals and
//! permission requests. The headless printer of [`mod@print`] is one reader of those events, the terminal UI,
//! a crate of its own, is another.

pub mod agent_sessions;
pub mod agents;
pub mod archive;
pub mod command;
pub mod config;
pub mod content;
pub mod conversation;
pub mod doctor;
pub mod event;
pub mod export;
pub mod figures;
pub mod mcp;
pub mod print;
pub mod prompt;
pub mod session_setting;
pub mod tool_call;

pub use command::Command;
pub use conversation::Conversation;
pub use event::Event;
