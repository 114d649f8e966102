//! Draws layouts to the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::cache::PlaceLayout;
use super::{Position, TranscriptView, Viewport, search};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::wrap;

impl TranscriptView {
    /// Draws the visible part.
    pub fn draw(&mut self, viewport: &Viewport<'_>, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        let rows = usize::from(area.height);
        if area.width <= GUTTER || rows == 0 {
            return;
        }
        let generation = self.appearance.highlighter.generation();
        self.cache.begin_frame();
        self.set_width(area.width - GUTTER, viewport);
        self.keep_in_bounds(rows, viewport);
        self.continue_search(rows, viewport);
        self.run_commands(rows, viewport);
        self.keep_in_bounds(rows, viewport);
        let is_complete = self.paint(viewport, area, buffer);
        self.cache.end_frame();
        let is_searched = self
            .search
            .as_ref()
            .is_none_or(|search| search.status().is_complete);
        let highlighter = &self.appearance.highlighter;
        let is_coloured = highlighter.is_idle() && highlighter.generation() == generation;
        self.is_settled = is_complete && is_searched && is_coloured;
        self.position = self.find_position(viewport);
    }

    /// Sets a new width. The anchor keeps its place and its relative line in the entry.
    fn set_width(&mut self, width: u16, viewport: &Viewport<'_>) {
        if width == self.cache.width() {
            return;
        }
        let before = self.cache.get(self.anchor.place).map(PlaceLayout::height);
        self.cache.set_width(width);
        if let Some(before) = before.filter(|before| *before > 0) {
            let after = self.height(self.anchor.place, viewport);
            self.anchor.line = self.anchor.line * after / before;
        }
    }

    /// Draws the lines, and returns whether all visible entries were laid out completely.
    fn paint(&mut self, viewport: &Viewport<'_>, area: Rect, buffer: &mut Buffer) -> bool {
        let mut place = self.anchor.place;
        let mut line = self.anchor.line;
        let mut y = area.y;
        let mut is_complete = true;
        self.visible = None;
        while y < area.bottom() {
            let height = self.height(place, viewport);
            if let Some(laid) = self.cache.get(place).filter(|_| line < height) {
                is_complete &= laid.layout.is_complete();
                let first = self.visible.map_or(place, |(first, _)| first);
                self.visible = Some((first, place));
                let row = Rect {
                    y,
                    height: 1,
                    ..area
                };
                self.paint_row(laid, place, line, row, buffer);
                y += 1;
                line += 1;
                continue;
            }
            match viewport.below(place) {
                Some(below) => (place, line) = (below, 0),
                None => break,
            }
        }
        is_complete
    }

    fn paint_row(
        &self,
        laid: &PlaceLayout,
        place: usize,
        line: usize,
        row: Rect,
        buffer: &mut Buffer,
    ) {
        let theme = &self.appearance.theme;
        let is_selected = place > 0 && self.selected == Some(place - 1);
        let Some(line) = line.checked_sub(laid.gap) else {
            return;
        };
        if is_selected {
            let cursor = theme.sign(Sign::Cursor);
            buffer.set_string(row.x, row.y, cursor, theme.style(TextRole::User));
        }
        let text = Rect {
            x: row.x + GUTTER,
            width: row.width - GUTTER,
            ..row
        };
        let Some(shown) = laid.layout.line(line) else {
            if let Some(remark) = laid.remarks.get(line - laid.layout.height()) {
                buffer.set_line(text.x, text.y, remark, text.width);
            }
            return;
        };
        if let Some((sign, role)) = laid.layout.sign().filter(|_| line == 0) {
            buffer.set_string(row.x + 1, row.y, theme.sign(sign), theme.style(role));
        }
        buffer.set_style(text, theme.style(laid.layout.base()));
        buffer.set_line(text.x, text.y, shown, text.width);
        self.mark_matches(shown, text, buffer);
    }

    fn mark_matches(&self, line: &Line<'static>, row: Rect, buffer: &mut Buffer) {
        let Some(search) = &self.search else {
            return;
        };
        let text = search::text(line);
        for spot in search.match_ranges(&text) {
            let column = |end: usize| u16::try_from(wrap::width(&text[..end])).unwrap_or(u16::MAX);
            let (start, end) = (column(spot.start), column(spot.end));
            let cells = Rect {
                x: row.x.saturating_add(start),
                width: end - start,
                ..row
            };
            buffer.set_style(
                cells.intersection(row),
                self.appearance.theme.style(TextRole::Match),
            );
        }
    }

    fn find_position(&self, viewport: &Viewport<'_>) -> Position {
        let (first, last) = self.visible.unwrap_or_default();
        let entries = viewport.transcript.entries().len();
        let above = first.saturating_sub(viewport.first());
        Position {
            is_following: self.is_following,
            percent: (above * 100).checked_div(entries).unwrap_or(0),
            below: viewport.last().saturating_sub(last),
        }
    }
}

/// The cursor, the sign, and a space.
const GUTTER: u16 = 3;
