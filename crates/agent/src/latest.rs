//! A place for the newest of something: whoever is slow sees only the last one.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// A place for the newest of something.
#[derive(Debug)]
pub(crate) struct Latest<T> {
    newest: Mutex<Option<T>>,
    put: Notify,
}

impl<T> Latest<T> {
    pub(crate) fn new() -> Latest<T> {
        Latest {
            newest: Mutex::new(None),
            put: Notify::new(),
        }
    }

    /// Puts the newest there, in place of one that nobody has taken.
    pub(crate) fn put(&self, thing: T) {
        let older = self.lock().replace(thing);
        self.put.notify_one();
        drop(older);
    }

    /// Waits for the newest and takes it.
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
