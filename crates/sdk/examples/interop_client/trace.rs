//! Lines of the trace. Differences without a meaning, such as absolute paths, are removed.

use std::path::Path;

use attache::json::{self, Encode, Object};
use attache::v1;

/// One line: an object whose members keep their order.
pub(crate) struct Line(Object<'static>);

impl Line {
    pub(crate) fn of(name: &'static str, value: &(impl Encode + ?Sized)) -> Self {
        Line(Object::default()).with(name, value)
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &(impl Encode + ?Sized)) -> Self {
        self.0.put(name, value);
        self
    }

    pub(crate) fn print(self) {
        println!("{}", json::to_string(&self.0));
    }

    #[must_use]
    pub(crate) fn with_update(self, cwd: &Path, update: &v1::SessionUpdate) -> Self {
        let line = self.with("update", &*update.tag());
        match update {
            v1::SessionUpdate::AgentMessageChunk(chunk) => line.with("text", &text(&chunk.content)),
            v1::SessionUpdate::ToolCall(call) => line
                .with("id", &call.tool_call_id)
                .with("title", &call.title)
                .with("kind", &call.kind)
                .with("status", &call.status),
            v1::SessionUpdate::ToolCallUpdate(change) => {
                let line = line.with("id", &change.tool_call_id);
                let line = line.with("status", &change.status);
                let Some(content) = &change.content else {
                    return line;
                };
                let content = content.iter().map(|content| produced(cwd, content).0);
                line.with("content", &content.collect::<Vec<_>>())
            }
            v1::SessionUpdate::Plan(plan) => {
                let entries: Vec<_> = plan.entries.iter().map(|step| entry(step).0).collect();
                line.with("entries", &entries)
            }
            _ => line,
        }
    }
}

/// A path in the form that is the same on every machine.
pub(crate) fn normal(cwd: &Path, path: &attache::schema::FilePath) -> String {
    match path.as_path().strip_prefix(cwd) {
        Ok(rest) => format!("$CWD/{}", rest.display()),
        Err(_) => path.to_string(),
    }
}

fn produced(cwd: &Path, content: &v1::ToolCallContent) -> Line {
    let line = Line::of("type", &*content.tag());
    match content {
        v1::ToolCallContent::Diff(diff) => line
            .with("path", &normal(cwd, &diff.path))
            .with("oldText", &diff.old_text)
            .with("newText", &diff.new_text),
        v1::ToolCallContent::Content(content) => line.with("text", &text(&content.content)),
        _ => line,
    }
}

fn entry(entry: &v1::PlanEntry) -> Line {
    Line::of("content", &entry.content)
        .with("priority", &entry.priority)
        .with("status", &entry.status)
}

pub(crate) fn text(block: &v1::ContentBlock) -> Option<String> {
    match block {
        v1::ContentBlock::Text(text) => Some(text.text.clone()),
        _ => None,
    }
}
