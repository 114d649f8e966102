//! The lifecycle of tool calls: reported once, updated, ended once.

use std::collections::{HashMap, HashSet};

use crate::rules::{Findings, Level, MessagePath, Violation};
use crate::v1::{
    SessionUpdate, TerminalId, ToolCall, ToolCallContent, ToolCallId, ToolCallStatus,
    ToolCallUpdate,
};

/// Checks the lifecycle of the tool calls of a session.
#[derive(Debug, Clone, Default)]
pub struct ToolCalls {
    calls: HashMap<ToolCallId, ReportedCall>,
    shown: HashSet<TerminalId>,
    released: HashSet<TerminalId>,
}

#[derive(Debug, Clone)]
struct ReportedCall {
    status: ToolCallStatus,
    name: Option<String>,
}

impl ToolCalls {
    /// Checks the next update of the session.
    pub fn apply(&mut self, update: &SessionUpdate) -> Vec<Violation> {
        let mut found = Findings::default();
        let at = MessagePath::params("session/update");
        let at = at.member("update");
        match update {
            SessionUpdate::ToolCall(call) => self.report(call, &at, &mut found),
            SessionUpdate::ToolCallUpdate(call) => self.update(call, &at, &mut found),
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::Plan(_)
            | SessionUpdate::PlanUpdate(_)
            | SessionUpdate::PlanRemoved(_)
            | SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_)
            | SessionUpdate::Notice(_)
            | SessionUpdate::CompactionUpdate(_)
            | SessionUpdate::CompactionSummaryChunk(_)
            | SessionUpdate::SubagentUpdate(_)
            | SessionUpdate::SessionMessage(_)
            | SessionUpdate::SessionMessageChunk(_)
            | SessionUpdate::Other(_) => {}
        }
        found.into_list()
    }

    /// Call it when the agent has released a terminal.
    pub fn release(&mut self, terminal: &TerminalId) {
        self.released.insert(terminal.clone());
    }

    /// Treats a second report of a call as an update, because many agents send one.
    fn report(&mut self, call: &ToolCall, at: &MessagePath<'_>, found: &mut Findings) {
        if let Some(reported) = self.calls.get_mut(&call.tool_call_id) {
            let message = "the id is in use; report changes with tool_call_update";
            found.add(rule!("119"), &at.member("toolCallId"), message);
            reported.change(Some(&call.status), call.name.as_deref(), at, found);
        } else {
            let reported = ReportedCall {
                status: call.status.clone(),
                name: call.name.clone(),
            };
            self.calls.insert(call.tool_call_id.clone(), reported);
        }
        self.show_terminals(&call.content, at, found);
    }

    fn update(&mut self, call: &ToolCallUpdate, at: &MessagePath<'_>, found: &mut Findings) {
        if let Some(reported) = self.calls.get_mut(&call.tool_call_id) {
            reported.change(call.status.as_ref(), call.name.as_deref(), at, found);
        } else {
            let message = "the call has not been reported; send tool_call first";
            found.hint(
                rule!("118"),
                Level::Observed,
                &at.member("toolCallId"),
                message,
            );
            let reported = ReportedCall {
                status: call.status.clone().unwrap_or_default(),
                name: call.name.clone(),
            };
            self.calls.insert(call.tool_call_id.clone(), reported);
        }
        self.show_terminals(call.content.as_deref().unwrap_or(&[]), at, found);
    }

    fn show_terminals(
        &mut self,
        content: &[ToolCallContent],
        at: &MessagePath<'_>,
        found: &mut Findings,
    ) {
        let at = at.member("content");
        for (index, item) in content.iter().enumerate() {
            if let ToolCallContent::Terminal(terminal) = item
                && self.shown.insert(terminal.terminal_id.clone())
                && self.released.contains(&terminal.terminal_id)
            {
                let message = "the terminal has been released; show it before its release";
                found.add(rule!("141"), &at.item(index).member("terminalId"), message);
            }
        }
    }
}

impl ReportedCall {
    fn change(
        &mut self,
        status: Option<&ToolCallStatus>,
        name: Option<&str>,
        at: &MessagePath<'_>,
        found: &mut Findings,
    ) {
        if let Some(status) = status.filter(|status| status.is_known()) {
            if is_back(&self.status, status) {
                let message =
                    "the status moves back; it may only move forward, and a final one stays";
                found.add(rule!("B7"), &at.member("status"), message);
            }
            self.status = status.clone();
        }
        if let Some(name) = name {
            if self.name.as_deref().is_some_and(|before| before != name) {
                let message = "the tool's name has changed; keep the first one unless it was wrong";
                found.add(rule!("126"), &at.member("name"), message);
            }
            self.name = Some(name.to_owned());
        }
    }
}

fn is_back(before: &ToolCallStatus, after: &ToolCallStatus) -> bool {
    match before {
        ToolCallStatus::Completed | ToolCallStatus::Failed => before != after,
        ToolCallStatus::InProgress => *after == ToolCallStatus::Pending,
        ToolCallStatus::Pending | ToolCallStatus::Other(_) => false,
    }
}
