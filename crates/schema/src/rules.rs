//! The rules of the protocol: all of them as a table, and those that data can decide as pure functions.
//! [`client`] and [`agent`] judge one message in the [`Context`] of its connection, and name at most 100 violations.
//! They judge what was read. A member that the protocol does not have is dropped by reading, so that one beside those of
//! the protocol (rule 173) is not found here: only a look at the text shows it.
//! [`ToolCalls`], [`Plans`], [`Compactions`], [`Turns`] and [`Replays`] judge a sequence, one value for each session.

mod rule;
mod table;

/// The rule of that number, found when the program is compiled: a number that is not in the table does not compile.
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
