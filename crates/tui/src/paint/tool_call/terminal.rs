//! Paints terminals: the command, the end of its output, and how it ended.

use attache::v1;
use attache_client::tool_call::{terminal_command, terminal_exit};
use attache_host::terminals::TerminalView;
use attache_text::plain;
use ratatui::text::{Line, Span};

use crate::paint::theme::{Sign, TextRole};
use crate::paint::{Appearance, Fold, wrap};

pub(super) fn lines(
    view: Option<&TerminalView>,
    id: &v1::TerminalId,
    fold: Fold,
    appearance: &Appearance,
    width: u16,
) -> Vec<Line<'static>> {
    let width = usize::from(width);
    let theme = &appearance.theme;
    let dim = |text: String| {
        Line::styled(
            wrap::cut(&text, width).into_owned(),
            theme.style(TextRole::Dim),
        )
    };
    let Some(view) = view else {
        return vec![dim(format!(
            "terminal {}: unknown to this client",
            plain::line(id.as_str())
        ))];
    };
    let command = vec![
        Span::styled("$ ", theme.style(TextRole::Dim)),
        Span::styled(terminal_command(view), theme.style(TextRole::Strong)),
    ];
    let mut lines = match fold {
        Fold::Full => wrap::hanging(command, width, &[], &[Span::raw("  ")]),
        Fold::Line | Fold::Brief => vec![Line::from(wrap::cut_spans(command, width))],
    };
    let (shown, left_out) = tail(view, fold, width);
    if left_out {
        lines.push(dim(format!("{} earlier output", theme.sign(Sign::More))));
    }
    lines.extend(shown);
    lines.push(end(view, appearance, width));
    lines
}

/// The last lines of the output, and whether something was left out above.
fn tail(view: &TerminalView, fold: Fold, width: usize) -> (Vec<Line<'static>>, bool) {
    let (bytes, limit) = match fold {
        Fold::Full => (FULL_BYTES, FULL_LINES),
        Fold::Line | Fold::Brief => (BRIEF_BYTES, BRIEF_LINES),
    };
    let mut start = view.output.len().saturating_sub(bytes);
    if start > 0 {
        start = view.output.ceil_char_boundary(start);
        let line_end = view.output[start..].find('\n');
        start += line_end.map_or(0, |end| end + 1);
    }
    let output = plain::render_output(&view.output[start..]);
    let mut lines: Vec<Line<'static>> = Vec::new();
    let last = output.len().saturating_sub(limit);
    for line in output.into_iter().skip(last) {
        lines.extend(wrap::hard(vec![Span::raw(line)], width, &[], &[]));
    }
    let over = lines.len().saturating_sub(limit);
    lines.drain(..over);
    let is_cut = start > 0 || last > 0 || over > 0 || view.is_truncated;
    (lines, is_cut)
}

fn end(view: &TerminalView, appearance: &Appearance, width: usize) -> Line<'static> {
    let theme = &appearance.theme;
    let Some(exit) = &view.exit else {
        let text = format!("{} running", theme.sign(Sign::Running));
        return Line::styled(text, theme.style(TextRole::Running));
    };
    let text = terminal_exit(exit);
    let style = theme.style(role(exit));
    Line::styled(wrap::cut(&text, width).into_owned(), style)
}

fn role(exit: &v1::TerminalExitStatus) -> TextRole {
    match (exit.exit_code, &exit.signal) {
        (Some(0), _) | (None, None) => TextRole::Dim,
        (Some(_), _) => TextRole::Bad,
        (None, Some(_)) => TextRole::Warning,
    }
}

const BRIEF_LINES: usize = 8;
const FULL_LINES: usize = 1000;
const BRIEF_BYTES: usize = 16 * 1024;
const FULL_BYTES: usize = 256 * 1024;
