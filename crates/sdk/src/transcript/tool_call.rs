//! Tool calls.

use attache_schema::v1;

use super::weight::Weight;

/// A tool call, assembled from its first report and its updates.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCallEntry {
    /// The tool call with all updates applied.
    pub report: v1::ToolCall,
    /// Whether its turn was cancelled before the call ended. The client sets this mark; a final status from the agent
    /// clears it.
    pub is_cancelled: bool,
    /// Number of the turn in which the agent last reported or updated the call.
    pub(super) turn: usize,
}

impl ToolCallEntry {
    /// Whether the call may still be running: it has no final status and was not cancelled.
    pub fn is_open(&self) -> bool {
        !self.is_cancelled && !has_ended(&self.report.status)
    }

    pub(super) fn new(call: v1::ToolCall, turn: usize) -> Self {
        ToolCallEntry {
            report: call,
            is_cancelled: false,
            turn,
        }
    }

    /// Creates a call whose first message is an update.
    pub(super) fn from_update(update: v1::ToolCallUpdate, turn: usize) -> Self {
        let call = v1::ToolCall::new(update.tool_call_id.clone(), "");
        let mut call = Self::new(call, turn);
        call.change(update, turn);
        call
    }

    pub(super) fn change(&mut self, update: v1::ToolCallUpdate, turn: usize) {
        let v1::ToolCallUpdate {
            tool_call_id: _,
            title,
            name,
            kind,
            status,
            content,
            locations,
            raw_input,
            raw_output,
            meta,
            ..
        } = update;
        if status.as_ref().is_some_and(has_ended) {
            self.is_cancelled = false;
        }
        self.turn = turn;
        set(&mut self.report.title, title);
        set(&mut self.report.kind, kind);
        set(&mut self.report.status, status);
        set(&mut self.report.content, content);
        set(&mut self.report.locations, locations);
        set_some(&mut self.report.name, name);
        set_some(&mut self.report.raw_input, raw_input);
        set_some(&mut self.report.raw_output, raw_output);
        set_some(&mut self.report.meta, meta);
    }

    pub(super) fn trim(&mut self) {
        self.report.content = Vec::new();
        self.report.locations = Vec::new();
        self.report.raw_input = None;
        self.report.raw_output = None;
        self.report.meta = None;
    }
}

impl Weight for ToolCallEntry {
    fn weight(&self) -> usize {
        self.report.weight()
    }
}

fn has_ended(status: &v1::ToolCallStatus) -> bool {
    matches!(
        status,
        v1::ToolCallStatus::Completed | v1::ToolCallStatus::Failed
    )
}

fn set<T>(old: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *old = new;
    }
}

fn set_some<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}
