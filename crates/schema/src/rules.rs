//! The rules of the protocol as a table, and pure functions that check messages against them.
//!
//! [`client`] and [`agent`] check one message in the [`Context`] of its connection and report at most 100 violations.
//! They check decoded messages. Decoding drops members that the protocol does not define, so a custom member outside
//! `_meta` (rule 173) can only be found in the text of the message.
//! [`ToolCalls`], [`Plans`], [`Compactions`], [`Turns`] and [`Replays`] check sequences of messages, with one value for
//! each session.

mod rule;
mod table;

/// The rule with this number, looked up at compile time: a number that is not in the table does not compile.
macro_rules! rule {
    ($number:literal) => {
        const { &crate::rules::table::ALL[crate::rules::table::position($number)] }
    };
}

pub mod agent;
pub mod client;
mod config_option;
mod content;
mod context;
mod elicitation;
mod envelope;
mod findings;
mod gate;
mod initialize;
mod lifecycle;
mod mcp;
mod mode;
mod path;
mod permission;
mod session_catalog;
mod session_setup;
mod subagent;
mod tool_call;
mod unique;
mod update;
mod wire;

pub use context::{Context, Initialization, SessionChoices};
pub use envelope::{check_id, check_method_name, check_protocol_notification};
pub use findings::Violation;
pub use lifecycle::{Compactions, Plans, Replays, ToolCalls, Turns};
pub use permission::is_allowed;
pub use rule::{Level, Rule, RuleTarget};
pub use table::{BOUNDS, RULES};

use findings::{Findings, MessagePath};
