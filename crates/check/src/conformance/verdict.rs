//! The verdict on a check, and the messages that prove it.

use attache_schema::rules::Level;

use super::Check;

/// The verdict on a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The program behaved as expected.
    Pass,
    /// No conversation exercised the check.
    NotExercised,
    /// The program deviates from a recommendation or from common practice.
    Warn,
    /// The program violates a requirement.
    Fail,
}

/// The result of one check.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The check.
    pub check: &'static Check,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason; empty if the check passed.
    pub why: String,
    /// The messages that prove it.
    pub evidence: Vec<Evidence>,
}

/// The position of a message in the recorded conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The index of the conversation, counted from 0.
    pub conversation: usize,
    /// The index of the entry in the conversation, counted from 0.
    pub entry: usize,
}

impl Verdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::NotExercised => "not exercised",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }

    /// The verdict on a check of this severity that was not met.
    pub(crate) fn broken(level: Level) -> Verdict {
        match level {
            Level::Must => Verdict::Fail,
            Level::Should | Level::May | Level::Observed => Verdict::Warn,
        }
    }
}
