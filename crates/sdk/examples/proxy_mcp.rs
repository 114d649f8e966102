//! A proxy that adds an MCP server to every session. Give it the server's program, then the agent's command.

use std::error::Error;

use attache::process::{Program, guard};
use attache::proxy::{self, ProxyMessage};
use attache::v1::{McpServer, McpServerStdio};

fn main() -> Result<(), Box<dyn Error>> {
    guard::run_if_asked();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: proxy_mcp SERVER COMMAND [ARGUMENT…]";
    let server = McpServerStdio::new("added", arguments.next().ok_or(usage)?, [""; 0], []);
    let agent = Program::new(arguments.next().ok_or(usage)?).args(arguments);
    let add = |servers: &mut Vec<McpServer>| servers.push(McpServer::Stdio(server.clone()));
    let mut proxy = proxy::stdio(&agent).await?;
    while let Some(message) = proxy.next().await {
        match message {
            ProxyMessage::NewSessionRequest(new) => new.change(|new| add(&mut new.mcp_servers)),
            ProxyMessage::LoadSessionRequest(load) => {
                load.change(|load| add(&mut load.mcp_servers))
            }
            ProxyMessage::ResumeSessionRequest(it) => it.change(|it| add(&mut it.mcp_servers)),
            ProxyMessage::ForkSessionRequest(fork) => {
                fork.change(|fork| add(&mut fork.mcp_servers))
            }
            other => other.forward(),
        }
    }
    Ok(proxy.finish().await?)
}
