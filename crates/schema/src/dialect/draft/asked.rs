//! Calls that wait for their answer, and what their answers will need to know of them.
//!
//! An answer comes with its method only. Where calls of one method that wait at once differ in what matters, nobody
//! can tell which of them is answered, and nothing is said.

use std::collections::BTreeMap;

/// The waiting calls of a connection, by method.
#[derive(Debug, Default)]
pub(super) struct Asked(BTreeMap<&'static str, Waiting>);

/// The waiting calls of one method.
#[derive(Debug, Default)]
struct Waiting {
    calls: usize,
    // What all of them have in common, if that is everything.
    fact: Option<String>,
    refused: usize,
}

impl Asked {
    /// A call has been made. The fact is what its answer will need to know.
    pub(super) fn call(&mut self, method: &'static str, fact: String) {
        let waiting = self.0.entry(method).or_default();
        let certain = waiting.calls == 0 || waiting.fact.as_ref() == Some(&fact);
        waiting.fact = (certain && fact.len() <= MAX_FACT).then_some(fact);
        waiting.calls += 1;
    }

    /// A call has been answered. Its fact, if there can be no doubt.
    pub(super) fn answer(&mut self, method: &str) -> Option<String> {
        let waiting = self.0.get_mut(method)?;
        waiting.calls = waiting.calls.checked_sub(1)?;
        waiting.fact.clone()
    }

    /// A call, or the result of one, has been refused here: an error will be written for it that answers no other.
    pub(super) fn refuse(&mut self, method: &'static str) {
        self.0.entry(method).or_default().refused += 1;
    }

    /// An error has been written. The fact of the call that it answers, if there can be no doubt.
    pub(super) fn fail(&mut self, method: &str) -> Option<String> {
        let waiting = self.0.get_mut(method)?;
        match waiting.refused.checked_sub(1) {
            Some(refused) => {
                waiting.refused = refused;
                None
            }
            None => self.answer(method),
        }
    }

    /// The fact of all waiting calls of a method, if there are any and all have the same.
    pub(super) fn only(&self, method: &str) -> Option<&str> {
        let waiting = self.0.get(method).filter(|waiting| waiting.calls > 0);
        waiting?.fact.as_deref()
    }

    /// Whether a call of the method waits.
    pub(super) fn waits(&self, method: &str) -> bool {
        self.0.get(method).is_some_and(|waiting| waiting.calls > 0)
    }
}

const MAX_FACT: usize = 64 * 1024;
