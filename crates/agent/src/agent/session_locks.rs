//! Opening, closing and deleting a session exclude each other: a second request waits for the first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use attache::v1;
use tokio::sync::OwnedMutexGuard;

/// A lock for each session that is being opened, closed or deleted.
#[derive(Debug, Default)]
pub(super) struct SessionLocks(Mutex<HashMap<v1::SessionId, Weak<tokio::sync::Mutex<()>>>>);

/// Exclusive access to one session's open, close and delete, until it is dropped.
pub(super) type SessionGuard = OwnedMutexGuard<()>;

impl SessionLocks {
    /// Waits for exclusive access to a session.
    pub(super) async fn lock(&self, id: &v1::SessionId) -> SessionGuard {
        self.session_lock(id).lock_owned().await
    }

    fn session_lock(&self, id: &v1::SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, session_lock| session_lock.strong_count() > 0);
        let session_lock = locks.get(id).and_then(Weak::upgrade).unwrap_or_default();
        locks.insert(id.clone(), Arc::downgrade(&session_lock));
        session_lock
    }
}
