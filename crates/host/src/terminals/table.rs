//! All terminals by id: those that are starting, those that an agent has, and the last ones that were released.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use attache_schema::v1;
use tokio::sync::watch;

use super::record::TerminalRecord;
use super::runner::DesiredState;
use super::temporary_directory::TemporaryDirectory;
use super::{TerminalError, TerminalLimits};

#[derive(Default)]
pub(super) struct TerminalTable {
    terminals: HashMap<v1::TerminalId, Slot>,
    released: VecDeque<Arc<TerminalRecord>>,
    temporary: HashMap<v1::SessionId, TemporaryDirectory>,
}

enum Slot {
    Starting(v1::SessionId),
    Active(Terminal),
}

/// A terminal that an agent has. Dropping it kills the command.
pub(super) struct Terminal {
    pub(super) record: Arc<TerminalRecord>,
    pub(super) desired: watch::Sender<DesiredState>,
}

impl Terminal {
    pub(super) fn stop(&self) {
        self.desired.send_replace(DesiredState::Stopped);
    }
}

impl TerminalTable {
    /// Reserves an id for a terminal that is about to start.
    pub(super) fn reserve(
        &mut self,
        id: v1::TerminalId,
        session: &v1::SessionId,
        limits: &TerminalLimits,
    ) -> Result<(), TerminalError> {
        let slots = self.terminals.values();
        if slots.filter(|slot| slot.session() == session).count() >= limits.per_session {
            let limit = limits.per_session;
            return Err(TerminalError::SessionFull { limit });
        }
        if self.terminals.len() >= limits.all_sessions {
            let limit = limits.all_sessions;
            return Err(TerminalError::Full { limit });
        }
        self.terminals.insert(id, Slot::Starting(session.clone()));
        Ok(())
    }

    /// Cancels the reservation if no command has started.
    pub(super) fn cancel_reservation(&mut self, id: &v1::TerminalId) {
        if let Some(Slot::Starting(_)) = self.terminals.get(id) {
            self.terminals.remove(id);
        }
    }

    /// Stores a terminal under its reserved id. Fails if the session has ended meanwhile.
    pub(super) fn insert(&mut self, terminal: Terminal) -> Result<(), TerminalError> {
        let slot = self.terminals.get_mut(&terminal.record.id);
        *slot.ok_or(TerminalError::Ended)? = Slot::Active(terminal);
        Ok(())
    }

    pub(super) fn get(
        &self,
        session: &v1::SessionId,
        id: &v1::TerminalId,
    ) -> Result<&Terminal, TerminalError> {
        match self.terminals.get(id) {
            Some(Slot::Active(terminal)) if terminal.record.session == *session => Ok(terminal),
            _ => Err(TerminalError::Unknown),
        }
    }

    /// Takes the terminal from the agent, and keeps it for users to view.
    pub(super) fn release(
        &mut self,
        session: &v1::SessionId,
        id: &v1::TerminalId,
        limits: &TerminalLimits,
    ) -> Result<Terminal, TerminalError> {
        self.get(session, id)?;
        let Some(Slot::Active(terminal)) = self.terminals.remove(id) else {
            return Err(TerminalError::Unknown);
        };
        self.released.push_back(Arc::clone(&terminal.record));
        while self.released.len() > limits.released || self.bytes() > limits.released_output {
            self.released.pop_front();
        }
        Ok(terminal)
    }

    /// A terminal, and whether it was released.
    pub(super) fn find(&self, id: &v1::TerminalId) -> Option<(&Arc<TerminalRecord>, bool)> {
        if let Some(Slot::Active(terminal)) = self.terminals.get(id) {
            return Some((&terminal.record, false));
        }
        let released = self.released.iter().find(|record| record.id == *id);
        released.map(|record| (record, true))
    }

    /// Removes all terminals of a session; the caller ends them.
    pub(super) fn remove_session(
        &mut self,
        session: &v1::SessionId,
    ) -> (Vec<Terminal>, Option<TemporaryDirectory>) {
        self.released.retain(|record| record.session != *session);
        let of_session = self
            .terminals
            .extract_if(|_, slot| slot.session() == session);
        let terminals = of_session.filter_map(|(_, slot)| slot.terminal()).collect();
        (terminals, self.temporary.remove(session))
    }

    /// The temporary directory of a session, created on first use.
    ///
    /// `id` is a terminal that is starting, so that no directory is created for a session that has ended.
    pub(super) fn temporary(&mut self, id: &v1::TerminalId) -> Result<PathBuf, TerminalError> {
        let session = self
            .terminals
            .get(id)
            .ok_or(TerminalError::Ended)?
            .session();
        if let Some(folder) = self.temporary.get(session) {
            return Ok(folder.path().to_owned());
        }
        let made = TemporaryDirectory::create().map_err(TerminalError::Temporary)?;
        let path = made.path().to_owned();
        self.temporary.insert(session.clone(), made);
        Ok(path)
    }

    /// The number of terminals, and of released ones.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.terminals.len(), self.released.len())
    }

    fn bytes(&self) -> usize {
        self.released.iter().map(|record| record.len()).sum()
    }
}

impl Slot {
    fn session(&self) -> &v1::SessionId {
        match self {
            Slot::Starting(session) => session,
            Slot::Active(terminal) => &terminal.record.session,
        }
    }

    fn terminal(self) -> Option<Terminal> {
        match self {
            Slot::Starting(_) => None,
            Slot::Active(terminal) => Some(terminal),
        }
    }
}
