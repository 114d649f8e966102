//! A coding agent: sessions, turns, tools, MCP servers, and a journal that survives anything.

pub mod mcp;
mod outcome;
pub mod store;
pub mod tools;

pub use outcome::Outcome;
