//! Calls that wait for their answer, and what their answers will need to know of them.
//!
//! An answer comes with its method only. Where calls of one method that wait at once differ in what matters, nobody
//! can tell which of them is answered, and nothing is said.

use std::collections::BTreeMap;

/// The waiting calls of a connection.
#[derive(Debug, Default)]
pub(super) struct Asked {
    methods: BTreeMap<&'static str, Waiting>,
}

/// The waiting calls of one method.
#[derive(Debug, Default)]
struct Waiting {
    calls: usize,
    // Each different fact once.
    facts: Vec<String>,
    crowded: bool,
}

impl Asked {
    /// A call has been made. The fact is what its answer will need to know.
    pub(super) fn call(&mut self, method: &'static str, fact: String) {
        let waiting = self.methods.entry(method).or_default();
        waiting.calls += 1;
        if waiting.facts.contains(&fact) {
            return;
        }
        if waiting.facts.len() == MAX_FACTS {
            waiting.crowded = true;
        } else {
            waiting.facts.push(fact);
        }
    }

    /// A call has been answered. Its fact, if there can be no doubt.
    pub(super) fn answer(&mut self, method: &str) -> Option<String> {
        let waiting = self.methods.get_mut(method)?;
        let fact = waiting.only().map(str::to_owned);
        waiting.calls = waiting.calls.saturating_sub(1);
        if waiting.calls == 0 {
            *waiting = Waiting::default();
        }
        fact
    }

    /// The fact of all waiting calls of a method, if there are any and all have the same.
    pub(super) fn only(&self, method: &str) -> Option<&str> {
        self.methods.get(method)?.only()
    }

    /// Whether a call of the method waits.
    pub(super) fn waits(&self, method: &str) -> bool {
        self.methods.get(method).is_some_and(|waiting| waiting.calls > 0)
    }
}

impl Waiting {
    fn only(&self) -> Option<&str> {
        match &*self.facts {
            [fact] if !self.crowded => Some(fact),
            _ => None,
        }
    }
}

const MAX_FACTS: usize = 32;
