//! TaskPlan that the CLI runs for tool calls, in the background too.

use serde_json::Value;

use super::text;

/// How the task of a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// The tool call it ran for.
    pub tool_use_id: String,
    /// `completed`, `failed` or `stopped`.
    pub status: String,
    /// What came of it, in words.
    pub summary: String,
}

impl TaskEnd {
    pub(super) fn from_value(frame: &Value) -> TaskEnd {
        TaskEnd {
            tool_use_id: text(frame, "tool_use_id"),
            status: text(frame, "status"),
            summary: text(frame, "summary"),
        }
    }

    /// The end as the CLI writes it down for the model.
    pub fn from_note(note: &str) -> Option<TaskEnd> {
        if !note.trim_start().starts_with("<task-notification>") {
            return None;
        }
        let member = |open: &str, close: &str| between(note, open, close).map(str::to_owned);
        let words = member("<result>", "</result>").or_else(|| member("<summary>", "</summary>"));
        Some(TaskEnd {
            tool_use_id: member("<tool-use-id>", "</tool-use-id>")?,
            status: member("<status>", "</status>")?,
            summary: words.unwrap_or_default(),
        })
    }

    /// Whether it did what it was to do.
    pub fn is_success(&self) -> bool {
        self.status == "completed"
    }

    /// With what a command ended, which only the words tell.
    pub fn exit_code(&self) -> Option<u32> {
        let (_, code) = self.summary.rsplit_once("exit code ")?;
        code.trim_end_matches(')').parse().ok()
    }
}

/// Whether what a call has started runs on in the background.
pub fn runs_on(result: &Value) -> bool {
    result["backgroundTaskId"].is_string() || result["status"] == "async_launched"
}

/// What stands between two marks, or behind the first if the second is missing.
pub(crate) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, inner) = text.split_once(open)?;
    Some(inner.split_once(close).map_or(inner, |(inner, _)| inner))
}
