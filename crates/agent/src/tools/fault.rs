//! Why a tool did not do what it was asked: a sentence or two for the model and the person.

use attache::{CallError, v1};
use attache_host::{files, terminals};
use attache_model::Input;
use serde_json::json;

use super::told;
use crate::Outcome;

/// Why a tool did not do what it was asked.
#[derive(Debug)]
pub(super) struct Fault {
    /// One word for programs.
    kind: &'static str,
    /// What is wrong and what to do; nothing of any file stands in it.
    sentence: String,
    /// What helps the model to do better, and only the model is shown.
    help: Option<String>,
}

impl Fault {
    pub(super) fn new(kind: &'static str, sentence: impl Into<String>) -> Fault {
        Fault {
            kind,
            sentence: sentence.into(),
            help: None,
        }
    }

    pub(super) fn help(self, help: String) -> Fault {
        Fault {
            help: Some(help),
            ..self
        }
    }

    /// What is wrong and what to do.
    pub(super) fn sentence(self) -> String {
        self.sentence
    }

    pub(super) fn is_missing(&self) -> bool {
        self.kind == "not_found"
    }

    /// Whether a rule of the user denies it.
    pub(super) fn is_denied(&self) -> bool {
        matches!(self.kind, "denied" | "denied_by_policy")
    }

    /// Somebody else was there between the question and the deed.
    pub(super) fn changed(path: &str) -> Fault {
        let sentence = format!(
            "`{path}` has changed meanwhile, so nothing was written; read it again and start from what it says now"
        );
        Fault::new("changed", sentence)
    }

    /// A thread that did our work is gone.
    pub(super) fn lost() -> Fault {
        Fault::new("lost", "the work has failed inside attache; try again")
    }
}

impl From<files::Error> for Fault {
    fn from(error: files::Error) -> Fault {
        Fault::new(error.kind(), error.to_string())
    }
}

impl From<terminals::Error> for Fault {
    fn from(error: terminals::Error) -> Fault {
        Fault::new("terminal", error.to_string())
    }
}

/// What the client said about a request of ours.
impl From<CallError> for Fault {
    fn from(error: CallError) -> Fault {
        let (kind, said) = match &error {
            CallError::Refused(refusal) if refusal.code == RESOURCE_NOT_FOUND => {
                ("not_found", refusal.message.clone())
            }
            CallError::Refused(refusal) => ("refused", refusal.message.clone()),
            CallError::Closed(_) => ("closed", "it is gone".to_owned()),
            other => ("client", other.to_string()),
        };
        let said = told::one_line(&said, LONGEST_SAID);
        Fault::new(kind, format!("the client did not do it: {said}"))
    }
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Outcome {
        let told = match &fault.help {
            Some(help) => format!("{}\n\n{help}", fault.sentence),
            None => fault.sentence.clone(),
        };
        Outcome {
            content: vec![v1::ContentBlock::from(fault.sentence).into()],
            told: vec![Input::Text(told)],
            locations: Vec::new(),
            raw: Some(json!({ "error": fault.kind })),
            failed: true,
        }
    }
}

const LONGEST_SAID: usize = 300;

/// The protocol's code for a resource that does not exist.
const RESOURCE_NOT_FOUND: i32 = -32002;
