//! Why a tool failed, in a sentence or two for the model and the user.

use attache::{CallError, CallErrorKind, v1};
use attache_host::{files, terminals};
use attache_model::Input;
use attache_text::plain;
use serde_json::json;

use crate::ToolOutcome;

/// Why a tool failed.
#[derive(Debug)]
pub(super) struct ToolError {
    /// A stable word for programs.
    kind: &'static str,
    /// What is wrong and what to do. Never contains text of a file.
    sentence: String,
    /// Help for the model only.
    help: Option<String>,
}

impl ToolError {
    pub(super) fn new(kind: &'static str, sentence: impl Into<String>) -> ToolError {
        ToolError {
            kind,
            sentence: sentence.into(),
            help: None,
        }
    }

    pub(super) fn help(self, help: String) -> ToolError {
        ToolError {
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

    /// The file changed between the permission request and the change.
    pub(super) fn changed(path: &str) -> ToolError {
        let sentence = format!(
            "`{path}` has changed in the meantime, so nothing was written; read it again and start from its current text"
        );
        ToolError::new("changed", sentence)
    }

    /// The worker thread panicked.
    pub(super) fn lost() -> ToolError {
        ToolError::new("lost", "an internal error occurred in attache; try again")
    }
}

impl From<files::FileError> for ToolError {
    fn from(error: files::FileError) -> ToolError {
        ToolError::new(error.kind(), error.to_string())
    }
}

impl From<terminals::TerminalError> for ToolError {
    fn from(error: terminals::TerminalError) -> ToolError {
        ToolError::new("terminal", error.to_string())
    }
}

/// A request to the client failed.
impl From<CallError> for ToolError {
    fn from(error: CallError) -> ToolError {
        let (kind, said) = match error.kind() {
            CallErrorKind::Refused(refusal) if refusal.code == RESOURCE_NOT_FOUND => {
                ("not_found", refusal.message.clone())
            }
            CallErrorKind::Refused(refusal) => ("refused", refusal.message.clone()),
            CallErrorKind::Closed(_) => ("closed", "the connection is closed".to_owned()),
            other => ("client", other.to_string()),
        };
        let said = plain::one_line(&said, LONGEST_SAID);
        ToolError::new(kind, format!("the client rejected the request: {said}"))
    }
}

impl From<ToolError> for ToolOutcome {
    fn from(fault: ToolError) -> ToolOutcome {
        let told = match &fault.help {
            Some(help) => format!("{}\n\n{help}", fault.sentence),
            None => fault.sentence.clone(),
        };
        ToolOutcome {
            content: vec![v1::ContentBlock::from(fault.sentence).into()],
            for_model: vec![Input::Text(told)],
            locations: Vec::new(),
            raw: Some(json!({ "error": fault.kind })),
            failed: true,
        }
    }
}

const LONGEST_SAID: usize = 300;

/// The protocol's code for a resource that does not exist.
const RESOURCE_NOT_FOUND: i32 = -32002;
