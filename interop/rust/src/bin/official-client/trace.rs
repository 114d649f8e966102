//! Updates as the trace prints them: with defaults written out and without machine-specific paths.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema as v1;
use serde_json::{Value, json};

pub(crate) struct TraceFormat {
    pub(crate) cwd: PathBuf,
}

impl TraceFormat {
    pub(crate) fn update(&self, update: &v1::SessionUpdate) -> Value {
        match update {
            v1::SessionUpdate::AgentMessageChunk(chunk) => {
                json!({ "update": "agent_message_chunk", "text": text(&chunk.content) })
            }
            v1::SessionUpdate::ToolCall(call) => json!({
                "update": "tool_call",
                "id": call.tool_call_id,
                "title": call.title,
                "kind": call.kind,
                "status": call.status,
            }),
            v1::SessionUpdate::ToolCallUpdate(update) => {
                let (id, fields) = (&update.tool_call_id, &update.fields);
                let mut event =
                    json!({ "update": "tool_call_update", "id": id, "status": fields.status });
                if let Some(content) = &fields.content {
                    event["content"] = content
                        .iter()
                        .map(|content| self.content(content))
                        .collect();
                }
                event
            }
            v1::SessionUpdate::Plan(plan) => {
                let entries: Vec<Value> = plan.entries.iter().map(entry).collect();
                json!({ "update": "plan", "entries": entries })
            }
            other => json!({ "update": json!(other)["sessionUpdate"] }),
        }
    }

    fn content(&self, content: &v1::ToolCallContent) -> Value {
        match content {
            v1::ToolCallContent::Diff(diff) => json!({
                "type": "diff",
                "path": self.path(&diff.path),
                "oldText": diff.old_text,
                "newText": diff.new_text,
            }),
            v1::ToolCallContent::Content(content) => {
                json!({ "type": "content", "text": text(&content.content) })
            }
            other => json!({ "type": json!(other)["type"] }),
        }
    }

    pub(crate) fn path(&self, path: &Path) -> String {
        match path.strip_prefix(&self.cwd) {
            Ok(rest) => format!("$CWD/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

fn entry(entry: &v1::PlanEntry) -> Value {
    json!({ "content": entry.content, "priority": entry.priority, "status": entry.status })
}

fn text(block: &v1::ContentBlock) -> Option<&str> {
    match block {
        v1::ContentBlock::Text(text) => Some(&text.text),
        _ => None,
    }
}
