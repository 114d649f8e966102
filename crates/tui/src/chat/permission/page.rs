//! Lays out the permission dialog, and decides whether the screen shows enough to allow anything.
//!
//! From top to bottom: the facts and the changes, pinned; the rest, which scrolls; the answers; how much is not on the
//! screen. If facts and changes don't fit together, the heads of the facts (program, directory, files) stay pinned and
//! everything else scrolls; the user then has to scroll through all of it before anything can be allowed. If even the
//! heads don't fit, nothing can be allowed.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::DialogStep;
use super::changes::Changes;
use super::row_coverage::{RowCoverage, UnreadRows};
use crate::chat::panel::{self, KeyFocus};
use crate::chat::text;
use crate::paint::theme::{TextRole, Theme};
use crate::paint::wrap;

/// The dialog, laid out at a width.
#[derive(Debug)]
pub(crate) struct PermissionPage {
    pub(super) title: String,
    /// All facts, the heads of the facts, and the facts that say more than their heads.
    pub(super) facts: Vec<Line<'static>>,
    pub(super) heads: Vec<Line<'static>>,
    pub(super) scrolled: Vec<Line<'static>>,
    pub(super) changes: Arc<Changes>,
    /// Text that doesn't have to be read.
    pub(super) rest: Vec<Line<'static>>,
    pub(super) answers: Vec<AnswerRows>,
    /// The heading above the first of our own answers.
    pub(super) heading: Line<'static>,
    /// The selected answer, which has to be on the screen.
    pub(super) selected: Option<usize>,
    /// The available keys, shown on the bottom border.
    pub(super) hint: String,
    pub(super) keys: KeyFocus,
    /// The first visible row of the scrolled part.
    pub(super) top: usize,
    /// The rows of the scrolled part that have been on the screen so far.
    pub(super) coverage: RowCoverage,
    pub(super) are_too_long: bool,
    pub(super) step: DialogStep,
}

/// The rows of one answer.
#[derive(Debug)]
pub(super) struct AnswerRows {
    pub(super) lines: Vec<Line<'static>>,
    /// The index of the answer; `None` for a text.
    pub(super) choice: Option<usize>,
    /// Whether Attaché offers the answer, not the agent.
    pub(super) is_own: bool,
    pub(super) grants: bool,
}

/// Whether the screen shows enough of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Everything the user has to see is on the screen, or has been scrolled through.
    Whole,
    /// Some of it has not been on the screen yet.
    Unread,
    /// The screen is too small.
    TooSmall,
    /// The request is too long to be shown.
    TooLong,
}

/// What the last drawing showed.
#[derive(Debug, Clone)]
pub(crate) struct DrawnPage {
    pub(crate) fit: Fit,
    pub(super) size: (u16, u16),
    pub(super) step: DialogStep,
    pub(super) selected: Option<usize>,
    pub(super) body_rows: usize,
    /// The first visible row of the scrolled part, and the last possible one.
    pub(super) top: usize,
    pub(super) last_top: usize,
    pub(super) coverage: RowCoverage,
    pub(super) unread_rows: UnreadRows,
    /// Screen rows with the answer on each.
    pub(super) answer_rows: Vec<(u16, usize)>,
}

/// How the rows of a page are divided.
#[derive(Debug)]
struct PageLayout<'a> {
    fit: Fit,
    pinned: Vec<&'a Line<'static>>,
    /// The scrolled part.
    body: Vec<&'a Line<'static>>,
    /// The rows that have been on the screen including this drawing, and the rows that still have to be read.
    coverage: RowCoverage,
    unread_rows: UnreadRows,
    body_rows: usize,
    top: usize,
    /// The visible rows of the answers, with the answer on each.
    answers: Vec<(Line<'static>, Option<usize>)>,
}

