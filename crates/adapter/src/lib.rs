//! Programs that speak something else, made into ACP agents: the Claude Code CLI, over its stream of JSON lines.
//!
//! [`frames`] is what the CLI says, [`mapping`] what becomes of it, [`tools`] how its tools are shown: values, without
//! I/O and without a clock. [`agent`] speaks ACP and drives one CLI for each session.

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
