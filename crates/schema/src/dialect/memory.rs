//! What a border remembers of a connection, within bounds: facts by name, and calls that wait for their answer.

use std::collections::{HashMap, VecDeque};

/// Values by name. Of more than [`LIMIT`] names the oldest are forgotten.
#[derive(Debug)]
pub(super) struct Recent<T> {
    values: HashMap<String, T>,
    order: VecDeque<String>,
}

/// The calls of one method that have no answer yet. Answers come without the id of their call and in any order, so
/// what a call was about is known only while all that wait are about the same.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    count: usize,
    about: Option<T>,
}

impl<T> Recent<T> {
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.values.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: T) {
        if self.values.insert(name.to_owned(), value).is_none() {
            self.order.push_back(name.to_owned());
            self.forget();
        }
    }

    fn forget(&mut self) {
        while self.order.len() > LIMIT {
            if let Some(oldest) = self.order.pop_front() {
                self.values.remove(&oldest);
            }
        }
    }
}

impl<T: Default> Recent<T> {
    /// The value of that name, made if there is none.
    pub(super) fn entry(&mut self, name: &str) -> &mut T {
        if !self.values.contains_key(name) {
            self.set(name, T::default());
        }
        self.values.entry(name.to_owned()).or_default()
    }
}

impl<T: Clone + PartialEq> Waiting<T> {
    /// A call goes out.
    pub(super) fn call(&mut self, about: T) {
        if self.count == 0 {
            self.about = Some(about);
        } else if self.about.as_ref() != Some(&about) {
            self.about = None;
        }
        self.count += 1;
    }

    /// An answer has come; what it is about, if that is certain.
    pub(super) fn answer(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        self.about.clone()
    }

    /// What the next answer will be about, if that is certain.
    pub(super) fn about(&self) -> Option<&T> {
        self.about.as_ref().filter(|_| self.count > 0)
    }
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent {
            values: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Waiting {
            count: 0,
            about: None,
        }
    }
}

const LIMIT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_names_are_forgotten() {
        let mut recent = Recent::default();
        for number in 0..LIMIT + 2 {
            recent.set(&number.to_string(), number);
            recent.set("1", 1);
        }
        assert_eq!((recent.values.len(), recent.order.len()), (LIMIT, LIMIT));
        assert_eq!(recent.get("2"), None);
        assert_eq!(recent.get("1025"), Some(&1025));
    }

    #[test]
    fn an_answer_is_about_what_all_that_wait_are_about() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.answer(), None::<u8>);
        waiting.call(1);
        waiting.call(1);
        assert_eq!(waiting.answer(), Some(1));
        waiting.call(2);
        assert_eq!((waiting.answer(), waiting.answer()), (None, None));
        waiting.call(3);
        assert_eq!(waiting.answer(), Some(3));
    }
}
