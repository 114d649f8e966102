//! Searches a transcript, a part with each frame, so that no frame waits.

use std::collections::BTreeSet;

use ratatui::text::Line;
use regex::{Regex, RegexBuilder};

use super::anchor::Anchor;
use super::{SearchStatus, TranscriptView, Viewport};
use crate::paint::Fold;
use crate::paint::entry;

/// A search and the numbers of the entries that match.
#[derive(Debug)]
pub(super) struct Search {
    pattern: Regex,
    matches: BTreeSet<usize>,
    /// Entries that have changed since they were searched.
    changed: BTreeSet<usize>,
    /// The entries from this number on have been searched.
    searched_from: Option<usize>,
    current: Option<usize>,
    is_complete: bool,
}

impl Search {
    /// Creates a search, or `None` for an empty query.
    pub(super) fn new(query: &str) -> Option<Search> {
        let has_capitals = query.chars().any(char::is_uppercase);
        let pattern = RegexBuilder::new(&regex::escape(query))
            .case_insensitive(!has_capitals)
            .build()
            .ok()?;
        let search = Search {
            pattern,
            matches: BTreeSet::new(),
            changed: BTreeSet::new(),
            searched_from: None,
            current: None,
            is_complete: false,
        };
        Some(search).filter(|_| !query.is_empty())
    }

    pub(super) fn status(&self) -> SearchStatus {
        let current = self
            .current
            .map_or(0, |current| self.matches.range(..=current).count());
        SearchStatus {
            entries: self.matches.len(),
            current,
            is_complete: self.is_complete,
        }
    }

    pub(super) fn search_again(&mut self, entry: usize) {
        self.changed.insert(entry);
    }

    /// The next match below an entry.
    pub(super) fn below(&self, entry: usize) -> Option<usize> {
        let next = self.matches.range(entry + 1..).next();
        next.or(self.matches.first()).copied()
    }

    /// The next match above an entry.
    pub(super) fn above(&self, entry: usize) -> Option<usize> {
        let next = self.matches.range(..entry).next_back();
        next.or(self.matches.last()).copied()
    }

    /// The byte ranges of the matches in a line.
    pub(super) fn match_ranges<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        self.pattern.find_iter(text).map(|spot| spot.range())
    }

    /// Searches some more entries.
    fn search_more(&mut self, viewport: &Viewport<'_>) {
        let mut budget = BUDGET;
        for entry in std::mem::take(&mut self.changed) {
            self.search_entry(entry, viewport, &mut budget);
        }
        let dropped = viewport.transcript.dropped().entries;
        let mut next = self.searched_from.unwrap_or(viewport.last());
        while next > dropped && budget > 0 {
            next -= 1;
            self.search_entry(next, viewport, &mut budget);
        }
        self.searched_from = Some(next);
        self.is_complete = next <= dropped;
    }

    fn search_entry(&mut self, index: usize, viewport: &Viewport<'_>, budget: &mut usize) {
        let Some(entry) = viewport.transcript.entry(index) else {
            self.matches.remove(&index);
            return;
        };
        let mut is_match = false;
        entry::texts(entry, &mut |text| {
            *budget = budget.saturating_sub(text.len() + 64);
            is_match = is_match || self.pattern.is_match(text);
        });
        if is_match {
            self.matches.insert(index);
        } else {
            self.matches.remove(&index);
        }
    }
}

impl TranscriptView {
    /// Searches some more entries, and goes to the first match above once there is one.
    pub(super) fn continue_search(&mut self, rows: usize, viewport: &Viewport<'_>) {
        let Some(search) = &mut self.search else {
            return;
        };
        if !search.is_complete || !search.changed.is_empty() {
            search.search_more(viewport);
        }
        if search.current.is_some() || search.matches.is_empty() {
            return;
        }
        let bottom = self.visible.map_or(viewport.last(), |(_, last)| last);
        let nearest = search.matches.range(..bottom).next_back().copied();
        let target = match nearest {
            None if search.is_complete => search.matches.first().copied(),
            found => found,
        };
        if let Some(target) = target {
            self.show_match(target, rows, viewport);
        }
    }

    pub(super) fn go_to_match(
        &mut self,
        next: impl Fn(&Search, usize) -> Option<usize>,
        rows: usize,
        viewport: &Viewport<'_>,
    ) {
        let here = self.anchor.place.saturating_sub(1);
        let search = self.search.as_ref();
        let target = search.and_then(|search| next(search, search.current.unwrap_or(here)));
        if let Some(target) = target {
            self.show_match(target, rows, viewport);
        }
    }

    /// Scrolls to the first match of an entry, unfolding the entry if the match is hidden.
    fn show_match(&mut self, entry: usize, rows: usize, viewport: &Viewport<'_>) {
        let place = entry + 1;
        if let Some(search) = &mut self.search {
            search.current = Some(entry);
        }
        let mut line = self.first_match(place, viewport);
        if line.is_none() {
            self.folds.by_entry.insert(entry, Fold::Full);
            line = self.first_match(place, viewport);
        }
        let at = Anchor {
            place,
            line: line.unwrap_or(0),
        };
        self.anchor = self.up(at, rows / 3, viewport);
        self.is_following = false;
    }

    fn first_match(&mut self, place: usize, viewport: &Viewport<'_>) -> Option<usize> {
        let height = self.height(place, viewport);
        let laid = self.cache.get(place)?;
        let search = self.search.as_ref()?;
        let is_match = |index: &usize| {
            let line = laid.layout.line(*index);
            line.is_some_and(|line| search.pattern.is_match(&text(line)))
        };
        let line = (0..height).find(is_match)?;
        Some(line + laid.gap)
    }
}

pub(super) fn text(line: &Line<'_>) -> String {
    line.spans
        .iter()
        .map(|span| span.content.as_ref())
        .collect()
}

/// The most bytes searched per frame.
const BUDGET: usize = 512 * 1024;
