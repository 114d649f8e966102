//! Both sides of the SDK, joined in memory.

mod logging;
mod ordering;
mod proxy;
mod scripted;
mod turns;

use crate::{
    AgentCalls, AgentHandle, ClientCalls, ClientHandle, Options, agent, client, pipes, v1,
};

/// Two sides that have been initialized.
struct Sides {
    agent: AgentHandle,
    client_calls: ClientCalls,
    client: ClientHandle,
    agent_calls: AgentCalls,
}

impl Sides {
    fn new(capacity: usize, options: impl Fn() -> Options) -> Self {
        let (one, other) = pipes(capacity);
        let (client, agent_calls) = agent::connect(one.0, one.1, options());
        let (agent, client_calls) = client::connect(other.0, other.1, options());
        Sides {
            agent,
            client_calls,
            client,
            agent_calls,
        }
    }
}

fn hello() -> v1::InitializeRequest {
    v1::InitializeRequest::new(v1::ProtocolVersion::V1)
}
