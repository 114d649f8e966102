//! Leave: what the person has allowed or refused for the rest of a session, and the question itself.

use std::collections::HashMap;

use attache::v1;
use serde::{Deserialize, Serialize};

/// What the person has allowed or refused for the rest of a session.
#[derive(Debug, Default)]
pub(crate) struct Leave(HashMap<String, Answer>);

/// What an answer for good would cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    /// What is compared: two calls with the same are the same to the person.
    pub(crate) key: String,
    /// How the person is told: what stands behind "always allow".
    pub(crate) words: String,
}

/// What the person has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

/// An answer as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Decision {
    pub(crate) call: String,
    pub(crate) key: String,
    pub(crate) answer: Answer,
}

impl Leave {
    /// What was decided for good.
    pub(crate) fn of(&self, cover: &Cover) -> Option<Answer> {
        self.0.get(&cover.key).copied()
    }

    /// Takes note of an answer; one that holds only once is not kept.
    pub(crate) fn note(&mut self, decision: &Decision) {
        if matches!(decision.answer, Answer::AllowAlways | Answer::RejectAlways) {
            self.0.insert(decision.key.clone(), decision.answer);
        }
    }
}

impl Answer {
    pub(crate) fn is_leave(self) -> bool {
        matches!(self, Answer::AllowOnce | Answer::AllowAlways)
    }

    pub(crate) fn find(id: &v1::PermissionOptionId) -> Option<Answer> {
        let all = [
            Answer::AllowOnce,
            Answer::AllowAlways,
            Answer::RejectOnce,
            Answer::RejectAlways,
        ];
        all.into_iter().find(|answer| answer.id() == id.as_str())
    }

    fn id(self) -> &'static str {
        match self {
            Answer::AllowOnce => "allow_once",
            Answer::AllowAlways => "allow_always",
            Answer::RejectOnce => "reject_once",
            Answer::RejectAlways => "reject_always",
        }
    }
}

/// The answers that a person can choose from.
pub(crate) fn options(cover: &Cover) -> [v1::PermissionOption; 4] {
    use v1::PermissionOptionKind as Kind;
    let words = &cover.words;
    let option =
        |answer: Answer, name: String, kind| v1::PermissionOption::new(answer.id(), name, kind);
    [
        option(Answer::AllowOnce, "Allow".to_owned(), Kind::AllowOnce),
        option(
            Answer::AllowAlways,
            format!("Always allow {words} in this session"),
            Kind::AllowAlways,
        ),
        option(Answer::RejectOnce, "Reject".to_owned(), Kind::RejectOnce),
        option(
            Answer::RejectAlways,
            format!("Always reject {words} in this session"),
            Kind::RejectAlways,
        ),
    ]
}
