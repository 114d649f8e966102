//! Conformance of agents, clients and proxies, judged from outside.
//!
//! A [`Check`] is data: what is looked at, the rule it comes from, how much it weighs. An act plays a conversation with
//! whatever is under test and judges some checks as it goes; a watch looks through all conversations afterwards. What
//! could not be provoked is said to be so, and never counts as passed.

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

/// Whose conformance is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An agent, by a client that is ours.
    Agent,
    /// A client, by an agent that is ours.
    Client,
    /// What stands between, by both.
    Proxy,
}

impl Subject {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Agent => "agent",
            Subject::Client => "client",
            Subject::Proxy => "proxy",
        }
    }

    /// Every check there is for it, in the order in which they are shown.
    pub fn checks(self) -> Vec<&'static Check> {
        match self {
            Subject::Agent => agent::checks(),
            Subject::Client => client::checks(),
            Subject::Proxy => proxy::checks(),
        }
    }
}
