//! Whoever opens, closes or deletes a session does so alone: a second one waits for the first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use attache::v1;
use tokio::sync::OwnedMutexGuard;

/// A door for each session that somebody opens, closes or deletes.
#[derive(Debug, Default)]
pub(super) struct SessionLocks(Mutex<HashMap<v1::SessionId, Weak<Door>>>);

type Door = tokio::sync::Mutex<()>;

/// The way through a door is ours until this is dropped.
pub(super) type SessionGuard = OwnedMutexGuard<()>;

impl SessionLocks {
    /// Waits for its turn at the door of a session.
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
