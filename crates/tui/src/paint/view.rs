//! The view of a whole transcript. Only the visible part is laid out. The visible part stays put while entries grow
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

/// The data to draw.
pub struct Viewport<'a> {
    /// The transcript of the session.
    pub transcript: &'a Transcript,
    /// The terminals of the host: `&|id| host.terminals().view(id)`.
    pub terminal: TerminalLookup<'a>,
    /// The current time, for running tool calls.
    pub now: Instant,
}

/// A view of a transcript: folds, selection, search and scroll position.
///
/// Report every [`Change`] of the transcript to the view, then call [`draw`](Self::draw). While a tool call is running,
/// draw once per second to update its time.
#[derive(Debug)]
pub struct TranscriptView {
    appearance: Appearance,
    cache: LayoutCache,
    folds: Folds,
    timings: HashMap<usize, Timing>,
    /// Since when the agent has been waiting for the user.
    paused: Option<Instant>,
    /// The number of changes of each terminal.
    terminals: HashMap<v1::TerminalId, u64>,
    /// The remarks below each place; see [`Anchor`] for what a place is.
    remarks: BTreeMap<usize, Vec<Remark>>,
    commands: VecDeque<ViewCommand>,
    anchor: Anchor,
    is_following: bool,
    selected: Option<usize>,
    search: Option<Search>,
    /// The first and the last visible place of the last drawing.
    visible: Option<(usize, usize)>,
    position: Position,
    is_settled: bool,
}

/// Where to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// Down by this many lines; up if negative.
    Lines(i32),
    /// Down by this many pages; up if negative.
    Pages(i32),
    /// To the beginning.
    Top,
    /// To the end, and follow it as it grows.
    Bottom,
    /// To the first line of an entry.
    Entry(usize),
}

/// Which entry to select next, relative to the selected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionStep {
    /// The next entry; the last visible one if none was selected.
    Next,
    /// The previous entry; the last visible one if none was selected.
    Previous,
    /// The user's next prompt.
    NextPrompt,
    /// The user's previous prompt.
    PreviousPrompt,
}

/// The scroll position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Whether the view follows the end as it grows.
    pub is_following: bool,
    /// The percentage of entries above the visible part.
    pub percent: usize,
    /// The number of entries below the visible part.
    pub below: usize,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchStatus {
    /// The number of entries with a match so far.
    pub entries: usize,
    /// The number of the current match, from 1 at the oldest; 0 if there is none.
    pub current: usize,
    /// Whether all entries have been searched.
    pub is_complete: bool,
}

#[derive(Debug, Default)]
struct Folds {
    by_entry: HashMap<usize, Fold>,
    all: Option<Fold>,
}

/// When a tool call began, and how long it took.
#[derive(Debug, Clone, Copy)]
struct Timing {
    started: Instant,
    duration: Option<Duration>,
}

impl TranscriptView {
    /// Creates a view that follows the end.
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

    /// The appearance of the view.
    pub fn appearance(&self) -> &Appearance {
        &self.appearance
    }

    /// The appearance, to change the theme, the directory or the layout of diffs. Everything is laid out again.
    pub fn appearance_mut(&mut self) -> &mut Appearance {
        self.cache.clear();
        &mut self.appearance
    }

    /// Reports a change of the transcript.
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

    /// Reports a change of a terminal.
    pub fn terminal_changed(&mut self, terminal: &v1::TerminalId) {
        if self.terminals.len() > TERMINALS {
            self.terminals.clear();
            self.cache.clear();
        }
        *self.terminals.entry(terminal.clone()).or_default() += 1;
    }

    /// Adds a remark below the current last entry.
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

    /// Whether another [`draw`](Self::draw) would show the same. If not, draw again soon: colours are being found, a
    /// search is running, or something long is being laid out piece by piece.
    pub fn is_settled(&self) -> bool {
        self.is_settled && self.commands.is_empty()
    }

    /// Scrolls, from the next draw on.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.queue_command(ViewCommand::Scroll(scroll));
    }

    /// The scroll position of the last draw.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Selects an entry and scrolls to it, from the next draw on.
    pub fn select(&mut self, step: SelectionStep) {
        self.queue_command(ViewCommand::Select(step));
    }

    /// Clears the selection.
    pub fn unselect(&mut self) {
        self.selected = None;
    }

    /// The number of the selected entry.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Unfolds an entry, or folds it if it is unfolded, from the next draw on.
    pub fn toggle(&mut self, entry: usize) {
        self.queue_command(ViewCommand::Toggle(entry));
    }

    /// Sets the fold of an entry, from the next draw on.
    pub fn fold(&mut self, entry: usize, fold: Fold) {
        self.queue_command(ViewCommand::Fold(entry, fold));
    }

    /// Sets the fold of every tool call and thought, from the next draw on.
    pub fn fold_all(&mut self, fold: Fold) {
        self.queue_command(ViewCommand::FoldAll(Some(fold)));
    }

    /// Resets all folds to their defaults, from the next draw on.
    pub fn unfold_all(&mut self) {
        self.queue_command(ViewCommand::FoldAll(None));
    }

    /// Searches all entries, the newest first, and goes to the nearest match above. A query with capitals is
    /// case-sensitive. An empty query ends the search.
    pub fn search(&mut self, query: &str) {
        self.search = Search::new(query);
        self.is_settled = false;
    }

    /// Goes to the next entry with a match, from the next draw on. After the last match comes the first.
    pub fn next_match(&mut self) {
        self.queue_command(ViewCommand::NextMatch);
    }

    /// Goes to the previous entry with a match, from the next draw on. Before the first match comes the last.
    pub fn previous_match(&mut self) {
        self.queue_command(ViewCommand::PreviousMatch);
    }

    /// The progress of the search, or `None` without a search.
    pub fn search_status(&self) -> Option<SearchStatus> {
        self.search.as_ref().map(Search::status)
    }

    fn queue_command(&mut self, command: ViewCommand) {
        if self.commands.len() < COMMANDS {
            self.commands.push_back(command);
        }
    }

    /// Stops the time of tool calls while the agent waits for the user.
    pub(crate) fn pause(&mut self, now: Instant) {
        self.paused.get_or_insert(now);
    }

    /// Resumes the time of tool calls.
    pub(crate) fn resume(&mut self, now: Instant) {
        let Some(since) = self.paused.take() else {
            return;
        };
        let open = self.timings.values_mut().filter(|it| it.duration.is_none());
        for timing in open {
            timing.started += now.saturating_duration_since(since.max(timing.started));
        }
    }

    /// Starts or stops the time of a tool call. Replayed calls have no time, because it is unknown.
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
            started: now,
            duration: None,
        });
        if call.is_open() {
            timing.duration = None;
        } else if timing.duration.is_none() {
            let now = self.paused.map_or(now, |paused| paused.min(now));
            timing.duration = Some(now.saturating_duration_since(timing.started));
        }
    }

    fn elapsed(&self, entry: usize, now: Instant) -> Option<Duration> {
        let timing = self.timings.get(&entry)?;
        let now = self.paused.map_or(now, |paused| paused.min(now));
        let running =
            || Duration::from_secs(now.saturating_duration_since(timing.started).as_secs());
        Some(timing.duration.unwrap_or_else(running))
    }
}

/// The most remarks kept at one place.
const REMARKS: usize = 50;
/// The most places with remarks.
const REMARKED: usize = 10_000;
/// The most terminals whose changes are counted.
const TERMINALS: usize = 10_000;
/// The most commands that wait for the next draw.
const COMMANDS: usize = 256;
