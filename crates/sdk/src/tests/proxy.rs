//! A proxy between a scripted client and a scripted agent. What each side reads is compared byte by byte.

mod cancellation;
mod ending;
mod forwarding;
mod holding;
mod injection;
mod patching;
mod random_traffic;
mod rewriting;

use attache_testkit::{ScriptedPeer, Side, Trace, scripted_agent, scripted_client};
use expect_test::Expect;

use crate::Options;
use crate::proxy::{self, AgentGone, Proxy, ProxyMessage};

/// A proxy, and the peers on both sides of it.
struct Between {
    proxy: Proxy,
    client: ScriptedPeer,
    agent: ScriptedPeer,
}

impl Between {
    /// Both peers play the same script, which is what they see if the proxy changes nothing.
    fn transparent(script: &str) -> Self {
        Between::new(script, script)
    }

    /// The agent stays until the proxy closes its input.
    fn new(client_script: &str, agent_script: &str) -> Self {
        Between::with_any_end(client_script, &format!("{agent_script}\n|>\n"))
    }

    fn with_any_end(client_script: &str, agent_script: &str) -> Self {
        let (client_end, client) = scripted_client(client_script).unwrap();
        let (agent_end, agent) = scripted_agent(agent_script).unwrap();
        let proxy = proxy::connect(client_end, agent_end, Options::default());
        Between {
            proxy,
            client,
            agent,
        }
    }

    /// Handles all messages, until a side leaves.
    async fn run(self, handle: impl FnMut(ProxyMessage)) -> Traffic {
        let (traffic, end) = self.run_to_end(handle).await;
        end.unwrap();
        traffic
    }

    async fn run_to_end(
        mut self,
        mut handle: impl FnMut(ProxyMessage),
    ) -> (Traffic, Result<(), AgentGone>) {
        while let Some(message) = self.proxy.next().await {
            handle(message);
        }
        self.finish().await
    }

    async fn finish(self) -> (Traffic, Result<(), AgentGone>) {
        let end = self.proxy.finish().await;
        let traffic = Traffic {
            front: self.client.finish().await.unwrap(),
            back: self.agent.finish().await.unwrap(),
        };
        (traffic, end)
    }

    async fn next(&mut self) -> ProxyMessage {
        self.proxy.next().await.expect("a message")
    }
}

/// What was on the wire on both sides of a proxy.
struct Traffic {
    front: Trace,
    back: Trace,
}

impl Traffic {
    fn to_agent(&self, expect: Expect) {
        expect.assert_eq(&lines(&self.back, Side::Client));
    }

    fn to_client(&self, expect: Expect) {
        expect.assert_eq(&lines(&self.front, Side::Agent));
    }

    /// Everything has arrived byte for byte.
    fn is_unchanged(&self) {
        for side in [Side::Client, Side::Agent] {
            assert_eq!(lines(&self.front, side), lines(&self.back, side));
        }
    }
}

fn lines(trace: &Trace, side: Side) -> String {
    trace.lines_of(side).map(|line| line + "\n").collect()
}
