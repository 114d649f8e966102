//! One line for each tool call, printed when the tool call ends.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use attache::v1;
use attache_text::plain::visible;

use crate::figures;

/// Tool calls that run, and those that were printed.
#[derive(Debug, Default)]
pub(super) struct ToolLines {
    open: HashMap<v1::ToolCallId, RunningToolCall>,
    begun: usize,
    /// Tool calls that were printed. Agents often repeat the last update.
    reported: HashSet<v1::ToolCallId>,
    denied: HashSet<v1::ToolCallId>,
    /// The content of tool calls whose changes were printed when they were decided on.
    shown: HashMap<v1::ToolCallId, Vec<v1::ToolCallContent>>,
}

#[derive(Debug)]
struct RunningToolCall {
    number: usize,
    since: Instant,
    last: v1::ToolCall,
}

impl ToolLines {
    /// The line for a tool call that has just ended; `None` while it runs, and when it was printed before.
    pub(super) fn finished_line(&mut self, call: &v1::ToolCall) -> Option<String> {
        let ended = matches!(
            call.status,
            v1::ToolCallStatus::Completed | v1::ToolCallStatus::Failed
        );
        if self.reported.contains(&call.tool_call_id) {
            return None;
        }
        if ended {
            if self.reported.len() >= MOST_REPORTED {
                self.reported.clear();
            }
            self.reported.insert(call.tool_call_id.clone());
            let open = self.open.remove(&call.tool_call_id);
            let time = open.map(|open| open.since.elapsed());
            return Some(line(call, time.unwrap_or_default()));
        }
        self.begun += 1;
        let number = self.begun;
        let known = self.open.entry(call.tool_call_id.clone());
        let known = known.or_insert_with(|| RunningToolCall {
            number,
            since: Instant::now(),
            last: brief(call),
        });
        known.last = brief(call);
        None
    }

    /// Notes that a tool call was denied, so its changes were not made.
    pub(super) fn mark_denied(&mut self, call: &v1::ToolCallId) {
        if self.denied.len() >= MOST_REPORTED {
            self.denied.clear();
        }
        self.denied.insert(call.clone());
    }

    pub(super) fn was_denied(&self, call: &v1::ToolCallId) -> bool {
        self.denied.contains(call)
    }

    /// Notes that the changes of a tool call were printed.
    pub(super) fn mark_shown(&mut self, call: &v1::ToolCall) {
        if self.shown.len() >= MOST_SHOWN {
            self.shown.clear();
        }
        self.shown
            .insert(call.tool_call_id.clone(), call.content.clone());
    }

    /// Whether the changes of a tool call were printed. Forgets it.
    pub(super) fn was_shown(&mut self, call: &v1::ToolCall) -> bool {
        let shown = self.shown.remove(&call.tool_call_id);
        shown.is_some_and(|content| content == call.content)
    }

    /// The lines for tool calls that never ended, in order.
    pub(super) fn unfinished_lines(&mut self) -> Vec<String> {
        let mut left: Vec<RunningToolCall> = self.open.drain().map(|(_, open)| open).collect();
        left.sort_by_key(|open| open.number);
        let lines = left
            .iter()
            .map(|open| line(&open.last, open.since.elapsed()));
        lines.collect()
    }
}

/// A copy with only the fields that the line needs.
fn brief(call: &v1::ToolCall) -> v1::ToolCall {
    v1::ToolCall::new(call.tool_call_id.clone(), call.title.clone())
        .kind(call.kind.clone())
        .status(call.status.clone())
}

fn line(call: &v1::ToolCall, time: Duration) -> String {
    let title = visible(&call.title);
    let title = if title.is_empty() {
        "a tool".into()
    } else {
        title
    };
    let (kind, status) = (visible(call.kind.as_str()), visible(call.status.as_str()));
    // Shorter times are not interesting.
    if time < Duration::from_secs(1) {
        return format!("tool: {title} ({kind}, {status})");
    }
    format!(
        "tool: {title} ({kind}, {status}, {})",
        figures::elapsed(time)
    )
}

const MOST_REPORTED: usize = 4096;
/// Tool calls that run at the same time are few.
const MOST_SHOWN: usize = 64;
