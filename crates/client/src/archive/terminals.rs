//! The output of the agent's commands, stored in the transcript that refers to their terminals.

use std::collections::HashMap;

use attache::json::{self, Encode, Object};
use attache::v1;
use attache_host::terminals::{TerminalView, Terminals};

use crate::tool_call::ReportedToolCall;

/// Terminals that a transcript refers to and whose output is not recorded yet.
#[derive(Debug, Default)]
pub(super) struct PendingTerminals {
    terminals: Option<Terminals>,
    open: HashMap<v1::TerminalId, v1::SessionId>,
}

/// The output of a terminal, with its session.
pub(super) type TerminalRecord = (v1::SessionId, v1::TerminalId, TerminalView);

impl PendingTerminals {
    pub(super) fn of(terminals: Terminals) -> PendingTerminals {
        PendingTerminals {
            terminals: Some(terminals),
            open: HashMap::new(),
        }
    }

    /// Notes the terminals of a tool call. Returns those that have exited already.
    pub(super) fn record_tool_call(
        &mut self,
        notification: &v1::SessionNotification,
    ) -> Vec<TerminalRecord> {
        let content = match ReportedToolCall::in_update(&notification.update) {
            Some(ReportedToolCall::New(call)) => call.content.as_slice(),
            Some(ReportedToolCall::Changed(call)) => call.content.as_deref().unwrap_or_default(),
            None => return Vec::new(),
        };
        let named = content.iter().filter_map(|content| match content {
            v1::ToolCallContent::Terminal(terminal) => Some(&terminal.terminal_id),
            _ => None,
        });
        let mut wrote = Vec::new();
        for id in named.take(MOST_OPEN.saturating_sub(self.open.len())) {
            self.open
                .insert(id.clone(), notification.session_id.clone());
            wrote.extend(self.terminal_changed(id));
        }
        wrote
    }

    /// Returns a terminal that a transcript refers to, once it has exited.
    pub(super) fn terminal_changed(&mut self, id: &v1::TerminalId) -> Option<TerminalRecord> {
        let view = self.terminals.as_ref()?.view(id)?;
        view.exit.as_ref()?;
        let session = self.open.remove(id)?;
        Some((session, id.clone(), cut(view)))
    }

    /// All terminals that are left, with their output so far.
    pub(super) fn drain(&mut self) -> Vec<TerminalRecord> {
        let Some(terminals) = &self.terminals else {
            return Vec::new();
        };
        let open = self.open.drain();
        let views = open.filter_map(|(id, session)| {
            let view = terminals.view(&id)?;
            Some((session, id, cut(view)))
        });
        views.collect()
    }
}

/// A terminal as JSON, for transcripts and exports.
pub(crate) struct TerminalJson<'a>(pub(crate) &'a v1::TerminalId, pub(crate) &'a TerminalView);

impl Encode for TerminalJson<'_> {
    fn encode(&self, out: &mut String) {
        let TerminalJson(id, view) = self;
        let mut object = Object::default();
        object.put("terminalId", *id);
        object.put("command", &view.command);
        object.put("output", view.output.as_str());
        object.put("truncated", &view.is_truncated);
        if let Some(exit) = &view.exit {
            object.put("exitStatus", exit);
        }
        object.encode(out);
    }
}

/// Reads a terminal from JSON.
pub(super) fn read(text: &str) -> Option<(v1::TerminalId, TerminalView)> {
    let object = Object::parse(text).ok()?;
    let view = TerminalView {
        command: json::from_str(object.get("command")?).ok()?,
        output: json::from_str(object.get("output")?).ok()?,
        is_truncated: object.get("truncated") == Some("true"),
        exit: object
            .get("exitStatus")
            .and_then(|exit| json::from_str(exit).ok()),
        is_released: true,
    };
    Some((json::from_str(object.get("terminalId")?).ok()?, view))
}

/// Keeps the end of the output, because errors are usually there.
fn cut(mut view: TerminalView) -> TerminalView {
    let surplus = view.output.len().saturating_sub(LONGEST);
    if surplus > 0 {
        let mut start = surplus;
        while !view.output.is_char_boundary(start) {
            start += 1;
        }
        view.output.drain(..start);
        view.is_truncated = true;
    }
    view
}

const MOST_OPEN: usize = 1024;
const LONGEST: usize = 256 * 1024;
