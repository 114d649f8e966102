//! Whole conversations: what the model is sent next, what the client saw, what is on disk.

mod absent;
mod breaks;
mod choices;
mod commands;
mod content;
mod mcp_attack;
mod models;
mod scope_attack;
mod servers;
mod sessions;
mod stage;
mod stops;
mod turns;
mod vanishing;
mod villain;

/// A session, as the first lines of a script.
const NEW: &str = r#"
    -> session/new {"cwd":"CWD","mcpServers":[]}
    <= {"sessionId":$s, ...}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"available_commands_update", ...}}
"#;
