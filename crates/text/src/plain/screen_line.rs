//! One line of a terminal, which can be overwritten.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The columns of a line, and the position of the next character.
#[derive(Default)]
pub(super) struct ScreenLine {
    /// The text in each column. Empty in the second column of a wide character.
    columns: Vec<String>,
    at: usize,
}

impl ScreenLine {
    /// Maximum number of columns.
    pub(super) const LIMIT: usize = 4096;

    pub(super) fn write(&mut self, text: &str) {
        for grapheme in text.graphemes(true) {
            self.put(grapheme);
        }
    }

    pub(super) fn go_to_start(&mut self) {
        self.at = 0;
    }

    pub(super) fn go_back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(super) fn tab(&mut self) {
        let stop = (self.at / TAB + 1) * TAB;
        while self.columns.len() < stop.min(Self::LIMIT) {
            self.columns.push(" ".to_owned());
        }
        self.at = stop;
    }

    pub(super) fn erase_rest(&mut self) {
        self.columns.truncate(self.at);
    }

    pub(super) fn erase(&mut self) {
        self.columns.clear();
        self.fill();
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.columns.concat();
        if self.columns.len() >= Self::LIMIT {
            text.push('…');
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn put(&mut self, grapheme: &str) {
        let width = grapheme.width();
        if self.at + width > Self::LIMIT {
            return;
        }
        self.fill();
        if width == 0 {
            return self.combine(grapheme);
        }
        self.split_wide();
        for offset in 0..width {
            let part = if offset == 0 { grapheme } else { "" };
            match self.columns.get_mut(self.at + offset) {
                Some(column) => part.clone_into(column),
                None => self.columns.push(part.to_owned()),
            }
        }
        self.at += width;
        self.clear_half();
    }

    fn combine(&mut self, grapheme: &str) {
        if let Some(column) = self
            .at
            .checked_sub(1)
            .and_then(|at| self.columns.get_mut(at))
            && column.len() < COMBINED
        {
            column.push_str(grapheme);
        }
    }

    fn fill(&mut self) {
        while self.columns.len() < self.at {
            self.columns.push(" ".to_owned());
        }
    }

    /// Removes a wide character whose second half is overwritten.
    fn split_wide(&mut self) {
        let is_half = self.columns.get(self.at).is_some_and(String::is_empty);
        if is_half
            && let Some(column) = self
                .at
                .checked_sub(1)
                .and_then(|at| self.columns.get_mut(at))
        {
            " ".clone_into(column);
        }
    }

    /// Clears the second half of a wide character whose first half was overwritten.
    fn clear_half(&mut self) {
        if let Some(column) = self.columns.get_mut(self.at)
            && column.is_empty()
        {
            " ".clone_into(column);
        }
    }
}

const TAB: usize = 8;
/// Maximum bytes in one column.
const COMBINED: usize = 64;
