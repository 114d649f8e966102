//! A coding agent: sessions, turns, tools, MCP servers, and a journal that survives anything.

mod agent;
mod commands;
mod compaction;
mod entry_kinds;
mod failure;
mod history;
mod ids;
mod initialize;
mod instructions;
mod latest_value;
mod mcp_content;
mod modes;
mod permission;
mod prompt;
mod providers;
mod recovery;
mod session;
mod session_call;
mod settings;
#[cfg(test)]
mod tests;
mod tool_outcome;
pub mod tools;
mod turn;
mod turn_queue;

pub(crate) use agent::Agent;
pub use agent::{Limits, Setup, serve};
pub use tool_outcome::ToolOutcome;
