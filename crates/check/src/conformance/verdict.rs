//! How a check ended, and what proves it.

use attache_schema::rules::Level;

use super::Check;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It was seen, and right.
    Pass,
    /// It could not be seen.
    NotExercised,
    /// It was seen, and is not as recommended or customary.
    Warn,
    /// It was seen, and breaks a duty.
    Fail,
}

/// A check that has been made.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The check.
    pub check: &'static Check,
    /// How it ended.
    pub verdict: Verdict,
    /// Why, unless it passed.
    pub why: String,
    /// The messages that prove it.
    pub evidence: Vec<Evidence>,
}

/// A message of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// Which conversation, counted from 0.
    pub conversation: usize,
    /// Which entry of it, counted from 0.
    pub entry: usize,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::NotExercised => "not exercised",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }

    /// What it is called when a check of that weight is not met.
    pub(crate) fn broken(level: Level) -> Verdict {
        match level {
            Level::Must => Verdict::Fail,
            Level::Should | Level::May | Level::Observed => Verdict::Warn,
        }
    }
}
