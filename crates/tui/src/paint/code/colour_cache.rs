//! Caches the colours of each line. A line's colours depend on all lines before it, and so does its key.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::Receiver;

use super::LineColours;

/// A hash of the syntax and all lines so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(in crate::paint) struct PrefixHash(u64);

/// The colours found so far, in two generations, so that unused ones are dropped.
pub(super) struct ColourCache {
    results: Receiver<Vec<(PrefixHash, LineColours)>>,
    young: HashMap<PrefixHash, LineColours>,
    old: HashMap<PrefixHash, LineColours>,
    requested: HashSet<PrefixHash>,
}

impl PrefixHash {
    /// This hash, or the hash of an empty text in this syntax.
    pub(super) fn or_start(self, syntax: &str) -> PrefixHash {
        if self == PrefixHash::default() {
            self.then(syntax)
        } else {
            self
        }
    }

    pub(super) fn then(self, line: &str) -> PrefixHash {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        line.hash(&mut hasher);
        PrefixHash(hasher.finish())
    }
}

impl ColourCache {
    pub(super) fn new(results: Receiver<Vec<(PrefixHash, LineColours)>>) -> Self {
        ColourCache {
            results,
            young: HashMap::new(),
            old: HashMap::new(),
            requested: HashSet::new(),
        }
    }

    pub(super) fn receive(&mut self) {
        while let Ok(found) = self.results.try_recv() {
            for (chain, colours) in found {
                self.keep(chain, colours);
            }
            self.requested.clear();
        }
    }

    pub(super) fn get(&mut self, chain: PrefixHash) -> Option<LineColours> {
        if let Some(colours) = self.young.get(&chain) {
            return Some(LineColours::clone(colours));
        }
        let colours = self.old.remove(&chain)?;
        self.keep(chain, LineColours::clone(&colours));
        Some(colours)
    }

    /// Whether these lines have not been requested since the last results.
    pub(super) fn is_new_request(&mut self, chain: PrefixHash) -> bool {
        if self.requested.len() >= MOST {
            self.requested.clear();
        }
        self.requested.insert(chain)
    }

    fn keep(&mut self, chain: PrefixHash, colours: LineColours) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(chain, colours);
    }
}

/// The most lines in a generation.
const MOST: usize = 8192;