impl PermissionPage {
    /// The number of rows the page wants.
    pub(crate) fn height(&self) -> u16 {
        let rows = self.essential_rows() + self.rest.len() + self.answer_lines(|_| true).len() + 2;
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// The number of rows that have to be seen.
    fn essential_rows(&self) -> usize {
        self.facts.len() + self.changes.rows.len()
    }

    /// The number of answer rows to keep next to the essential rows, so that a change that fills the screen leaves more
    /// than one answer visible.
    fn answer_rows_beside(&self, needed: usize) -> usize {
        match self.changes.rows.is_empty() {
            true => needed,
            false => needed.max(self.answer_lines(|_| true).len().min(ANSWERS)),
        }
    }

    /// The number of rows needed before anything can be allowed, at most `most`.
    pub(crate) fn min_height(&self, most: u16) -> u16 {
        let tallest = self.answers.iter().map(|rows| rows.lines.len()).max();
        let tallest = tallest.unwrap_or(0);
        let whole = self.essential_rows()
            + self.rest.len().min(BODY)
            + self.answer_rows_beside(tallest)
            + 2;
        let scrolled = self.heads.len() + SCROLLED + tallest + 2;
        let most_rows = usize::from(most);
        let rows = match whole <= most_rows {
            true => whole,
            // A scrolled page gets all rows but one, which is left for the tabs.
            false => scrolled.max(most_rows.saturating_sub(1)),
        };
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        rows.min(self.height()).min(most)
    }

    /// The number of rows the answers need: the selected one has to be visible completely.
    fn answer_rows(&self) -> usize {
        let selected = self.answers.iter().find(|rows| match self.step {
            DialogStep::Choosing => rows.choice.is_some() && rows.choice == self.selected,
            DialogStep::Confirming(_) => true,
        });
        selected.map_or(1, |rows| rows.lines.len())
    }

    pub(crate) fn draw(
        &self,
        area: Rect,
        frame: &mut Frame<'_>,
        theme: &Theme,
        size: (u16, u16),
    ) -> DrawnPage {
        let style = theme.style(TextRole::Warning);
        frame.render_widget(Clear, area);
        let block = panel::bordered_block(&self.title, area, style, theme);
        let inside = Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        };
        let layout = self.layout(usize::from(inside.height), theme, inside.width);
        let border = self.bottom_border(&layout, theme, inside.width);
        frame.render_widget(block.title_bottom(border), area);
        let hidden = layout.body.len().saturating_sub(layout.body_rows);
        let body = layout.body.iter().skip(layout.top).take(layout.body_rows);
        let lines = layout.pinned.iter().chain(body);
        let mut lines: Vec<Line<'static>> = lines.map(|line| (*line).clone()).collect();
        let first = inside.y + u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let mut answer_rows = Vec::new();
        for (at, (line, choice)) in layout.answers.into_iter().enumerate() {
            let row = first.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
            answer_rows.extend(choice.map(|choice| (row, choice)));
            lines.push(line);
        }
        frame.render_widget(Paragraph::new(lines), inside);
        DrawnPage {
            fit: layout.fit,
            size,
            step: self.step,
            selected: self.selected,
            body_rows: layout.body_rows,
            top: layout.top,
            last_top: hidden,
            coverage: layout.coverage,
            unread_rows: layout.unread_rows,
            answer_rows,
        }
    }

