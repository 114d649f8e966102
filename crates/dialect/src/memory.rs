//! The memory of a translator, within limits: values by name, and pending calls. Text that the peer chose must pass
//! [`short`] before it is remembered.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher as _;

use attache_rpc::Id;

/// Maximum number of modes; further ones are not remembered.
pub(super) const MAX_MODES: usize = 256;

/// Values by name, at most [`LIMIT`]; the oldest are forgotten.
#[derive(Debug)]
pub(super) struct RecentMap<T> {
    values: HashMap<String, T>,
    order: VecDeque<String>,
}

/// The pending calls of a connection. Each side chooses the ids of its own calls.
#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    /// Our calls, to which the peer responds.
    pub(super) ours: PendingSide,
    /// Calls of the peer, to which we respond.
    pub(super) theirs: PendingSide,
}

/// The pending calls of one side, each with the context that its response needs. At most [`LIMIT`] are remembered;
/// older ones are only counted.
#[derive(Debug, Default)]
pub(super) struct PendingSide {
    calls: HashMap<Id, PendingCall>,
    order: BTreeMap<u64, Id>,
    latest: u64,
    /// Number of pending calls of each method that are not remembered.
    forgotten: HashMap<String, usize>,
}

/// A pending call.
#[derive(Debug)]
struct PendingCall {
    number: u64,
    method: String,
    // `None` if it was too long to remember.
    context: Option<String>,
}

/// The text, if it is short enough to be remembered.
pub(super) fn short(text: Option<String>) -> Option<String> {
    text.filter(|text| text.len() <= MAX_TEXT)
}

impl<T> RecentMap<T> {
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.values.get(&*self.key(name))
    }

    pub(super) fn set(&mut self, name: &str, value: T) {
        let key = self.key(name).into_owned();
        if self.values.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
            self.drop_oldest();
        }
    }

    /// The key for a name. A long name becomes its hash, so that a peer cannot fill the memory with names.
    fn key<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if name.len() <= MAX_ID {
            return Cow::Borrowed(name);
        }
        Cow::Owned(format!(
            "{} {}",
            name.len(),
            self.values.hasher().hash_one(name)
        ))
    }

    fn drop_oldest(&mut self) {
        while self.order.len() > LIMIT {
            if let Some(oldest) = self.order.pop_front() {
                self.values.remove(&oldest);
            }
        }
    }
}

impl<T: Default> RecentMap<T> {
    /// The value with this name, created if it is missing.
    pub(super) fn entry(&mut self, name: &str) -> &mut T {
        if self.get(name).is_none() {
            self.set(name, T::default());
        }
        let key = self.key(name).into_owned();
        self.values.entry(key).or_default()
    }
}

impl PendingSide {
    /// Adds a call with the context that its response needs. Notifications, which have no id, are ignored.
    pub(super) fn call(&mut self, id: Option<&Id>, method: &str, context: String) {
        let Some(id) = id else {
            return;
        };
        self.remove(id);
        if id.as_str().len() > MAX_ID {
            self.count_forgotten(method.to_owned());
            return;
        }
        self.latest += 1;
        let call = PendingCall {
            number: self.latest,
            method: method.to_owned(),
            context: Some(context).filter(|context| context.len() <= MAX_CONTEXT),
        };
        self.order.insert(call.number, id.clone());
        self.calls.insert(id.clone(), call);
        self.drop_oldest();
    }

    /// Removes a call that has its response, and returns its context if remembered.
    pub(super) fn answer(&mut self, id: &Id, method: &str) -> Option<String> {
        let Some(call) = self.remove(id) else {
            self.uncount_forgotten(method);
            return None;
        };
        call.context.filter(|_| call.method == method)
    }

    /// The remembered contexts of all pending calls of a method.
    pub(super) fn contexts(&self, method: &str) -> impl Iterator<Item = Option<&str>> {
        let calls = self.calls.values();
        calls
            .filter(move |call| call.method == method)
            .map(|call| call.context.as_deref())
    }

    /// Whether there are pending calls of this method that are not remembered.
    pub(super) fn has_forgotten(&self, method: &str) -> bool {
        self.forgotten.contains_key(method)
    }

    fn count_forgotten(&mut self, method: String) {
        *self.forgotten.entry(method).or_default() += 1;
    }

