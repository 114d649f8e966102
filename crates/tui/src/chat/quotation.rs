//! Rows with untrusted text: names, messages and input that come from an agent, a server or the disk.
//!
//! Each row begins with a margin that such text can't produce: our own label or nothing, then a bar. So no untrusted
//! row looks like one of ours, however it breaks, even without colours.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::text;
use crate::paint::theme::{Sign, TextRole, Theme};
use crate::paint::wrap;

/// Untrusted text under our own label. The text is already safe to show and has no line ends.
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

/// Untrusted lines without a label, each broken to the width. The text is already safe to show.
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

/// Adds the bar to rows that were laid out [`WIDTH`] columns narrower.
pub(crate) fn with_bar(rows: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
    let bar = format!("{} ", theme.sign(Sign::Quoted));
    let bar = Span::styled(bar, theme.style(TextRole::Dim));
    let barred = rows.into_iter().map(|mut row| {
        row.spans.insert(0, bar.clone());
        row
    });
    barred.collect()
}

/// The margins in front of untrusted text: one for its first row, one for the others.
pub(crate) struct Margins {
    pub(crate) first: Span<'static>,
    pub(crate) rest: Span<'static>,
}

impl Margins {
    /// Breaks a text into rows behind the margins. If the first margin leaves no room, it gets its own row.
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

/// The width of the bar and the space behind it.
pub(crate) const WIDTH: u16 = 2;
/// From this width on, labels have their own column of `LABEL` characters.
const WIDE: usize = 48;
const LABEL: usize = 7;
/// The fewest columns of text next to a label.
const LEAST: usize = 4;
