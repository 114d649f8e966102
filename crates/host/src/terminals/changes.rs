//! The terminals that have changed since somebody looked, each once, the one that waits longest first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

use super::shown::Shown;

#[derive(Default)]
pub(super) struct Changes {
    queue: Mutex<VecDeque<Weak<Shown>>>,
    more: Notify,
}

impl Changes {
    /// For [`Shown::note`], which sees to it that none stands here twice.
    pub(super) fn push(&self, shown: Weak<Shown>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Where nobody draws, those who are gone would pile up.
        if queue.len() >= MANY {
            queue.retain(|shown| shown.strong_count() > 0);
        }
        queue.push_back(shown);
        drop(queue);
        self.more.notify_one();
    }

    /// Waits for one. Whoever gives up waiting takes nothing with him.
    pub(super) async fn next(&self) -> Arc<Shown> {
        loop {
            if let Some(shown) = self.pop() {
                shown.seen();
                return shown;
            }
            self.more.notified().await;
        }
    }

    fn pop(&self) -> Option<Arc<Shown>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| queue.pop_front()).find_map(|shown| shown.upgrade())
    }
}

const MANY: usize = 1024;
