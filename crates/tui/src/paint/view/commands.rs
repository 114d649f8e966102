//! Commands to the view, performed with the next draw.

use attache::transcript::{Entry, MessageKind};

use super::anchor::Anchor;
use super::{Scroll, SelectionStep, TranscriptView, Viewport};
use crate::paint::Fold;
use crate::paint::entry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewCommand {
    Scroll(Scroll),
    Select(SelectionStep),
    Toggle(usize),
    Fold(usize, Fold),
    FoldAll(Option<Fold>),
    NextMatch,
    PreviousMatch,
}

impl TranscriptView {
    /// Performs the queued commands.
    pub(super) fn run_commands(&mut self, rows: usize, viewport: &Viewport<'_>) {
        for command in std::mem::take(&mut self.commands) {
            match command {
                ViewCommand::Scroll(scroll) => self.scroll_to(scroll, rows, viewport),
                ViewCommand::Select(step) => self.select_entry(step, rows, viewport),
                ViewCommand::Toggle(entry) => self.toggle_entry(entry, viewport),
                ViewCommand::Fold(entry, fold) => {
                    self.folds.by_entry.insert(entry, fold);
                }
                ViewCommand::FoldAll(all) => {
                    self.folds.by_entry.clear();
                    self.folds.all = all;
                }
                ViewCommand::NextMatch => {
                    self.go_to_match(|search, from| search.below(from), rows, viewport)
                }
                ViewCommand::PreviousMatch => {
                    self.go_to_match(|search, from| search.above(from), rows, viewport)
                }
            }
        }
    }

    fn scroll_to(&mut self, scroll: Scroll, rows: usize, viewport: &Viewport<'_>) {
        let page = rows.saturating_sub(1).max(1);
        match scroll {
            Scroll::Lines(lines) => self.scroll_by(lines, 1, rows, viewport),
            Scroll::Pages(pages) => self.scroll_by(pages, page, rows, viewport),
            Scroll::Top => {
                self.anchor = Anchor::default();
                self.is_following = false;
            }
            Scroll::Bottom => self.is_following = true,
            Scroll::Entry(entry) => {
                self.anchor = Anchor {
                    place: entry + 1,
                    line: 0,
                };
                self.is_following = false;
            }
        }
    }

    fn scroll_by(&mut self, count: i32, unit: usize, rows: usize, viewport: &Viewport<'_>) {
        let count_of = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        let lines = count_of.saturating_mul(unit).min(rows * FARTHEST);
        if count < 0 {
            self.is_following = false;
            self.anchor = self.up(self.anchor, lines, viewport);
        } else if !self.is_following {
            self.anchor = self.down(self.anchor, lines, viewport);
        }
    }

    fn toggle_entry(&mut self, index: usize, viewport: &Viewport<'_>) {
        let Some(entry) = viewport.transcript.entry(index) else {
            return;
        };
        let fold = match (self.fold_of(entry), entry::usual_fold(entry)) {
            (Fold::Full, Fold::Full) => Fold::Line,
            (Fold::Full, usual) => usual,
            (Fold::Line | Fold::Brief, _) => Fold::Full,
        };
        self.folds.by_entry.insert(index, fold);
    }

    fn select_entry(&mut self, step: SelectionStep, rows: usize, viewport: &Viewport<'_>) {
        let from = self.selected.map(|entry| entry + 1);
        let (first, last) = self.visible.unwrap_or((0, viewport.last()));
        let is_prompt = |entry: &Entry| {
            entry
                .message()
                .is_some_and(|message| message.kind == MessageKind::User)
        };
        let mut at = match (from, step) {
            (Some(from), SelectionStep::Next | SelectionStep::NextPrompt) => viewport.below(from),
            (Some(from), SelectionStep::Previous | SelectionStep::PreviousPrompt) => {
                viewport.above(from)
            }
            (
                None,
                SelectionStep::Next | SelectionStep::Previous | SelectionStep::PreviousPrompt,
            ) => Some(last.min(viewport.last())),
            (None, SelectionStep::NextPrompt) => Some(first),
        };
        while let Some(place) = at {
            let entry = place
                .checked_sub(1)
                .and_then(|index| viewport.transcript.entry(index));
            let is_wanted = match step {
                SelectionStep::Next | SelectionStep::Previous => {
                    entry.is_some() && self.height(place, viewport) > 0
                }
                SelectionStep::NextPrompt | SelectionStep::PreviousPrompt => {
                    entry.is_some_and(is_prompt)
                }
            };
            if is_wanted {
                self.selected = place.checked_sub(1);
                return self.reveal(place, rows, viewport);
            }
            at = match step {
                SelectionStep::Next | SelectionStep::NextPrompt => viewport.below(place),
                SelectionStep::Previous | SelectionStep::PreviousPrompt => viewport.above(place),
            };
        }
    }

    /// Scrolls so that the whole place is visible, or its beginning if it is too long.
    fn reveal(&mut self, place: usize, rows: usize, viewport: &Viewport<'_>) {
        let height = self.height(place, viewport);
        let top = Anchor { place, line: 0 };
        let is_above = (self.anchor.place, self.anchor.line) > (place, 0);
        if is_above || height >= rows {
            self.anchor = top;
            self.is_following = false;
            return;
        }
        let lowest = self.up(
            Anchor {
                place,
                line: height,
            },
            rows,
            viewport,
        );
        if (lowest.place, lowest.line) > (self.anchor.place, self.anchor.line) {
            self.anchor = lowest;
            self.is_following = false;
        }
    }
}

/// The most screens one scroll moves; everything that is passed has to be laid out.
const FARTHEST: usize = 20;
