//! What was laid out, kept while it may be seen again.

use std::collections::HashMap;

use attache::v1;
use ratatui::text::Line;

use super::{Scene, TranscriptView};
use crate::paint::entry::{self, Around, Layout};
use crate::paint::theme::{Role, Sign};
use crate::paint::{Fold, wrap};

#[derive(Debug, Default)]
pub(super) struct Cache {
    places: HashMap<usize, Laid>,
    width: u16,
    frame: u64,
}

/// A place laid out: an empty line above, the entry, and what is remarked below it.
#[derive(Debug)]
pub(super) struct Laid {
    key: Key,
    pub(super) gap: usize,
    pub(super) layout: Layout,
    pub(super) remarks: Vec<Line<'static>>,
    generation: u64,
    frame: u64,
}

/// What the layout of a place depends on.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    revision: u64,
    fold: Fold,
    seconds: u64,
    terminals: u64,
}

impl Cache {
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    pub(super) fn forget(&mut self, place: usize) {
        self.places.remove(&place);
    }

    pub(super) fn get(&self, place: usize) -> Option<&Laid> {
        self.places.get(&place)
    }

    pub(super) fn width(&self) -> u16 {
        self.width
    }

    /// Forgets what is of another width.
    pub(super) fn set_width(&mut self, width: u16) {
        self.width = width;
        self.places.clear();
    }

    pub(super) fn begin_frame(&mut self) {
        self.frame += 1;
    }

    /// Forgets what this frame did not need, once it is much.
    pub(super) fn end_frame(&mut self) {
        let lines: usize = self.places.values().map(Laid::height).sum();
        if lines > LINES || self.places.len() > PLACES {
            self.places.retain(|_, laid| laid.frame == self.frame);
        }
    }
}

impl Laid {
    pub(super) fn height(&self) -> usize {
        self.gap + self.layout.height() + self.remarks.len()
    }
}

impl TranscriptView {
    /// How many lines a place takes; it is laid out for that if it is not yet.
    pub(super) fn height(&mut self, place: usize, scene: &Scene<'_>) -> usize {
        let key = self.key(place, scene);
        let generation = self.brush.highlighter.generation();
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
        let laid = self.lay_out(place, key, kept, scene);
        let height = laid.height();
        self.cache.places.insert(
            place,
            Laid {
                generation,
                frame,
                ..laid
            },
        );
        height
    }

    /// How much of an entry is shown.
    pub(super) fn fold_of(&self, entry: &attache::transcript::Entry) -> Fold {
        let usual = entry::usual_fold(entry);
        let one = self.folds.one.get(&entry.index()).copied();
        let is_foldable = entry.tool_call().is_some() || usual == Fold::Line;
        one.or(self.folds.all.filter(|_| is_foldable))
            .unwrap_or(usual)
    }

    fn key(&self, place: usize, scene: &Scene<'_>) -> Key {
        let entry = place
            .checked_sub(1)
            .and_then(|index| scene.transcript.entry(index));
        let Some(entry) = entry else {
            let dropped = scene.transcript.dropped().entries;
            return Key {
                revision: u64::try_from(dropped).unwrap_or(u64::MAX),
                fold: Fold::Full,
                seconds: 0,
                terminals: 0,
            };
        };
        let call = entry.tool_call();
        let is_open = call.is_some_and(attache::transcript::ToolCallEntry::is_open);
        let elapsed = self.elapsed(entry.index(), scene.now).filter(|_| is_open);
        let terminals = call.into_iter().flat_map(|call| call.report.content.iter());
        let changes = terminals.filter_map(|content| match content {
            v1::ToolCallContent::Terminal(terminal) => self.terminals.get(&terminal.terminal_id),
            _ => None,
        });
        Key {
            revision: entry.revision(),
            fold: self.fold_of(entry),
            seconds: elapsed.map_or(0, |elapsed| elapsed.as_secs()),
            terminals: changes.sum(),
        }
    }

    fn lay_out(&self, place: usize, key: Key, kept: Option<Laid>, scene: &Scene<'_>) -> Laid {
        let width = self.cache.width;
        let mut layout = kept.map(|laid| laid.layout).unwrap_or_default();
        let entry = place
            .checked_sub(1)
            .and_then(|index| scene.transcript.entry(index));
        if let Some(entry) = entry {
            let around = Around {
                brush: &self.brush,
                width,
                fold: key.fold,
                elapsed: self.elapsed(entry.index(), scene.now),
                terminal: scene.terminal,
            };
            layout.update(entry, &around);
        }
        let mut remarks = Vec::new();
        if place == 0 {
            remarks.extend(self.dropped_line(scene, width));
        }
        for remark in self.remarks.get(&place).into_iter().flatten() {
            remarks.extend(entry::remark(remark, &self.brush, width));
        }
        let gap = self.gap(place, &layout, scene);
        Laid {
            key,
            gap,
            layout,
            remarks,
            generation: 0,
            frame: 0,
        }
    }

    /// An empty line above, except at the beginning and between tool calls of one line.
    fn gap(&self, place: usize, layout: &Layout, scene: &Scene<'_>) -> usize {
        let call_at = |place: usize| {
            let entry = scene.transcript.entry(place.checked_sub(1)?)?;
            entry.tool_call()
        };
        let is_beginning = place <= scene.first()
            && !self.remarks.contains_key(&0)
            && scene.transcript.dropped().entries == 0;
        let is_run = layout.height() == 1
            && call_at(place).is_some()
            && place.checked_sub(1).and_then(call_at).is_some();
        usize::from(layout.height() > 0 && !is_beginning && !is_run)
    }

    fn dropped_line(&self, scene: &Scene<'_>, width: u16) -> Option<Line<'static>> {
        let dropped = scene.transcript.dropped().entries;
        let theme = &self.brush.theme;
        let text = format!(
            "{} {dropped} earlier entries are not kept",
            theme.sign(Sign::More)
        );
        let text = wrap::cut(&text, usize::from(width)).into_owned();
        (dropped > 0).then(|| Line::styled(text, theme.style(Role::Dim)))
    }
}

/// How many lines are kept laid out.
const LINES: usize = 6000;
const PLACES: usize = 600;
