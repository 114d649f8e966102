//! Caches layouts that may be needed again.

use std::collections::HashMap;

use attache::v1;
use ratatui::text::Line;

use super::{TranscriptView, Viewport};
use crate::paint::entry::{self, EntryContext, EntryLayout};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{Fold, wrap};

#[derive(Debug, Default)]
pub(super) struct LayoutCache {
    places: HashMap<usize, PlaceLayout>,
    width: u16,
    frame: u64,
}

/// The layout of a place: an empty line above, the entry, and the remarks below it.
#[derive(Debug)]
pub(super) struct PlaceLayout {
    key: LayoutKey,
    pub(super) gap: usize,
    pub(super) layout: EntryLayout,
    pub(super) remarks: Vec<Line<'static>>,
    generation: u64,
    frame: u64,
}

/// The inputs of a place's layout.
#[derive(Debug, Clone, PartialEq)]
struct LayoutKey {
    revision: u64,
    fold: Fold,
    seconds: u64,
    terminals: u64,
}

impl LayoutCache {
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    pub(super) fn forget(&mut self, place: usize) {
        self.places.remove(&place);
    }

    pub(super) fn get(&self, place: usize) -> Option<&PlaceLayout> {
        self.places.get(&place)
    }

    pub(super) fn width(&self) -> u16 {
        self.width
    }

    /// Sets the width and drops layouts of another width.
    pub(super) fn set_width(&mut self, width: u16) {
        self.width = width;
        self.places.clear();
    }

    pub(super) fn begin_frame(&mut self) {
        self.frame += 1;
    }

    /// Drops the layouts that this frame did not need once there are many.
    pub(super) fn end_frame(&mut self) {
        let lines: usize = self.places.values().map(PlaceLayout::height).sum();
        if lines > LINES || self.places.len() > PLACES {
            self.places.retain(|_, laid| laid.frame == self.frame);
        }
    }
}

impl PlaceLayout {
    pub(super) fn height(&self) -> usize {
        self.gap + self.layout.height() + self.remarks.len()
    }
}

impl TranscriptView {
    /// The number of lines of a place, laying it out if needed.
    pub(super) fn height(&mut self, place: usize, viewport: &Viewport<'_>) -> usize {
        let key = self.key(place, viewport);
        let generation = self.appearance.highlighter.generation();
        let frame = self.cache.frame;
        if let Some(laid) = self.cache.places.get_mut(&place) {
            let is_same = laid.key == key;
            let is_done = laid.layout.is_complete()
                && (laid.layout.is_coloured() || laid.generation == generation);
            if is_same && (is_done || laid.frame == frame) {
                laid.frame = frame;
                return laid.height();
            }
        }
        let kept = self
            .cache
            .places
            .remove(&place)
            .filter(|laid| laid.key.fold == key.fold);
        let laid = self.lay_out(place, key, kept, viewport);
        let height = laid.height();
        self.cache.places.insert(
            place,
            PlaceLayout {
                generation,
                frame,
                ..laid
            },
        );
        height
    }

    /// How much of an entry to show.
    pub(super) fn fold_of(&self, entry: &attache::transcript::Entry) -> Fold {
        let usual = entry::usual_fold(entry);
        let one = self.folds.by_entry.get(&entry.index()).copied();
        let is_foldable = entry.tool_call().is_some() || usual == Fold::Line;
        one.or(self.folds.all.filter(|_| is_foldable))
            .unwrap_or(usual)
    }

    fn key(&self, place: usize, viewport: &Viewport<'_>) -> LayoutKey {
        let entry = place
            .checked_sub(1)
            .and_then(|index| viewport.transcript.entry(index));
        let Some(entry) = entry else {
            let dropped = viewport.transcript.dropped().entries;
            return LayoutKey {
                revision: u64::try_from(dropped).unwrap_or(u64::MAX),
                fold: Fold::Full,
                seconds: 0,
                terminals: 0,
            };
        };
        let call = entry.tool_call();
        let is_open = call.is_some_and(attache::transcript::ToolCallEntry::is_open);
        let elapsed = self
            .elapsed(entry.index(), viewport.now)
            .filter(|_| is_open);
        let terminals = call.into_iter().flat_map(|call| call.report.content.iter());
        let changes = terminals.filter_map(|content| match content {
            v1::ToolCallContent::Terminal(terminal) => self.terminals.get(&terminal.terminal_id),
            _ => None,
        });
        LayoutKey {
            revision: entry.revision(),
            fold: self.fold_of(entry),
            seconds: elapsed.map_or(0, |elapsed| elapsed.as_secs()),
            terminals: changes.sum(),
        }
    }

    fn lay_out(
        &self,
        place: usize,
        key: LayoutKey,
        kept: Option<PlaceLayout>,
        viewport: &Viewport<'_>,
    ) -> PlaceLayout {
        let width = self.cache.width;
        let mut layout = kept.map(|laid| laid.layout).unwrap_or_default();
        let entry = place
            .checked_sub(1)
            .and_then(|index| viewport.transcript.entry(index));
        if let Some(entry) = entry {
            let context = EntryContext {
                appearance: &self.appearance,
                width,
                fold: key.fold,
                elapsed: self.elapsed(entry.index(), viewport.now),
                terminal: viewport.terminal,
            };
            layout.update(entry, &context);
        }
        let mut remarks = Vec::new();
        if place == 0 {
            remarks.extend(self.dropped_line(viewport, width));
        }
        for remark in self.remarks.get(&place).into_iter().flatten() {
            remarks.extend(entry::remark(remark, &self.appearance, width));
        }
        let gap = self.gap(place, &layout, viewport);
        PlaceLayout {
            key,
            gap,
            layout,
            remarks,
            generation: 0,
            frame: 0,
        }
    }

    /// The number of empty lines above: none at the beginning and between one-line tool calls.
    fn gap(&self, place: usize, layout: &EntryLayout, viewport: &Viewport<'_>) -> usize {
        let call_at = |place: usize| {
            let entry = viewport.transcript.entry(place.checked_sub(1)?)?;
            entry.tool_call()
        };
        let is_beginning = place <= viewport.first()
            && !self.remarks.contains_key(&0)
            && viewport.transcript.dropped().entries == 0;
        let is_run = layout.height() == 1
            && call_at(place).is_some()
            && place.checked_sub(1).and_then(call_at).is_some();
        usize::from(layout.height() > 0 && !is_beginning && !is_run)
    }

    fn dropped_line(&self, viewport: &Viewport<'_>, width: u16) -> Option<Line<'static>> {
        let dropped = viewport.transcript.dropped().entries;
        let theme = &self.appearance.theme;
        let text = format!(
            "{} {dropped} earlier entries were dropped",
            theme.sign(Sign::More)
        );
        let text = wrap::cut(&text, usize::from(width)).into_owned();
        (dropped > 0).then(|| Line::styled(text, theme.style(TextRole::Dim)))
    }
}

/// The most lines, and the most places, in the cache.
const LINES: usize = 6000;
const PLACES: usize = 600;
