//! Exposes other agents as ACP agents: the Claude Code CLI, over its stream of JSON lines.
//!
//! [`frames`] reads the CLI's lines, [`mapping`] translates them, and [`tools`] decides how its tools are shown; these
//! do no I/O and read no clock. [`agent`] speaks ACP and runs one CLI per session.

pub mod agent;
mod cli;
pub mod elicitation;
pub mod frames;
pub mod launch;
pub mod mapping;
pub mod permission;
mod private_folder;
pub mod prompt;
pub mod provider;
pub mod replay;
mod session;
pub mod settings;
pub mod shell;
pub mod store;
pub mod tools;

pub use agent::serve;
pub use launch::{CliNotFound, Launcher};