    fn layout(&self, room: usize, theme: &Theme, width: u16) -> PageLayout<'_> {
        let needed = self.answer_rows();
        let to_read = self.scrolled.len() + self.changes.rows.len();
        if self.essential_rows() + self.answer_rows_beside(needed) <= room {
            let pinned = self.facts.iter().chain(&self.changes.rows).collect();
            let rest: Vec<_> = self.rest.iter().collect();
            let left = room.saturating_sub(self.essential_rows());
            let for_rest = rest.len().min(BODY.max(left / 2));
            let answers = left.saturating_sub(for_rest).max(needed);
            let mut layout = self.divide(pinned, rest, room, answers);
            layout.coverage = self.coverage.with(self.changes.layout, 0..to_read);
            return layout;
        }
        if self.heads.len() + needed + BODY <= room {
            let essential = self.scrolled.iter().chain(&self.changes.rows);
            let body = essential.chain(&self.rest).collect();
            let left = room - self.heads.len();
            let answers = ANSWERS.min(left / 2).max(left / 3);
            let answers = answers.min(left - BODY).max(needed);
            let mut layout = self.divide(self.heads.iter().collect(), body, room, answers);
            let shown = layout.top..layout.top + layout.body_rows;
            layout.coverage = self.coverage.with(self.changes.layout, shown);
            layout.unread_rows = layout.coverage.unread_rows(to_read, layout.top);
            if layout.unread_rows.count > 0 && layout.fit == Fit::Whole {
                layout.fit = Fit::Unread;
            }
            return layout;
        }
        self.too_small(room, theme, width)
    }

    /// Divides the rows: the pinned part, as much of the body as the answers leave, then the answers in at least
    /// `answer_rows` rows.
    fn divide<'a>(
        &'a self,
        pinned: Vec<&'a Line<'static>>,
        body: Vec<&'a Line<'static>>,
        room: usize,
        answer_rows: usize,
    ) -> PageLayout<'a> {
        let left = room.saturating_sub(pinned.len());
        let answers = self.answer_lines(|_| true);
        let answer_rows = answer_rows.max(left.saturating_sub(body.len()));
        let answer_rows = answer_rows.min(answers.len()).min(left);
        let body_rows = (left - answer_rows).min(body.len());
        let top = self.top.min(body.len().saturating_sub(body_rows));
        PageLayout {
            fit: match self.are_too_long {
                true => Fit::TooLong,
                false => Fit::Whole,
            },
            pinned,
            body,
            coverage: self.coverage.clone(),
            unread_rows: UnreadRows::default(),
            body_rows,
            top,
            answers: self.rows_around_selected(answers, answer_rows),
        }
    }

    /// The page of a screen that is too small: only answers that allow nothing can be chosen.
    fn too_small(&self, room: usize, theme: &Theme, width: u16) -> PageLayout<'_> {
        let answers = match self.step {
            DialogStep::Choosing => self.answer_lines(|rows| !rows.grants),
            DialogStep::Confirming(_) => Vec::new(),
        };
        let style = theme.style(TextRole::Warning);
        let message = |said: &str| -> Vec<Line<'static>> {
            let rows = text::wrap_lines(said, usize::from(width)).into_iter();
            rows.map(|row| Line::styled(row, style)).collect()
        };
        let mut said = message(TOO_SMALL);
        if said.len() + answers.len().min(1) > room {
            said = message(TOO_SMALL_IN_SHORT);
        }
        said.truncate(room.saturating_sub(answers.len().min(1)));
        let rows = room - said.len();
        let shown = self.rows_around_selected(answers, rows);
        let said = said.into_iter().map(|line| (line, None));
        PageLayout {
            fit: Fit::TooSmall,
            pinned: Vec::new(),
            body: Vec::new(),
            coverage: self.coverage.clone(),
            unread_rows: UnreadRows::default(),
            body_rows: 0,
            top: 0,
            answers: said.chain(shown).collect(),
        }
    }

    /// The rows of the answers, our own below a heading.
    fn answer_lines(
        &self,
        is_listed: impl Fn(&AnswerRows) -> bool,
    ) -> Vec<(Line<'static>, Option<usize>)> {
        let mut lines = Vec::new();
        let mut has_heading = false;
        for rows in self.answers.iter().filter(|rows| is_listed(rows)) {
            if rows.is_own && !std::mem::replace(&mut has_heading, true) {
                lines.push((self.heading.clone(), None));
            }
            lines.extend(rows.lines.iter().map(|line| (line.clone(), rows.choice)));
        }
        lines
    }

    /// The rows around the selected answer.
    fn rows_around_selected(
        &self,
        lines: Vec<(Line<'static>, Option<usize>)>,
        rows: usize,
    ) -> Vec<(Line<'static>, Option<usize>)> {
        let is_selected =
            |(_, choice): &(Line<'_>, Option<usize>)| choice.is_some() && *choice == self.selected;
        let first = lines.iter().position(is_selected).unwrap_or(0);
        let last = lines.iter().rposition(is_selected).unwrap_or(0);
        let top = (last + 1).saturating_sub(rows).min(first);
        lines.into_iter().skip(top).take(rows).collect()
    }

    /// The bottom border: how much is not on the screen, and the keys.
    fn bottom_border(&self, layout: &PageLayout<'_>, theme: &Theme, width: u16) -> Line<'static> {
        let hidden = layout.body.len() - layout.body_rows;
        let below = hidden - layout.top;
        let listed: std::collections::BTreeSet<usize> =
            layout.answers.iter().filter_map(|(_, at)| *at).collect();
        let all = self.answers.iter().filter(|rows| rows.choice.is_some());
        let answers = match layout.fit {
            Fit::TooSmall => 0,
            _ => all.count() - listed.len(),
        };
        let mut parts = Vec::new();
        if layout.fit == Fit::TooLong {
            parts.push("too long to be allowed here".to_owned());
        }
        match (layout.fit, below, layout.top) {
            (Fit::Unread, ..) => {
                let unread = counted(layout.unread_rows.count, "more line");
                let key = layout.unread_rows.key();
                parts.push(format!("{unread} to read first: {key}"));
            }
            (_, 0, 0) => {}
            (_, 0, above) => parts.push(format!("{} above: PgUp", counted(above, "line"))),
            (_, below, _) => parts.push(format!("{}: PgDn", counted(below, "more line"))),
        }
        if answers > 0 {
            parts.push(format!("{}: ↑↓", counted(answers, "more answer")));
        }
        let role = match layout.fit {
            Fit::Whole => TextRole::Dim,
            Fit::Unread | Fit::TooSmall | Fit::TooLong => TextRole::Warning,
        };
        let note = Span::styled(parts.join(" · "), theme.style(role));
        let hint = match (layout.fit, self.step) {
            (Fit::TooSmall, DialogStep::Confirming(_)) => "Esc back",
            _ => self.hint.as_str(),
        };
        let hint = Span::styled(hint.to_owned(), theme.style(TextRole::Dim));
        let gap = Span::styled(" · ", theme.style(TextRole::Dim));
        let spans = match (parts.is_empty(), self.keys) {
            (true, _) => vec![hint],
            (false, KeyFocus::Here) => vec![note, gap, hint],
            (false, KeyFocus::Elsewhere) => vec![hint, gap, note],
        };
        let spans = wrap::cut_spans(spans, usize::from(width));
        let space = || Span::raw(" ");
        Line::from_iter(std::iter::once(space()).chain(spans).chain([space()]))
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// The fewest rows of the scrolled part that are shown, if it has that many.
const BODY: usize = 2;
/// The fewest answer rows next to a change that does not scroll, if there are that many.
const ANSWERS: usize = 4;
/// The rows of facts that have to be scrolled.
const SCROLLED: usize = 6;
pub(super) const TOO_SMALL: &str = "Too small to show the request: enlarge the terminal.";
const TOO_SMALL_IN_SHORT: &str = "Too small: enlarge the terminal";
