//! The scroll anchor, and moving it up and down by lines. Only the entries that are passed are laid out.

use super::{TranscriptView, Viewport};

/// The line at the top of the screen, as a place and a line in it. Place 0 is above all entries; the place of an entry
/// is its number plus one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Anchor {
    pub(super) place: usize,
    pub(super) line: usize,
}

impl Viewport<'_> {
    /// The place of the newest entry, or 0 if there is none.
    pub(super) fn last(&self) -> usize {
        match self.transcript.entries().len() {
            0 => 0,
            count => self.first() + count - 1,
        }
    }

    /// The place of the oldest entry.
    pub(super) fn first(&self) -> usize {
        self.transcript.dropped().entries + 1
    }

    pub(super) fn below(&self, place: usize) -> Option<usize> {
        let next = if place == 0 { self.first() } else { place + 1 };
        Some(next).filter(|next| *next <= self.last())
    }

    pub(super) fn above(&self, place: usize) -> Option<usize> {
        match place {
            0 => None,
            place if place <= self.first() => Some(0),
            place => Some(place - 1),
        }
    }
}

impl TranscriptView {
    /// The anchor this many lines further up, or the beginning.
    pub(super) fn up(&mut self, from: Anchor, lines: usize, viewport: &Viewport<'_>) -> Anchor {
        let mut at = from;
        let mut lines = lines;
        while at.line < lines {
            lines -= at.line;
            let Some(place) = viewport.above(at.place) else {
                return Anchor::default();
            };
            at = Anchor {
                place,
                line: self.height(place, viewport),
            };
        }
        at.line -= lines;
        at
    }

    /// The anchor this many lines further down, or the last line.
    pub(super) fn down(&mut self, from: Anchor, lines: usize, viewport: &Viewport<'_>) -> Anchor {
        let mut at = from;
        let mut lines = lines;
        loop {
            let left = self.height(at.place, viewport).saturating_sub(at.line);
            if lines < left {
                at.line += lines;
                return at;
            }
            let Some(place) = viewport.below(at.place) else {
                at.line += left.saturating_sub(1);
                return at;
            };
            lines -= left;
            at = Anchor { place, line: 0 };
        }
    }

    /// The anchor at which the last line is at the bottom of the screen.
    pub(super) fn bottom(&mut self, rows: usize, viewport: &Viewport<'_>) -> Anchor {
        let place = viewport.last();
        let line = self.height(place, viewport);
        self.up(Anchor { place, line }, rows, viewport)
    }

    /// Whether the lines below an anchor exceed the screen.
    pub(super) fn exceeds(&mut self, rows: usize, from: Anchor, viewport: &Viewport<'_>) -> bool {
        let mut lines = 0;
        let mut place = from.place;
        let mut skipped = from.line;
        loop {
            lines += self.height(place, viewport).saturating_sub(skipped);
            skipped = 0;
            if lines > rows {
                return true;
            }
            match viewport.below(place) {
                Some(below) => place = below,
                None => return false,
            }
        }
    }

    /// Moves the anchor to an existing line, and follows the end once it is visible.
    pub(super) fn keep_in_bounds(&mut self, rows: usize, viewport: &Viewport<'_>) {
        if self.anchor.place > 0 && self.anchor.place < viewport.first() {
            self.anchor = Anchor {
                place: viewport.first(),
                line: 0,
            };
        }
        if self.anchor.place > viewport.last() {
            self.is_following = true;
        }
        if !self.is_following {
            let height = self.height(self.anchor.place, viewport);
            self.anchor.line = self.anchor.line.min(height);
            self.is_following = !self.exceeds(rows, self.anchor, viewport);
        }
        if self.is_following {
            self.anchor = self.bottom(rows, viewport);
        }
    }
}
