//! Conformance of agents, clients and proxies, judged only by the messages that they send.
//!
//! A [`Check`] is data: the expected behaviour, its rule and its severity. A test case plays a conversation with the
//! program under test and judges some of the checks; a passive check inspects all conversations afterwards. A check that
//! no conversation exercised is reported as such and never counts as passed.

mod agent;
mod agent_test;
mod check;
mod client;
mod conversation;
mod fake_editor;
mod inspections;
mod json;
mod members;
mod options;
mod passive_check;
mod peer_test;
mod process;
mod proxy;
mod report;
mod select;
mod test_case;
mod test_connection;
#[cfg(test)]
mod tests;
mod verdict;
mod wire;

pub use agent::check_agent;
pub use check::{Check, Need, PromptKind};
pub use client::check_client;
pub use conversation::{Conversation, ConversationEntry, EntryContent};
pub use options::{Options, Preset};
pub use process::{Processes, launch_program, serve_mcp};
pub use proxy::{ProxyLauncher, check_proxy};
pub use report::{Detail, Format, Report, TextStyle};
pub use select::Selection;
pub use test_case::{PeerLauncher, PeerStreams};
pub use verdict::{Evidence, Judgement, Verdict};

/// The kind of program under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An agent. The checker is its client.
    Agent,
    /// A client. The checker is its agent.
    Client,
    /// A proxy. The checker is the client in front of it and the agent behind it.
    Proxy,
}

impl Subject {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Agent => "agent",
            Subject::Client => "client",
            Subject::Proxy => "proxy",
        }
    }

    /// All checks for this kind of program, in the order of the report.
    pub fn checks(self) -> Vec<&'static Check> {
        match self {
            Subject::Agent => agent::checks(),
            Subject::Client => client::checks(),
            Subject::Proxy => proxy::checks(),
        }
    }
}
