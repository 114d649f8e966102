//! A channel that keeps only the latest value: a slow reader misses those before it.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// A channel that keeps only the latest value.
#[derive(Debug)]
pub(crate) struct LatestValue<T> {
    newest: Mutex<Option<T>>,
    put: Notify,
}

impl<T> LatestValue<T> {
    pub(crate) fn new() -> LatestValue<T> {
        LatestValue {
            newest: Mutex::new(None),
            put: Notify::new(),
        }
    }

    /// Replaces the value that has not been taken yet.
    pub(crate) fn put(&self, thing: T) {
        let older = self.lock().replace(thing);
        self.put.notify_one();
        drop(older);
    }

    /// Waits for a value and takes it.
    pub(crate) async fn take(&self) -> T {
        loop {
            let newest = self.lock().take();
            if let Some(thing) = newest {
                return thing;
            }
            self.put.notified().await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<T>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
