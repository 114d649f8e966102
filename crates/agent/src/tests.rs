//! Tests of whole conversations: the requests to the model, the messages to the client, and the journal.

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

/// The script lines that open a session.
const NEW: &str = r#"
    -> session/new {"cwd":"CWD","mcpServers":[]}
    <= {"sessionId":$s, ...}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"available_commands_update", ...}}
"#;
