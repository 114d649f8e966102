//! A coding agent: sessions, turns, tools, MCP servers, and a journal that survives anything.

mod agent;
mod commands;
mod compaction;
mod failure;
mod history;
mod ids;
mod inner;
mod instructions;
mod kinds;
mod mcp_content;
mod modes;
mod offers;
mod outcome;
mod permission;
mod prompt;
mod providers;
mod queue;
mod recovery;
mod session;
mod settings;
mod slot;
#[cfg(test)]
mod tests;
pub mod tools;
mod turn;

pub(crate) use agent::Agent;
pub use agent::{Limits, Setup, serve};
pub use outcome::Outcome;
