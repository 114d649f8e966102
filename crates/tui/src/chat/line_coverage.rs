//! Keeps track of which lines of a request have been on the screen: nothing can be accepted that was not.

use std::collections::{HashMap, HashSet};

use ratatui::text::Line;

use super::panel::{Panel, ScrollTarget, VisibleRows};
use crate::paint::Scroll;

/// The lines of a request that have been on the screen, and the scroll position.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineCoverage {
    /// The text of each line that was on the screen, without the selection sign, and how many lines before it have the
    /// same text.
    lines: HashSet<(String, usize)>,
    /// The first visible line after the user has scrolled.
    top: Option<usize>,
    drawn: Option<DrawnPanel>,
}

/// What the last drawing showed.
#[derive(Debug, Clone)]
struct DrawnPanel {
    lines: Vec<Line<'static>>,
    window: VisibleRows,
    size: (u16, u16),
}

impl LineCoverage {
    /// Scrolls a panel to the user's position and sets how much is left to read.
    pub(crate) fn prepare(&self, panel: &mut Panel) {
        panel.scrolled = self.top;
        panel.unread = self.unread(panel);
    }

    /// Records what the screen shows.
    pub(crate) fn set_drawn(&mut self, panel: Panel, window: VisibleRows, size: (u16, u16)) {
        let shown = numbered_texts(&panel.lines)
            .skip(window.top)
            .take(window.rows);
        self.lines.extend(shown);
        self.top = self.top.map(|_| window.top);
        self.drawn = Some(DrawnPanel {
            lines: panel.lines,
            window,
            size,
        });
    }

    /// Records that the request is not on the screen.
    pub(crate) fn hide(&mut self) {
        self.drawn = None;
    }

    /// Scrolls from the drawn position.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        let Some(DrawnPanel { window, lines, .. }) = &self.drawn else {
            return;
        };
        let page = i32::try_from(window.rows.saturating_sub(1).max(1)).unwrap_or(i32::MAX);
        let moved = |by: i32| {
            let by = isize::try_from(by).unwrap_or(0);
            window.top.saturating_add_signed(by)
        };
        self.top = Some(match scroll {
            Scroll::Top => 0,
            Scroll::Bottom => lines.len(),
            Scroll::Lines(count) => moved(count),
            Scroll::Pages(count) => moved(count.saturating_mul(page)),
            Scroll::Entry(_) => return,
        });
    }

    /// Goes back to showing the selection.
    pub(crate) fn follow_selection(&mut self) {
        self.top = None;
    }

    /// Whether the screen shows the panel in its current state, including the selection.
    pub(crate) fn shows(&self, panel: &Panel, size: (u16, u16)) -> bool {
        let Some(drawn) = &self.drawn else {
            return false;
        };
        let rows = drawn.window.top..drawn.window.top + drawn.window.rows;
        let is_selection_shown = match panel.scroll_target {
            ScrollTarget::From(_) => true,
            ScrollTarget::At(row) => rows.contains(&row),
        };
        is_selection_shown && drawn.size == size && drawn.lines == panel.lines
    }

    /// The number of lines that have to be read and have not been on the screen.
    pub(crate) fn unread(&self, panel: &Panel) -> usize {
        let to_read = panel.to_read.unwrap_or(panel.lines.len());
        let lines = numbered_texts(&panel.lines).take(to_read);
        let unread = lines.filter(|line| !self.lines.contains(line));
        unread.filter(|(text, _)| !text.trim().is_empty()).count()
    }
}

/// The text of each line with its occurrence number: equal lines have to be read one by one.
fn numbered_texts(lines: &[Line<'_>]) -> impl Iterator<Item = (String, usize)> {
    let mut before: HashMap<String, usize> = HashMap::new();
    lines.iter().map(move |line| {
        let text = text_of(line);
        let count = before.entry(text.clone()).or_default();
        *count += 1;
        (text, *count)
    })
}

/// The text of a line without the selection sign in its first column.
fn text_of(line: &Line<'_>) -> String {
    let text: String = line.iter().map(|span| span.content.as_ref()).collect();
    let mut chars = text.chars();
    match chars.next() {
        Some('▌' | '#') => format!(" {}", chars.as_str()),
        _ => text,
    }
}
