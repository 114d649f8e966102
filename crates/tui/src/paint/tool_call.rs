//! Paints tool calls as cards: kind, title, status, locations and results.

mod body;
pub(super) mod terminal;
#[cfg(test)]
mod tests;

use std::time::Duration;

use attache::transcript::ToolCallEntry;
use attache::v1;
use attache_client::export::TerminalLookup;
use attache_client::figures;
use attache_client::tool_call::{kind_label, title};
use ratatui::text::{Line, Span};

use super::theme::{Sign, TextRole};
use super::{Appearance, Fold, wrap};

/// What a card shows besides the agent's report of the call.
pub struct ToolCallContext<'a> {
    /// How long the call has been running or took; `None` if unknown, for example after a replay.
    pub elapsed: Option<Duration>,
    /// Looks up the terminals of the host.
    pub terminal: TerminalLookup<'a>,
}

/// Paints a tool call as a card: status, kind, title and time in the first line, then locations and content.
pub fn lines(
    call: &ToolCallEntry,
    context: &ToolCallContext<'_>,
    fold: Fold,
    appearance: &Appearance,
    width: u16,
) -> Vec<Line<'static>> {
    let (sign, role) = sign(call);
    let call_lines = call_lines(call, context, fold, appearance, width.saturating_sub(2));
    let sign = format!("{} ", appearance.theme.sign(sign));
    let mut margin = Span::styled(sign, appearance.theme.style(role));
    let mut lines = Vec::with_capacity(call_lines.lines.len());
    for line in call_lines.lines {
        let spans = std::iter::once(margin).chain(line.spans).collect();
        lines.push(Line::from(wrap::cut_spans(spans, usize::from(width))));
        margin = Span::raw("  ");
    }
    lines
}

/// Paints kind, title and status of a tool call in one line.
pub fn headline(
    call: &ToolCallEntry,
    elapsed: Option<Duration>,
    appearance: &Appearance,
    width: u16,
) -> Line<'static> {
    let (sign, role) = sign(call);
    let sign = format!("{} ", appearance.theme.sign(sign));
    let mut spans = vec![Span::styled(sign, appearance.theme.style(role))];
    spans.extend(head(
        call,
        elapsed,
        appearance,
        usize::from(width).saturating_sub(2),
    ));
    Line::from(wrap::cut_spans(spans, usize::from(width)))
}

/// A card without its sign.
pub(super) struct ToolCallLines {
    pub(super) lines: Vec<Line<'static>>,
    /// Whether the colours of all its code are known.
    pub(super) is_coloured: bool,
}

/// The sign of a call's status.
pub(super) fn sign(call: &ToolCallEntry) -> (Sign, TextRole) {
    match &call.report.status {
        _ if call.is_cancelled => (Sign::Cancelled, TextRole::Warning),
        v1::ToolCallStatus::Completed => (Sign::Done, TextRole::Good),
        v1::ToolCallStatus::Failed => (Sign::Failed, TextRole::Bad),
        v1::ToolCallStatus::InProgress => (Sign::Running, TextRole::Running),
        _ => (Sign::Pending, TextRole::Dim),
    }
}

pub(super) fn call_lines(
    call: &ToolCallEntry,
    context: &ToolCallContext<'_>,
    fold: Fold,
    appearance: &Appearance,
    width: u16,
) -> ToolCallLines {
    let head = head(call, context.elapsed, appearance, usize::from(width));
    let mut call_lines = ToolCallLines {
        lines: vec![Line::from(head)],
        is_coloured: true,
    };
    if fold != Fold::Line {
        body::add(&mut call_lines, call, context, fold, appearance, width);
    }
    call_lines
}

/// The first line of a card: kind, title, and at the end the status, which is never cut.
fn head(
    call: &ToolCallEntry,
    elapsed: Option<Duration>,
    appearance: &Appearance,
    width: usize,
) -> Vec<Span<'static>> {
    let theme = &appearance.theme;
    let (_, role) = sign(call);
    let title = title(&call.report);
    let kind = Span::styled(
        kind_prefix(&title, &call.report.kind),
        theme.style(TextRole::Dim),
    );
    let time = elapsed.map(|time| match call.is_open() {
        true if time.as_secs() < 10 => format!("{}s", time.as_secs()),
        false if time < AT_ONCE => String::new(),
        _ => figures::elapsed(time),
    });
    let state = [status_label(call).to_owned(), time.unwrap_or_default()];
    let state: Vec<String> = state.into_iter().filter(|text| !text.is_empty()).collect();
    let state = match state.join(" ") {
        text if text.is_empty() => text,
        text => format!(" · {text}"),
    };
    let used = wrap::width(&kind.content) + wrap::width(&state);
    let title = wrap::cut(&title, width.saturating_sub(used)).into_owned();
    let spans = vec![
        kind,
        Span::styled(title, theme.style(TextRole::Strong)),
        Span::styled(state, theme.style(state_role(role))),
    ];
    wrap::cut_spans(spans, width)
}

/// The kind, unless the title already begins with it.
fn kind_prefix(title: &str, kind: &v1::ToolKind) -> String {
    let word = kind_label(kind);
    let first = title.split(' ').next().unwrap_or_default();
    if first.eq_ignore_ascii_case(word) {
        String::new()
    } else {
        format!("{word} ")
    }
}

fn status_label(call: &ToolCallEntry) -> &'static str {
    match &call.report.status {
        _ if call.is_cancelled => "cancelled",
        v1::ToolCallStatus::Completed => "",
        v1::ToolCallStatus::Failed => "failed",
        v1::ToolCallStatus::InProgress => "running",
        _ => "waiting",
    }
}

/// The role of the status text: a success needs no colour.
fn state_role(role: TextRole) -> TextRole {
    match role {
        TextRole::Good => TextRole::Dim,
        other => other,
    }
}

/// The time of shorter calls is not shown.
const AT_ONCE: Duration = Duration::from_millis(100);
