//! The view over a whole transcript. Only what is visible is laid out; where one looks stays put while entries grow
//! above and below and when the width changes.

mod anchor;
mod cache;
mod commands;
mod drawing;
mod search;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use attache::transcript::{Change, Entry, EntryKind, Transcript};
use attache::v1;
use attache_client::export::TerminalLookup;

use super::{Appearance, Fold, Remark};
use anchor::Anchor;
use cache::LayoutCache;
use commands::ViewCommand;
use search::Search;

pub use super::entry::text_of;

/// What there is to draw, now.
pub struct Viewport<'a> {
    /// The session.
    pub transcript: &'a Transcript,
    /// The terminals of the host: `&|id| host.terminals().view(id)`.
    pub terminal: TerminalLookup<'a>,
    /// The time, for what is still running.
    pub now: Instant,
}

/// A view over a transcript: what is folded, selected and searched for, and where one looks.
///
/// Give it every [`Change`] that the transcript reports, then [`draw`](Self::draw). While a tool call runs, draw once
/// in a second, for its time.
#[derive(Debug)]
pub struct TranscriptView {
    appearance: Appearance,
    cache: LayoutCache,
    folds: Folds,
    timings: HashMap<usize, Timing>,
    /// Since when a person is waited for.
    paused: Option<Instant>,
    /// How often each terminal has changed.
    terminals: HashMap<v1::TerminalId, u64>,
    /// What is remarked below each place; see [`Anchor`] for what a place is.
    remarks: BTreeMap<usize, Vec<Remark>>,
    commands: VecDeque<ViewCommand>,
    anchor: Anchor,
    is_following: bool,
    selected: Option<usize>,
    search: Option<Search>,
    /// The first and the last place that the last draw showed.
    visible: Option<(usize, usize)>,
    position: Position,
    is_settled: bool,
}

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// So many lines down; up if negative.
    Lines(i32),
    /// So many pages down; up if negative.
    Pages(i32),
    /// To the beginning.
    Top,
    /// To the end, and along with it as it grows.
    Bottom,
    /// To the first line of an entry.
    Entry(usize),
}

/// Which entry to select next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionStep {
    /// The one below; the last one that is visible if none was selected.
    Next,
    /// The one above; the last one that is visible if none was selected.
    Previous,
    /// The person's message below.
    NextPrompt,
    /// The person's message above.
    PreviousPrompt,
}

/// Where one looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Whether the view goes along with the end as it grows.
    pub is_following: bool,
    /// How much of the transcript lies above, in percent, by entries.
    pub percent: usize,
    /// How many entries have begun below what is visible.
    pub below: usize,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchStatus {
    /// How many entries have a match so far.
    pub entries: usize,
    /// Which of them is looked at, from 1, the oldest first; 0 if none.
    pub current: usize,
    /// Whether all entries were searched.
    pub is_complete: bool,
}

#[derive(Debug, Default)]
struct Folds {
    one: HashMap<usize, Fold>,
    all: Option<Fold>,
}

/// When a tool call began, and how long it took.
#[derive(Debug, Clone, Copy)]
struct Timing {
    began: Instant,
    took: Option<Duration>,
}

impl TranscriptView {
    /// A view that follows the end.
    pub fn new(appearance: Appearance) -> TranscriptView {
        TranscriptView {
            appearance,
            cache: LayoutCache::default(),
            folds: Folds::default(),
            timings: HashMap::new(),
            paused: None,
            terminals: HashMap::new(),
            remarks: BTreeMap::new(),
            commands: VecDeque::new(),
            anchor: Anchor::default(),
            is_following: true,
            selected: None,
            search: None,
            visible: None,
            position: Position::default(),
            is_settled: true,
        }
    }

    /// The brush.
    pub fn appearance(&self) -> &Appearance {
        &self.appearance
    }

    /// The brush, to change the theme, the directory or how diffs are laid out; everything is laid out again.
    pub fn appearance_mut(&mut self) -> &mut Appearance {
        self.cache.clear();
        &mut self.appearance
    }

    /// The transcript has changed.
    pub fn changed(&mut self, transcript: &Transcript, change: &Change, now: Instant) {
        let Some(entry) = change.entry() else {
            return;
        };
        if !matches!(change, Change::Appended { .. }) {
            self.cache.forget(entry + 1);
        }
        if let Some(search) = &mut self.search {
            search.search_again(entry);
        }
        self.time_tool_call(transcript, entry, now);
        if let Some(EntryKind::TurnEnd(end)) = transcript.entry(entry).map(Entry::kind) {
            for &cancelled in &end.cancelled {
                self.time_tool_call(transcript, cancelled, now);
            }
        }
    }

    /// A terminal has changed.
    pub fn terminal_changed(&mut self, terminal: &v1::TerminalId) {
        if self.terminals.len() > TERMINALS {
            self.terminals.clear();
            self.cache.clear();
        }
        *self.terminals.entry(terminal.clone()).or_default() += 1;
    }

