//! Opening, closing and deleting a session exclude each other: a second request waits for the first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use attache::v1;
use tokio::sync::OwnedMutexGuard;

/// A lock for each session that is being opened, closed or deleted.
#[derive(Debug, Default)]
pub(super) struct SessionLocks(Mutex<HashMap<v1::SessionId, Weak<Door>>>);

type Door = tokio::sync::Mutex<()>;

/// Exclusive access to one session's open, close and delete, until it is dropped.
pub(super) type SessionGuard = OwnedMutexGuard<()>;

impl SessionLocks {
    /// Waits for exclusive access to a session.
    pub(super) async fn lock(&self, id: &v1::SessionId) -> SessionGuard {
        self.door(id).lock_owned().await
    }

    fn door(&self, id: &v1::SessionId) -> Arc<Door> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, door| door.strong_count() > 0);
        let door = locks.get(id).and_then(Weak::upgrade).unwrap_or_default();
        locks.insert(id.clone(), Arc::downgrade(&door));
        door
    }
}
