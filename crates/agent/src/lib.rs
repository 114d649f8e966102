//! The coding agent. It serves an ACP client with sessions, turns, tools and MCP servers, and stores each session in a
//! journal, so that it survives a crash. The client renders everything; this crate never prints.

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
