//! Programs that speak something else, made into ACP agents: the Claude Code CLI, over its stream of JSON lines.
//!
//! [`frames`] is what the CLI says, [`mapping`] what becomes of it, [`tools`] how its tools are shown. The rest drives
//! the CLI and speaks ACP.

pub mod frames;
pub mod mapping;
pub mod tools;
