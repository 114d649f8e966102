//! A rule: its number in the conformance checklist, whom it binds and how strongly.

use std::fmt;

use super::table;
use crate::method::Stability;

/// A rule of the protocol, or one of our own bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its number: `13`, `14a`, or `B1` for a bound.
    pub number: &'static str,
    /// Whom it binds.
    pub targets: &'static [RuleTarget],
    /// How strongly.
    pub level: Level,
    /// Whether it is about something that may still change.
    pub stability: Stability,
    /// What it says, in one sentence.
    pub text: &'static str,
}

/// Whom a rule binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleTarget {
    /// The agent.
    Agent,
    /// The client.
    Client,
    /// Whoever sends or receives.
    Both,
    /// Whatever carries the bytes.
    Transport,
    /// A proxy in a chain.
    Proxy,
    /// The conductor of a chain.
    Conductor,
}

/// How strongly a rule binds, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What the official implementations do, or the documents take for granted, without a word of duty.
    Observed,
    /// A freedom.
    May,
    /// A recommendation.
    Should,
    /// A duty.
    Must,
}

impl Rule {
    /// The rules of the protocol and our own bounds behind them.
    pub fn all() -> impl Iterator<Item = &'static Rule> {
        table::ALL.iter()
    }

    /// The rule of that number.
    pub fn find(number: &str) -> Option<&'static Rule> {
        Rule::all().find(|rule| rule.number == number)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Observed => "observed",
            Level::May => "MAY",
            Level::Should => "SHOULD",
            Level::Must => "MUST",
        })
    }
}
