//! What is under test as a program, and the MCP server that an agent under test is given.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use attache_transport::process::Program;
use serde_json::{Value, json};

use super::act::{Ends, Launch};

/// Starts a program each time, in the custody of the transport.
pub fn launch_program(program: Program) -> Launch {
    Arc::new(move |_| {
        let program = program.clone();
        Box::pin(async move {
            let spawned = program.spawn_piped().await;
            let (child, stdin, stdout) = spawned.map_err(|error| error.to_string())?;
            Ok(Ends {
                read: Box::new(stdout),
                write: Box::new(stdin),
                child: Some(child),
            })
        })
    })
}

/// An MCP server with one tool, which writes the methods it hears to `heard`, one a line.
pub fn serve_mcp(
    input: impl BufRead,
    mut output: impl Write,
    mut heard: impl Write,
) -> io::Result<()> {
    for line in input.lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let method = super::json::method(&message);
        writeln!(heard, "{method}")?;
        heard.flush()?;
        let result = match method {
            "initialize" => json!({
                "protocolVersion": message.pointer("/params/protocolVersion").cloned().unwrap_or(json!("2025-06-18")),
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "attache-check", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [{
                "name": "check",
                "description": "Says that it was called",
                "inputSchema": { "type": "object" },
            }] }),
            "tools/call" => json!({ "content": [{ "type": "text", "text": "called" }] }),
            _ => json!({}),
        };
        if let Some(id) = message.get("id") {
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}
