//! The terminals there are, by their ids: those that are being started, those an agent has, and the last of those that
//! it has given up.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use attache_schema::v1;
use tokio::sync::watch;

use super::run::Order;
use super::shown::Shown;
use super::temporary::TemporaryFolder;
use super::{Error, TerminalLimits};

#[derive(Default)]
pub(super) struct Shelf {
    taken: HashMap<v1::TerminalId, Slot>,
    released: VecDeque<Arc<Shown>>,
    temporary: HashMap<v1::SessionId, TemporaryFolder>,
}

enum Slot {
    Starting(v1::SessionId),
    Taken(Terminal),
}

/// A terminal that an agent has. Without this, its command is killed.
pub(super) struct Terminal {
    pub(super) shown: Arc<Shown>,
    pub(super) orders: watch::Sender<Order>,
}

impl Terminal {
    pub(super) fn stop(&self) {
        self.orders.send_replace(Order::Stop);
    }
}

impl Shelf {
    /// Keeps a place for a terminal that is about to start.
    pub(super) fn reserve(
        &mut self,
        id: v1::TerminalId,
        session: &v1::SessionId,
        limits: &TerminalLimits,
    ) -> Result<(), Error> {
        let slots = self.taken.values();
        if slots.filter(|slot| slot.session() == session).count() >= limits.per_session {
            let limit = limits.per_session;
            return Err(Error::SessionFull { limit });
        }
        if self.taken.len() >= limits.in_all {
            let limit = limits.in_all;
            return Err(Error::Full { limit });
        }
        self.taken.insert(id, Slot::Starting(session.clone()));
        Ok(())
    }

    /// Gives the place up if nothing has started there.
    pub(super) fn give_up(&mut self, id: &v1::TerminalId) {
        if let Some(Slot::Starting(_)) = self.taken.get(id) {
            self.taken.remove(id);
        }
    }

    /// Puts a terminal in the place that was kept for it. There is none if the session has ended meanwhile.
    pub(super) fn put(&mut self, terminal: Terminal) -> Result<(), Error> {
        let slot = self.taken.get_mut(&terminal.shown.id);
        *slot.ok_or(Error::Ended)? = Slot::Taken(terminal);
        Ok(())
    }

    pub(super) fn get(
        &self,
        session: &v1::SessionId,
        id: &v1::TerminalId,
    ) -> Result<&Terminal, Error> {
        match self.taken.get(id) {
            Some(Slot::Taken(terminal)) if terminal.shown.session == *session => Ok(terminal),
            _ => Err(Error::Unknown),
        }
    }

    /// Takes it from the agent, and keeps it for people.
    pub(super) fn release(
        &mut self,
        session: &v1::SessionId,
        id: &v1::TerminalId,
        limits: &TerminalLimits,
    ) -> Result<Terminal, Error> {
        self.get(session, id)?;
        let Some(Slot::Taken(terminal)) = self.taken.remove(id) else {
            return Err(Error::Unknown);
        };
        self.released.push_back(Arc::clone(&terminal.shown));
        while self.released.len() > limits.released || self.bytes() > limits.released_output {
            self.released.pop_front();
        }
        Ok(terminal)
    }

    /// A terminal, and whether it was released.
    pub(super) fn find(&self, id: &v1::TerminalId) -> Option<(&Arc<Shown>, bool)> {
        if let Some(Slot::Taken(terminal)) = self.taken.get(id) {
            return Some((&terminal.shown, false));
        }
        let released = self.released.iter().find(|shown| shown.id == *id);
        released.map(|shown| (shown, true))
    }

    /// Forgets everything of a session; what it had is for the caller to end.
    pub(super) fn forget(
        &mut self,
        session: &v1::SessionId,
    ) -> (Vec<Terminal>, Option<TemporaryFolder>) {
        self.released.retain(|shown| shown.session != *session);
        let of_session = self.taken.extract_if(|_, slot| slot.session() == session);
        let terminals = of_session.filter_map(|(_, slot)| slot.terminal()).collect();
        (terminals, self.temporary.remove(session))
    }

    /// The directory for temporary files of a session's commands, made when it is first asked for.
    ///
    /// For a terminal that is being started, so that nothing is made for a session that has ended.
    pub(super) fn temporary(&mut self, id: &v1::TerminalId) -> Result<PathBuf, Error> {
        let session = self.taken.get(id).ok_or(Error::Ended)?.session();
        if let Some(folder) = self.temporary.get(session) {
            return Ok(folder.path().to_owned());
        }
        let made = TemporaryFolder::make().map_err(Error::Temporary)?;
        let path = made.path().to_owned();
        self.temporary.insert(session.clone(), made);
        Ok(path)
    }

    /// How many terminals there are, and how many were released.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.taken.len(), self.released.len())
    }

    fn bytes(&self) -> usize {
        self.released.iter().map(|shown| shown.len()).sum()
    }
}

impl Slot {
    fn session(&self) -> &v1::SessionId {
        match self {
            Slot::Starting(session) => session,
            Slot::Taken(terminal) => &terminal.shown.session,
        }
    }

    fn terminal(self) -> Option<Terminal> {
        match self {
            Slot::Starting(_) => None,
            Slot::Taken(terminal) => Some(terminal),
        }
    }
}
