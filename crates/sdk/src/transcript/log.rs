//! The entries, within their limit.

use std::collections::{HashMap, VecDeque};

use super::blocks::Tail;
use super::change::Change;
use super::entry::{Entry, Item};
use super::name::Name;
use super::weight::Weight;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    names: HashMap<Name, usize>,
    /// The number of the first entry, which is how many are gone.
    first: usize,
    turn: usize,
    revision: u64,
    bytes: usize,
    dropped: usize,
    limit: usize,
}

impl Log {
    pub(super) fn with_limit(limit: usize) -> Self {
        Log {
            entries: VecDeque::new(),
            names: HashMap::new(),
            first: 0,
            turn: 0,
            revision: 0,
            bytes: 0,
            dropped: 0,
            limit,
        }
    }

    pub(super) fn entries(&self) -> &VecDeque<Entry> {
        &self.entries
    }

    pub(super) fn get(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index.checked_sub(self.first)?)
    }

    pub(super) fn find(&self, name: &Name) -> Option<usize> {
        self.names.get(name).copied()
    }

    pub(super) fn first(&self) -> usize {
        self.first
    }

    pub(super) fn turn(&self) -> usize {
        self.turn
    }

    pub(super) fn next_turn(&mut self) {
        self.turn += 1;
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn dropped_bytes(&self) -> usize {
        self.dropped
    }

    pub(super) fn push(&mut self, item: Item) -> Change {
        let index = self.first + self.entries.len();
        if let Some(name) = item.name() {
            self.names.insert(name, index);
        }
        let bytes = OWN_BYTES + item.weight();
        let revision = self.next_revision();
        self.bytes += bytes;
        self.entries.push_back(Entry {
            item,
            index,
            turn: self.turn,
            revision,
            bytes,
            dropped: 0,
        });
        self.keep_limit(index);
        Change::Added(index)
    }

    /// Changes what stands at a place.
    pub(super) fn change(&mut self, index: usize, edit: impl FnOnce(&mut Item)) -> Change {
        let whole = |item: &mut Item| {
            edit(item);
            None
        };
        self.edit(index, whole)
    }

    /// Changes what stands at a place by letting its content grow; `None` if it did something else.
    pub(super) fn edit(
        &mut self,
        index: usize,
        edit: impl FnOnce(&mut Item) -> Option<Tail>,
    ) -> Change {
        let revision = self.next_revision();
        let place = index.checked_sub(self.first);
        let Some(entry) = place.and_then(|place| self.entries.get_mut(place)) else {
            return Change::Nothing;
        };
        let tail = edit(&mut entry.item);
        let before = entry.bytes;
        entry.revision = revision;
        entry.bytes = OWN_BYTES + entry.item.weight();
        self.bytes = self.bytes - before + entry.bytes;
        match (self.keep_limit(index), tail) {
            (Kept::Whole, Some(Tail { block, text })) => Change::Appended {
                entry: index,
                block,
                text,
            },
            _ => Change::Changed(index),
        }
    }

    /// An entry that is too large by itself loses its beginning, so that it does not push out all others. Then the
    /// oldest go.
    fn keep_limit(&mut self, touched: usize) -> Kept {
        if self.bytes <= self.limit {
            return Kept::Whole;
        }
        let place = touched.checked_sub(self.first);
        let mut kept = Kept::Whole;
        if let Some(entry) = place.and_then(|place| self.entries.get_mut(place))
            && entry.bytes > self.limit
        {
            // Half, so that a message that goes on growing is not moved with each of its pieces.
            entry.item.shed(self.limit / 2);
            let left = OWN_BYTES + entry.item.weight();
            let gone = entry.bytes - left;
            entry.bytes = left;
            entry.dropped += gone;
            self.bytes -= gone;
            self.dropped += gone;
            kept = Kept::Part;
        }
        while self.bytes > self.limit {
            let Some(entry) = self.entries.pop_front() else {
                break;
            };
            self.forget(&entry);
        }
        kept
    }

    fn forget(&mut self, entry: &Entry) {
        self.first += 1;
        self.bytes -= entry.bytes;
        self.dropped += entry.bytes;
        if let Some(name) = entry.item.name() {
            self.names.remove(&name);
        }
    }
}

/// What is left of an entry that was touched.
enum Kept {
    Whole,
    Part,
}

/// What an entry takes by being there, its name included.
const OWN_BYTES: usize = size_of::<Entry>() + size_of::<(Name, usize)>();
