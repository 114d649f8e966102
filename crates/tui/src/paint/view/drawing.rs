//! From layouts to the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::cache::Laid;
use super::{Position, Scene, TranscriptView, search};
use crate::paint::theme::{Role, Sign};
use crate::paint::wrap;

impl TranscriptView {
    /// Draws what is visible.
    pub fn draw(&mut self, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        let rows = usize::from(area.height);
        if area.width <= GUTTER || rows == 0 {
            return;
        }
        let generation = self.brush.highlighter.generation();
        self.cache.begin_frame();
        self.set_width(area.width - GUTTER, scene);
        self.keep_in_bounds(rows, scene);
        self.search_on(rows, scene);
        self.fulfil(rows, scene);
        self.keep_in_bounds(rows, scene);
        let is_complete = self.paint(scene, area, buffer);
        self.cache.end_frame();
        let is_searched = self
            .search
            .as_ref()
            .is_none_or(|search| search.found().is_complete);
        let highlighter = &self.brush.highlighter;
        let is_coloured = highlighter.is_idle() && highlighter.generation() == generation;
        self.is_settled = is_complete && is_searched && is_coloured;
        self.position = self.look_around(scene);
    }

    /// A new width: the anchor keeps its place, as far down in its entry as it was.
    fn set_width(&mut self, width: u16, scene: &Scene<'_>) {
        if width == self.cache.width() {
            return;
        }
        let before = self.cache.get(self.anchor.place).map(Laid::height);
        self.cache.set_width(width);
        if let Some(before) = before.filter(|before| *before > 0) {
            let after = self.height(self.anchor.place, scene);
            self.anchor.line = self.anchor.line * after / before;
        }
    }

    /// Draws, and says whether all that is visible was laid out completely.
    fn paint(&mut self, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) -> bool {
        let mut place = self.anchor.place;
        let mut line = self.anchor.line;
        let mut y = area.y;
        let mut is_complete = true;
        self.visible = None;
        while y < area.bottom() {
            let height = self.height(place, scene);
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
            match scene.below(place) {
                Some(below) => (place, line) = (below, 0),
                None => break,
            }
        }
        is_complete
    }

    fn paint_row(&self, laid: &Laid, place: usize, line: usize, row: Rect, buffer: &mut Buffer) {
        let theme = &self.brush.theme;
        let is_selected = place > 0 && self.selected == Some(place - 1);
        let Some(line) = line.checked_sub(laid.gap) else {
            return;
        };
        if is_selected {
            let cursor = theme.sign(Sign::Cursor);
            buffer.set_string(row.x, row.y, cursor, theme.style(Role::User));
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
        for spot in search.spots(&text) {
            let column = |end: usize| u16::try_from(wrap::width(&text[..end])).unwrap_or(u16::MAX);
            let (start, end) = (column(spot.start), column(spot.end));
            let cells = Rect {
                x: row.x.saturating_add(start),
                width: end - start,
                ..row
            };
            buffer.set_style(cells.intersection(row), self.brush.theme.style(Role::Match));
        }
    }

    fn look_around(&self, scene: &Scene<'_>) -> Position {
        let (first, last) = self.visible.unwrap_or_default();
        let entries = scene.transcript.entries().len();
        let above = first.saturating_sub(scene.first());
        Position {
            is_following: self.is_following,
            percent: (above * 100).checked_div(entries).unwrap_or(0),
            below: scene.last().saturating_sub(last),
        }
    }
}

/// The cursor, the sign, and a space.
const GUTTER: u16 = 3;
