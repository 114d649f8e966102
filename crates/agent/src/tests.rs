//! Whole conversations: what the model is sent next, what the client saw, what is on disk.

mod attachments;
mod commands;
mod disconnecting_stream;
mod hostile_server;
mod interruptions;
mod mcp_attack;
mod mcp_servers;
mod missing_servers;
mod models;
mod permissions;
mod scope_attack;
mod sessions;
mod stop_reasons;
mod test_agent;
mod updates;

/// A session, as the first lines of a script.
const NEW: &str = r#"
    -> session/new {"cwd":"CWD","mcpServers":[]}
    <= {"sessionId":$s, ...}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"available_commands_update", ...}}
"#;
