//! Whole conversations: what the model is sent next, what the client saw, what is on disk.

mod absent;
mod breaks;
mod choices;
mod commands;
mod content;
mod disconnecting;
mod hostile_server;
mod mcp_attack;
mod models;
mod scope_attack;
mod servers;
mod sessions;
mod stops;
mod test_agent;
mod turns;

/// A session, as the first lines of a script.
const NEW: &str = r#"
    -> session/new {"cwd":"CWD","mcpServers":[]}
    <= {"sessionId":$s, ...}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"available_commands_update", ...}}
"#;
