//! Starts the program under test and ends it with everything that it started. Also the MCP server that an agent under
//! test can connect to.

use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Weak};

use attache_process::{Child, Program};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::test_case::{PeerLauncher, PeerStreams};
use super::wire::STOP_TIMEOUTS;

/// A launcher that starts a new process of this program each time.
pub fn launch_program(program: Program, processes: Processes) -> PeerLauncher {
    Arc::new(move |_| {
        let (program, processes) = (program.clone(), processes.clone());
        Box::pin(async move { processes.start_piped(&program).await })
    })
}

/// The processes of a run. A run that is stopped early ends them, and waits for that before it removes their working
/// directory.
#[derive(Clone, Default)]
pub struct Processes(Arc<Mutex<ProcessList>>);

#[derive(Default)]
struct ProcessList {
    running: Vec<Weak<Child>>,
    is_closed: bool,
}

impl Processes {
    /// Starts a process, unless [`Processes::end`] was called.
    pub async fn start<T, E: Display>(
        &self,
        spawn: impl Future<Output = Result<(Child, T), E>>,
    ) -> Result<(Arc<Child>, T), String> {
        // Locked until the process is in the list, so that `end` does not miss a process that is being started.
        let mut list = self.0.lock().await;
        if list.is_closed {
            return Err("the check was interrupted".to_owned());
        }
        let (child, rest) = spawn.await.map_err(|error| error.to_string())?;
        let child = Arc::new(child);
        list.running.retain(|child| child.strong_count() > 0);
        list.running.push(Arc::downgrade(&child));
        Ok((child, rest))
    }

    /// Starts a process and returns our ends of its standard input and output.
    pub async fn start_piped(&self, program: &Program) -> Result<PeerStreams, String> {
        let piped = async {
            let piped = program.spawn_piped().await;
            piped.map(|(child, stdin, stdout)| (child, (stdin, stdout)))
        };
        let (child, (stdin, stdout)) = self.start(piped).await?;
        Ok(PeerStreams {
            read: Box::new(stdout),
            write: Box::new(stdin),
            child: Some(child),
        })
    }

    /// Ends all processes with everything they started, and waits for that. Later attempts to start a process fail.
    pub async fn end(&self) {
        let mut list = self.0.lock().await;
        list.is_closed = true;
        let mut ending = JoinSet::new();
        for child in list.running.iter().filter_map(Weak::upgrade) {
            ending.spawn(async move { child.stop(STOP_TIMEOUTS).await });
        }
        ending.join_all().await;
    }
}

/// An MCP server with one tool. It writes each method that it receives to `heard`, one per line.
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
