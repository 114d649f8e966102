//! Rows with words of others: what an agent, a server or a directory is called, says or is given.
//!
//! Each row begins with a margin that those words cannot produce: a label of ours or nothing, then a bar. So no row of
//! theirs looks like one of ours, however it breaks, also without colours.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::text;
use crate::paint::theme::{Sign, TextRole, Theme};
use crate::paint::wrap;

/// A text of others under a label of ours. The text is visible already and has no line ends.
pub(crate) fn labelled(
    label: &str,
    shown: &str,
    style: Style,
    theme: &Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let bar = theme.sign(Sign::Quoted);
    let (first, rest) = match (width >= WIDE, label) {
        (true, _) => (
            format!("{label:<LABEL$} {bar} "),
            format!("{:LABEL$} {bar} ", ""),
        ),
        (false, "") => (format!("{bar} "), format!("{bar} ")),
        (false, _) => (format!("{label} {bar} "), format!("{bar} ")),
    };
    let margins = Margins {
        first: Span::styled(first, theme.style(TextRole::Dim)),
        rest: Span::styled(rest, theme.style(TextRole::Dim)),
    };
    margins.wrap(shown, style, width)
}

/// Lines of others without a label, each broken to the width. The text is visible already.
pub(crate) fn lines(shown: &str, style: Style, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let bar = format!("{} ", theme.sign(Sign::Quoted));
    let bar = Span::styled(bar, theme.style(TextRole::Dim));
    let margins = Margins {
        first: bar.clone(),
        rest: bar,
    };
    let lines = shown.split('\n');
    lines
        .flat_map(|line| margins.wrap(line, style, width))
        .collect()
}

/// Rows that are laid out already, at [`WIDTH`] columns less.
pub(crate) fn with_bar(rows: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
    let bar = format!("{} ", theme.sign(Sign::Quoted));
    let bar = Span::styled(bar, theme.style(TextRole::Dim));
    let barred = rows.into_iter().map(|mut row| {
        row.spans.insert(0, bar.clone());
        row
    });
    barred.collect()
}

/// What stands in front of a text of others: in front of its first row, and of the others.
pub(crate) struct Margins {
    pub(crate) first: Span<'static>,
    pub(crate) rest: Span<'static>,
}

impl Margins {
    /// The rows of a text. Where the first margin leaves no room, it has a row of its own.
    pub(crate) fn wrap(&self, shown: &str, style: Style, width: usize) -> Vec<Line<'static>> {
        let rest = width.saturating_sub(wrap::width(&self.rest.content));
        let first = width.saturating_sub(wrap::width(&self.first.content));
        let mut rows = Vec::new();
        let mut margin = &self.first;
        let broken = match first >= LEAST || first >= rest {
            true => text::exact_rows_from(shown, first, rest),
            false => {
                rows.push(Line::from(self.first.clone()));
                margin = &self.rest;
                text::exact_rows(shown, rest)
            }
        };
        for row in broken {
            rows.push(Line::from(vec![margin.clone(), Span::styled(row, style)]));
            margin = &self.rest;
        }
        rows
    }
}

/// Columns of the bar and the space behind it.
pub(crate) const WIDTH: u16 = 2;
/// From this width on labels have a column of their own, so wide.
const WIDE: usize = 48;
const LABEL: usize = 7;
/// Columns that a text has at least beside its label.
const LEAST: usize = 4;
