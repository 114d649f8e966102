//! What a check has found so far.

use attache_rpc::json;

use super::{Level, MessagePath, Rule, Violation};

/// The violations of one message; more than [`MOST`] are not kept.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Violation>);

impl Findings {
    /// The rule is broken at that place.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        self.hint(rule, rule.level, at, message);
    }

    /// The rule seems to be broken, or it is common to break it: the finding weighs less than the rule.
    pub(super) fn hint(
        &mut self,
        rule: &'static Rule,
        level: Level,
        at: &MessagePath<'_>,
        message: impl Into<String>,
    ) {
        if self.0.len() < MOST {
            self.0.push(Violation {
                rule,
                level,
                path: at.to_string(),
                message: message.into(),
            });
        }
    }

    /// The value at that place cannot be read.
    pub(super) fn unreadable(&mut self, at: &MessagePath<'_>, fault: &json::DecodeError) {
        let message = format!("does not fit the schema: {fault}");
        self.add(rule!("B6"), at, message);
    }

    pub(super) fn into_list(self) -> Vec<Violation> {
        self.0
    }
}

const MOST: usize = 100;
