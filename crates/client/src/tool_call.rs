//! Tool calls as plain text: title, kind, diffs and terminals.

use std::time::Duration;

use attache::v1;
use attache_host::terminals::TerminalView;
use attache_text::plain::{self, visible};
use attache_text::shell;

/// A tool call in an update: a new one, or what changed in one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReportedToolCall<'a> {
    New(&'a v1::ToolCall),
    Changed(&'a v1::ToolCallUpdate),
}

impl<'a> ReportedToolCall<'a> {
    /// The tool call that an update reports; `None` if the update is about something else.
    pub(crate) fn in_update(update: &'a v1::SessionUpdate) -> Option<Self> {
        match update {
            v1::SessionUpdate::ToolCall(call) => Some(ReportedToolCall::New(call)),
            v1::SessionUpdate::ToolCallUpdate(call) => Some(ReportedToolCall::Changed(call)),
            v1::SessionUpdate::UserMessageChunk(_)
            | v1::SessionUpdate::AgentMessageChunk(_)
            | v1::SessionUpdate::AgentThoughtChunk(_)
            | v1::SessionUpdate::Plan(_)
            | v1::SessionUpdate::PlanUpdate(_)
            | v1::SessionUpdate::PlanRemoved(_)
            | v1::SessionUpdate::AvailableCommandsUpdate(_)
            | v1::SessionUpdate::CurrentModeUpdate(_)
            | v1::SessionUpdate::ConfigOptionUpdate(_)
            | v1::SessionUpdate::SessionInfoUpdate(_)
            | v1::SessionUpdate::UsageUpdate(_)
            | v1::SessionUpdate::Notice(_)
            | v1::SessionUpdate::CompactionUpdate(_)
            | v1::SessionUpdate::CompactionSummaryChunk(_)
            | v1::SessionUpdate::SubagentUpdate(_)
            | v1::SessionUpdate::SessionMessage(_)
            | v1::SessionUpdate::SessionMessageChunk(_)
            | v1::SessionUpdate::Other(_) => None,
            _ => None,
        }
    }

    /// The id of the tool call.
    pub(crate) fn id(self) -> &'a v1::ToolCallId {
        match self {
            ReportedToolCall::New(call) => &call.tool_call_id,
            ReportedToolCall::Changed(call) => &call.tool_call_id,
        }
    }
}

/// The title of a tool call for display; without a title, its name or id.
pub fn title(call: &v1::ToolCall) -> String {
    let names = [
        Some(call.title.as_str()),
        call.name.as_deref(),
        Some(call.tool_call_id.as_str()),
    ];
    let mut names = names.into_iter().flatten().map(|name| visible(name.trim()));
    let title = names.find(|name| !name.trim().is_empty());
    title.map_or_else(String::new, |title| title.trim().to_owned())
}

/// The label for a kind of tool: `read`, `edit`, `run`.
pub fn kind_label(kind: &v1::ToolKind) -> &'static str {
    match kind {
        v1::ToolKind::Read => "read",
        v1::ToolKind::Edit => "edit",
        v1::ToolKind::Delete => "delete",
        v1::ToolKind::Move => "move",
        v1::ToolKind::Search => "search",
        v1::ToolKind::Execute => "run",
        v1::ToolKind::Think => "think",
        v1::ToolKind::Fetch => "fetch",
        v1::ToolKind::SwitchMode => "mode",
        _ => "tool",
    }
}

/// A diff in the format of `diff -u`. Contains the agent's text unchanged, so it is not safe for a terminal.
pub fn diff_text(diff: &v1::Diff) -> String {
    let old = diff.old_text.as_deref().unwrap_or_default();
    let path = diff.path.as_str();
    let before = if diff.old_text.is_some() {
        path
    } else {
        "/dev/null"
    };
    let mut compare = similar::TextDiff::configure();
    let compare = compare
        .timeout(PATIENCE)
        .diff_lines(old, diff.new_text.as_str());
    compare.unified_diff().header(before, path).to_string()
}

/// A terminal as text: command, output and exit status.
pub fn terminal_text(view: &TerminalView) -> String {
    let mut lines = vec![format!("$ {}", terminal_command(view))];
    if view.is_truncated {
        lines.push("(earlier output is not kept)".to_owned());
    }
    lines.extend(plain::render_output(&view.output));
    lines.push(match &view.exit {
        Some(exit) => terminal_exit(exit),
        None => "running".to_owned(),
    });
    lines.join("\n")
}

/// The command of a terminal as a shell line, safe to show.
pub fn terminal_command(view: &TerminalView) -> String {
    shell::join(view.command.iter().map(|word| plain::line(word)))
}

/// How a terminal's command ended: `exit 1`, `ended by SIGTERM`.
pub fn terminal_exit(exit: &v1::TerminalExitStatus) -> String {
    match (exit.exit_code, exit.signal.as_deref()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("ended by {}", plain::line(signal)),
        (None, None) => "ended".to_owned(),
    }
}

/// Time limit for comparing two texts; after that the diff is coarser.
const PATIENCE: Duration = Duration::from_millis(500);
