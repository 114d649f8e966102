//! The open sessions, with their roots and terminals.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache_schema::v1;

use crate::Roots;

/// The open sessions. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<v1::SessionId, Session>>>);

#[derive(Debug)]
struct Session {
    roots: Roots,
    terminals: HashMap<v1::TerminalId, TerminalStatus>,
}

/// Whether a terminal's command runs. Its exit is logged once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalStatus {
    Running,
    Ended,
}

impl Sessions {
    /// Opens a session. A session that is open already keeps its terminals.
    pub(super) fn open(&self, session: &v1::SessionId, roots: Roots) {
        let mut sessions = self.lock();
        let terminals = match sessions.remove(session) {
            Some(session) => session.terminals,
            None => HashMap::new(),
        };
        sessions.insert(session.clone(), Session { roots, terminals });
    }

    pub(super) fn roots(&self, session: &v1::SessionId) -> Option<Roots> {
        self.lock()
            .get(session)
            .map(|session| session.roots.clone())
    }

    /// Closes a session and returns its terminals.
    pub(super) fn close(&self, session: &v1::SessionId) -> Vec<(v1::TerminalId, TerminalStatus)> {
        let session = self.lock().remove(session);
        session.map_or_else(Vec::new, |session| session.terminals.into_iter().collect())
    }

    /// Adds a terminal. Returns false if the session was closed meanwhile.
    pub(super) fn add_terminal(&self, session: &v1::SessionId, terminal: &v1::TerminalId) -> bool {
        match self.lock().get_mut(session) {
            Some(session) => {
                session
                    .terminals
                    .insert(terminal.clone(), TerminalStatus::Running);
                true
            }
            None => false,
        }
    }

    /// Marks a command as ended. Returns whether it was running before.
    pub(super) fn mark_ended(&self, session: &v1::SessionId, terminal: &v1::TerminalId) -> bool {
        let mut sessions = self.lock();
        let session = sessions.get_mut(session);
        let status = session.and_then(|session| session.terminals.get_mut(terminal));
        status.is_some_and(|status| {
            std::mem::replace(status, TerminalStatus::Ended) == TerminalStatus::Running
        })
    }

    pub(super) fn remove_terminal(&self, session: &v1::SessionId, terminal: &v1::TerminalId) {
        if let Some(session) = self.lock().get_mut(session) {
            session.terminals.remove(terminal);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<v1::SessionId, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
