//! What was found, by line. A line's colours depend on all lines before it, and so does its key.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::Receiver;

use super::Colours;

/// A syntax and the lines so far, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(in crate::paint) struct Chain(u64);

/// Colours of lines that were found, in two generations, so that what nobody asks for is forgotten.
pub(super) struct Known {
    finds: Receiver<Vec<(Chain, Colours)>>,
    young: HashMap<Chain, Colours>,
    old: HashMap<Chain, Colours>,
    asked: HashSet<Chain>,
}

impl Chain {
    /// This, or the beginning of a text if nothing came before.
    pub(super) fn or_begin(self, syntax: &str) -> Chain {
        if self == Chain::default() {
            self.then(syntax)
        } else {
            self
        }
    }

    pub(super) fn then(self, line: &str) -> Chain {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        line.hash(&mut hasher);
        Chain(hasher.finish())
    }
}

impl Known {
    pub(super) fn new(finds: Receiver<Vec<(Chain, Colours)>>) -> Self {
        Known {
            finds,
            young: HashMap::new(),
            old: HashMap::new(),
            asked: HashSet::new(),
        }
    }

    pub(super) fn take_in(&mut self) {
        while let Ok(found) = self.finds.try_recv() {
            for (chain, colours) in found {
                self.keep(chain, colours);
            }
            self.asked.clear();
        }
    }

    pub(super) fn get(&mut self, chain: Chain) -> Option<Colours> {
        if let Some(colours) = self.young.get(&chain) {
            return Some(Colours::clone(colours));
        }
        let colours = self.old.remove(&chain)?;
        self.keep(chain, Colours::clone(&colours));
        Some(colours)
    }

    /// Whether nobody has asked for this since something was last found.
    pub(super) fn is_first_asked(&mut self, chain: Chain) -> bool {
        if self.asked.len() >= MOST {
            self.asked.clear();
        }
        self.asked.insert(chain)
    }

    fn keep(&mut self, chain: Chain, colours: Colours) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(chain, colours);
    }
}

/// How many lines a generation holds.
const MOST: usize = 8192;
