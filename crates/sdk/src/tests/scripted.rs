//! One side of the SDK against a scripted peer, compared byte by byte on the wire.

mod agent;
mod call_errors;
mod cancel;
mod client;
mod ending;
mod error_responses;
mod extensions;

use crate::Options;
use attache_testkit::{ScriptedPeer, Side, Trace, scripted_agent, scripted_client};
use expect_test::Expect;

use crate::{
    AgentCall, AgentCalls, AgentHandle, ClientCall, ClientCalls, ClientHandle, agent as agent_side,
    client as client_side, v1,
};

/// Our client, and the agent that follows a script.
pub(super) struct Client {
    pub(super) agent: AgentHandle,
    pub(super) calls: ClientCalls,
    pub(super) peer: ScriptedPeer,
}

impl Client {
    /// An initialized client. The script begins after `initialize`.
    pub(super) async fn with(capabilities: &str, script: &str) -> Self {
        let hello = format!(
            "-> initialize {{...}}\n\
             <= {{\"protocolVersion\":1,\"agentCapabilities\":{capabilities},\
             \"agentInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}\n{script}"
        );
        let client = Client::new(&hello);
        client
            .agent
            .initialize(our_initialize_request())
            .await
            .unwrap();
        client
    }

    fn new(script: &str) -> Self {
        let ((read, write), peer) = scripted_agent(script).unwrap();
        let (agent, calls) = client_side::connect(read, write, Options::default());
        Client { agent, calls, peer }
    }

    /// The whole conversation. Fails if our side violates a rule of the protocol.
    pub(super) async fn finish(self) -> Trace {
        drop((self.agent, self.calls));
        lawful(self.peer, Side::Client).await
    }
}

/// Our agent, and the client that follows a script.
pub(super) struct Agent {
    pub(super) client: ClientHandle,
    pub(super) calls: AgentCalls,
    pub(super) peer: ScriptedPeer,
}

impl Agent {
    /// An initialized agent. The script begins after `initialize`.
    pub(super) async fn with(capabilities: &str, script: &str) -> Self {
        let hello = format!(
            "-> initialize {{\"protocolVersion\":1,\"clientCapabilities\":{capabilities},\
             \"clientInfo\":{{\"name\":\"c\",\"version\":\"1\"}}}}\n<= {{...}}\n{script}"
        );
        let mut agent = Agent::new(&hello);
        let Some(AgentCall::Initialize(_, reply)) = agent.calls.next().await else {
            panic!("no initialize");
        };
        reply.ok(hello_back());
        agent
    }

    fn new(script: &str) -> Self {
        let ((read, write), peer) = scripted_client(script).unwrap();
        let (client, calls) = agent_side::connect(read, write, Options::default());
        Agent {
            client,
            calls,
            peer,
        }
    }

    /// Takes a prompt.
    pub(super) async fn prompt(&mut self) -> (v1::PromptRequest, crate::Reply<v1::PromptResponse>) {
        match self.calls.next().await {
            Some(AgentCall::Prompt(request, reply)) => (request, reply),
            other => panic!("no prompt: {other:?}"),
        }
    }

    pub(super) async fn finish(mut self) -> Trace {
        drop(self.client);
        while self.calls.next().await.is_some() {}
        drop(self.calls);
        lawful(self.peer, Side::Agent).await
    }
}

async fn lawful(peer: ScriptedPeer, side: Side) -> Trace {
    let trace = peer.finish().await.unwrap();
    let found = trace.violations_of(side);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{found:#?}");
    trace
}

/// Compares the lines that one side has written after `initialize`, byte by byte.
fn wire(trace: &Trace, side: Side, expect: Expect) {
    let lines = trace.lines_of(side);
    let lines = lines.filter(|line| !line.contains("\"protocolVersion\""));
    let lines: String = lines.map(|line| line + "\n").collect();
    expect.assert_eq(&lines);
}

fn our_initialize_request() -> v1::InitializeRequest {
    super::hello().client_info(v1::Implementation::new("test", "1.0"))
}

fn hello_back() -> v1::InitializeResponse {
    let info = v1::Implementation::new("test", "1.0");
    v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(info)
}

pub(super) fn end_of_turn() -> v1::PromptResponse {
    v1::PromptResponse::new(v1::StopReason::EndTurn)
}