    /// Puts a remark below the last entry that there is now.
    pub fn remark(&mut self, transcript: &Transcript, remark: Remark) {
        let place = transcript.dropped().entries + transcript.entries().len();
        let remarks = self.remarks.entry(place).or_default();
        if remarks.len() == REMARKS {
            remarks.remove(0);
        }
        remarks.push(remark);
        if self.remarks.len() > REMARKED {
            self.remarks.pop_first();
        }
        self.cache.forget(place);
    }

    /// Whether another [`draw`](Self::draw) would show the same. If not, draw again in a moment: colours are being
    /// found, a search goes on, or something long is laid out piece by piece.
    pub fn is_settled(&self) -> bool {
        self.is_settled && self.commands.is_empty()
    }

    /// Looks elsewhere, from the next draw on.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.queue_command(ViewCommand::Scroll(scroll));
    }

    /// Where the last draw looked.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Selects an entry and brings it into view, from the next draw on.
    pub fn select(&mut self, step: SelectionStep) {
        self.queue_command(ViewCommand::Select(step));
    }

    /// Selects nothing.
    pub fn unselect(&mut self) {
        self.selected = None;
    }

    /// The number of the entry that the last draw showed as selected.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Shows all of an entry, or if all of it is shown no more than usual, from the next draw on.
    pub fn toggle(&mut self, entry: usize) {
        self.queue_command(ViewCommand::Toggle(entry));
    }

    /// Shows so much of an entry, from the next draw on.
    pub fn fold(&mut self, entry: usize, fold: Fold) {
        self.queue_command(ViewCommand::Fold(entry, fold));
    }

    /// Shows so much of every tool call and thought, from the next draw on.
    pub fn fold_all(&mut self, fold: Fold) {
        self.queue_command(ViewCommand::FoldAll(Some(fold)));
    }

    /// Shows of every entry what is usual, from the next draw on.
    pub fn unfold_all(&mut self) {
        self.queue_command(ViewCommand::FoldAll(None));
    }

    /// Searches all entries, the newest first, and goes to the nearest match above. Capitals in the query make case
    /// count. An empty query ends the search.
    pub fn search(&mut self, query: &str) {
        self.search = Search::new(query);
        self.is_settled = false;
    }

    /// Goes to the next entry below that has a match, from the next draw on; behind the last comes the first.
    pub fn next_match(&mut self) {
        self.queue_command(ViewCommand::NextMatch);
    }

    /// Goes to the next entry above that has a match, from the next draw on; above the first comes the last.
    pub fn previous_match(&mut self) {
        self.queue_command(ViewCommand::PreviousMatch);
    }

    /// How far the search has come; `None` without a search.
    pub fn search_status(&self) -> Option<SearchStatus> {
        self.search.as_ref().map(Search::status)
    }

    fn queue_command(&mut self, command: ViewCommand) {
        if self.commands.len() < COMMANDS {
            self.commands.push_back(command);
        }
    }

    /// A person is waited for: that is no time of a tool.
    pub(crate) fn pause(&mut self, now: Instant) {
        self.paused.get_or_insert(now);
    }

    /// Nobody is waited for any more.
    pub(crate) fn resume(&mut self, now: Instant) {
        let Some(since) = self.paused.take() else {
            return;
        };
        let open = self.timings.values_mut().filter(|it| it.took.is_none());
        for timing in open {
            timing.began += now.saturating_duration_since(since.max(timing.began));
        }
    }

    /// Nobody knows how long the calls of a replay took.
    fn time_tool_call(&mut self, transcript: &Transcript, index: usize, now: Instant) {
        let Some(entry) = transcript.entry(index).filter(|entry| entry.turn() > 0) else {
            return;
        };
        let Some(call) = entry.tool_call() else {
            return;
        };
        if self.timings.len() > 2 * transcript.entries().len() + COMMANDS {
            let dropped = transcript.dropped().entries;
            self.timings.retain(|index, _| *index >= dropped);
        }
        let timing = self.timings.entry(index).or_insert(Timing {
            began: now,
            took: None,
        });
        if call.is_open() {
            timing.took = None;
        } else if timing.took.is_none() {
            let now = self.paused.map_or(now, |paused| paused.min(now));
            timing.took = Some(now.saturating_duration_since(timing.began));
        }
    }

    fn elapsed(&self, entry: usize, now: Instant) -> Option<Duration> {
        let timing = self.timings.get(&entry)?;
        let now = self.paused.map_or(now, |paused| paused.min(now));
        let running = || Duration::from_secs(now.saturating_duration_since(timing.began).as_secs());
        Some(timing.took.unwrap_or_else(running))
    }
}

/// How many remarks are kept at one place.
const REMARKS: usize = 50;
/// At how many places remarks are kept.
const REMARKED: usize = 10_000;
/// Of how many terminals the changes are counted.
const TERMINALS: usize = 10_000;
/// How many wishes may wait for the next draw.
const COMMANDS: usize = 256;
