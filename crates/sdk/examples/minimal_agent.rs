//! The smallest agent: it completes `initialize` and rejects everything else.

use attache::{AgentCall, v1};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (_client, mut calls) = attache::agent::stdio()?;
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                let us = v1::Implementation::new("minimal-agent", "1.0.0");
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(us));
            }
            other => other.refuse(),
        }
    }
    Ok(())
}
