//! The list of entries, kept within its limit.

use std::collections::{HashMap, VecDeque};

use super::blocks::Growth;
use super::change::Change;
use super::entry::EntryKey;
use super::entry::{Entry, EntryKind};
use super::weight::Weight;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntryLog {
    entries: VecDeque<Entry>,
    index: HashMap<EntryKey, usize>,
    /// Number of the first remaining entry, which is also the number of dropped entries.
    first: usize,
    turn: usize,
    revision: u64,
    bytes: usize,
    dropped: usize,
    limit: usize,
}

impl EntryLog {
    pub(super) fn with_limit(limit: usize) -> Self {
        EntryLog {
            entries: VecDeque::new(),
            index: HashMap::new(),
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

    pub(super) fn find(&self, key: &EntryKey) -> Option<usize> {
        self.index.get(key).copied()
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

    pub(super) fn push(&mut self, kind: EntryKind) -> Change {
        let index = self.first + self.entries.len();
        if let Some(key) = kind.key() {
            self.index.insert(key, index);
        }
        let bytes = OWN_BYTES + kind.weight();
        let revision = self.next_revision();
        self.bytes += bytes;
        self.entries.push_back(Entry {
            kind,
            index,
            turn: self.turn,
            revision,
            bytes,
            dropped: 0,
        });
        self.keep_limit(index);
        Change::Added(index)
    }

    /// Edits an entry.
    pub(super) fn change(&mut self, index: usize, edit: impl FnOnce(&mut EntryKind)) -> Change {
        let whole = |kind: &mut EntryKind| {
            edit(kind);
            None
        };
        self.grow(index, whole)
    }

    /// Appends to the content of an entry. `None` if the entry was changed in another way.
    pub(super) fn grow(
        &mut self,
        index: usize,
        edit: impl FnOnce(&mut EntryKind) -> Option<Growth>,
    ) -> Change {
        let revision = self.next_revision();
        let position = index.checked_sub(self.first);
        let Some(entry) = position.and_then(|position| self.entries.get_mut(position)) else {
            return Change::Nothing;
        };
        let growth = edit(&mut entry.kind);
        let before = entry.bytes;
        entry.revision = revision;
        entry.bytes = OWN_BYTES + entry.kind.weight();
        self.bytes = self.bytes - before + entry.bytes;
        match (self.keep_limit(index), growth) {
            (Trimmed::No, Some(Growth { block, text })) => Change::Appended {
                entry: index,
                block,
                text,
            },
            _ => Change::Changed(index),
        }
    }

    /// Trims an entry that alone exceeds the limit, so that it does not displace all others, then drops the oldest
    /// entries.
    fn keep_limit(&mut self, touched: usize) -> Trimmed {
        if self.bytes <= self.limit {
            return Trimmed::No;
        }
        let position = touched.checked_sub(self.first);
        let mut trimmed = Trimmed::No;
        if let Some(entry) = position.and_then(|position| self.entries.get_mut(position))
            && entry.bytes > self.limit
        {
            // Half, so that a growing message is not trimmed at every chunk.
            entry.kind.trim(self.limit / 2);
            let left = OWN_BYTES + entry.kind.weight();
            let gone = entry.bytes - left;
            entry.bytes = left;
            entry.dropped += gone;
            self.bytes -= gone;
            self.dropped += gone;
            trimmed = Trimmed::Yes;
        }
        while self.bytes > self.limit {
            let Some(entry) = self.entries.pop_front() else {
                break;
            };
            self.remove_oldest(&entry);
        }
        trimmed
    }

    fn remove_oldest(&mut self, entry: &Entry) {
        self.first += 1;
        self.bytes -= entry.bytes;
        self.dropped += entry.bytes;
        if let Some(key) = entry.kind.key() {
            self.index.remove(&key);
        }
    }
}

/// Whether the changed entry was trimmed.
enum Trimmed {
    No,
    Yes,
}

/// Size of an entry without its content, including its key in the index, in bytes.
const OWN_BYTES: usize = size_of::<Entry>() + size_of::<(EntryKey, usize)>();
