//! A rule: its number in the conformance checklist, its targets and its level.

use std::fmt;

use super::table;
use crate::method::Stability;

/// A rule of the protocol, or a recommendation of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// Number in the conformance checklist, such as `13` or `14a`; `B1` for a recommendation of our own.
    pub number: &'static str,
    /// The sides that the rule binds.
    pub targets: &'static [RuleTarget],
    /// How strongly the rule binds.
    pub level: Level,
    /// Whether the rule is about a part of the protocol that may still change.
    pub stability: Stability,
    /// Text of the rule, in one sentence.
    pub text: &'static str,
}

/// A side that a rule binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleTarget {
    /// The agent.
    Agent,
    /// The client.
    Client,
    /// Both the agent and the client.
    Both,
    /// The transport that carries the messages.
    Transport,
    /// A proxy in a chain.
    Proxy,
    /// The conductor of a chain.
    Conductor,
}

/// How strongly a rule binds, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The official implementations do it or the specification implies it, without MUST, SHOULD or MAY.
    Observed,
    /// Permitted (MAY).
    May,
    /// Recommended (SHOULD).
    Should,
    /// Required (MUST).
    Must,
}

impl Rule {
    /// All rules of the protocol, followed by our own recommendations.
    pub fn all() -> impl Iterator<Item = &'static Rule> {
        table::ALL.iter()
    }

    /// The rule with this number.
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
