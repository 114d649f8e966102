//! What a person sees of an agent.
//!
//! A [`Desk`] holds the conversation with one agent: it takes [`Command`]s and gives [`Event`]s, and serves
//! files, terminals and permissions. The headless printer and the terminal UI are two readers of those events.

pub mod agents;
pub mod archive;
pub mod chat;
pub mod command;
pub mod config;
pub mod desk;
pub mod doctor;
pub mod event;
pub mod mcp;
pub mod paint;
pub mod plain;
pub mod print;
pub mod prompt;
pub mod sessions;
pub mod setting;

pub use command::Command;
pub use desk::Desk;
pub use event::Event;