    /// Counts a response to a call that is not remembered as one to a forgotten call of its method.
    fn uncount_forgotten(&mut self, method: &str) {
        if let Some(count) = self.forgotten.get_mut(method) {
            *count -= 1;
            if *count == 0 {
                self.forgotten.remove(method);
            }
        }
    }

    fn remove(&mut self, id: &Id) -> Option<PendingCall> {
        let call = self.calls.remove(id)?;
        self.order.remove(&call.number);
        Some(call)
    }

    fn drop_oldest(&mut self) {
        while self.order.len() > LIMIT
            && let Some((_, oldest)) = self.order.pop_first()
        {
            if let Some(call) = self.calls.remove(&oldest) {
                self.count_forgotten(call.method);
            }
        }
    }
}

impl<T> Default for RecentMap<T> {
    fn default() -> Self {
        RecentMap {
            values: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

const LIMIT: usize = 1024;
const MAX_ID: usize = 1024;
const MAX_CONTEXT: usize = 16 * 1024;
const MAX_TEXT: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_names_are_forgotten() {
        let mut recent = RecentMap::default();
        for number in 0..LIMIT + 2 {
            recent.set(&number.to_string(), number);
            recent.set("1", 1);
        }
        assert_eq!((recent.values.len(), recent.order.len()), (LIMIT, LIMIT));
        assert_eq!(recent.get("2"), None);
        assert_eq!(recent.get("1025"), Some(&1025));
    }

    #[test]
    fn an_answer_is_about_the_call_of_its_id() {
        let mut waiting = PendingSide::default();
        let [one, text] = [Id::from(1), Id::from("1")];
        waiting.call(Some(&one), "a", "of 1".to_owned());
        waiting.call(Some(&text), "a", "of text".to_owned());
        waiting.call(None, "a", "of nobody".to_owned());
        assert_eq!(waiting.contexts("a").count(), 2);
        assert_eq!(waiting.answer(&text, "a").as_deref(), Some("of text"));
        assert_eq!(waiting.answer(&text, "a"), None);
        assert_eq!(waiting.answer(&one, "b"), None);
        assert_eq!(waiting.answer(&one, "a"), None);
        assert!(!waiting.has_forgotten("a"));
    }

    #[test]
    fn an_id_that_is_used_again_means_the_later_call() {
        let mut waiting = PendingSide::default();
        for context in ["first", "second"] {
            waiting.call(Some(&Id::from(1)), "a", context.to_owned());
        }
        assert_eq!((waiting.calls.len(), waiting.order.len()), (1, 1));
        let context = waiting.answer(&Id::from(1), "a");
        assert_eq!(context.as_deref(), Some("second"));
    }

    #[test]
    fn the_oldest_calls_and_the_longest_facts_are_forgotten() {
        let mut waiting = PendingSide::default();
        let long = "x".repeat(MAX_CONTEXT + 1);
        waiting.call(Some(&Id::from(0)), "a", long);
        assert_eq!(waiting.contexts("a").collect::<Vec<_>>(), [None]);
        assert!(!waiting.has_forgotten("a"));
        for number in 1..=1025 {
            waiting.call(Some(&Id::from(number)), "a", number.to_string());
        }
        assert_eq!((waiting.calls.len(), waiting.order.len()), (LIMIT, LIMIT));
        assert!(waiting.has_forgotten("a"));
        assert!(!waiting.has_forgotten("b"));
        assert_eq!(waiting.answer(&Id::from(2), "a").as_deref(), Some("2"));
        assert!(waiting.has_forgotten("a"));
        for number in [0, 1] {
            assert_eq!(waiting.answer(&Id::from(number), "b"), None);
            assert!(waiting.has_forgotten("a"));
            assert_eq!(waiting.answer(&Id::from(number), "a"), None);
        }
        assert!(!waiting.has_forgotten("a"));
    }

    #[test]
    fn an_id_that_is_too_long_is_not_remembered() {
        let mut waiting = PendingSide::default();
        let id = Id::from(&*"x".repeat(MAX_ID));
        waiting.call(Some(&id), "a", String::new());
        assert_eq!(waiting.contexts("a").count(), 0);
        assert!(waiting.has_forgotten("a"));
    }
}
