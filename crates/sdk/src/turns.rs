//! The running turns of a client, and which of them are cancelled.

use std::sync::{Mutex, MutexGuard, PoisonError};

use attache_rpc::SessionKey;

/// The turns that have not ended.
#[derive(Debug, Default)]
pub(crate) struct RunningTurns(Mutex<TurnList>);

#[derive(Debug, Default)]
struct TurnList {
    begun: u64,
    turns: Vec<RunningTurn>,
}

#[derive(Debug)]
struct RunningTurn {
    number: u64,
    session: SessionKey,
    is_cancelled: bool,
}

/// A running turn. Dropping the guard, usually with the future of the prompt, ends it.
pub(crate) struct TurnGuard<'a> {
    turns: &'a RunningTurns,
    number: u64,
}

impl RunningTurns {
    /// Registers a turn. Call it before the prompt is sent.
    pub(crate) fn begin(&self, session: SessionKey) -> TurnGuard<'_> {
        let mut running = self.lock();
        running.begun += 1;
        let number = running.begun;
        running.turns.push(RunningTurn {
            number,
            session,
            is_cancelled: false,
        });
        TurnGuard {
            turns: self,
            number,
        }
    }

    /// Marks the turns of a session as cancelled, so that the client responds to their later permission requests with
    /// `cancelled`.
    pub(crate) fn cancel(&self, session: SessionKey) {
        for turn in &mut self.lock().turns {
            turn.is_cancelled |= turn.session == session;
        }
    }

    /// Whether the session has running turns and all of them are cancelled.
    pub(crate) fn are_cancelled(&self, session: SessionKey) -> bool {
        let running = self.lock();
        let of_session = |turn: &&RunningTurn| turn.session == session;
        let mut turns = running.turns.iter().filter(of_session).peekable();
        turns.peek().is_some() && turns.all(|turn| turn.is_cancelled)
    }

    fn lock(&self) -> MutexGuard<'_, TurnList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        let mut running = self.turns.lock();
        running.turns.retain(|turn| turn.number != self.number);
    }
}
