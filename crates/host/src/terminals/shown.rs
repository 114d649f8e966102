//! What is known of one command, for all who look at it: the agent, the person, and those who wait for its end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use attache_schema::v1;
use tokio::sync::watch;

use super::advice;
use super::changes::Changes;
use super::ring::Ring;
use crate::sandbox::Limits;

pub(super) struct Shown {
    pub(super) id: v1::TerminalId,
    pub(super) session: v1::SessionId,
    pub(super) command: Vec<String>,
    ring: Mutex<Ring>,
    state: watch::Sender<State>,
    changes: Arc<Changes>,
    is_noted: AtomicBool,
    /// What the command was kept from, and the directory it ran in.
    limits: OnceLock<(Limits, PathBuf)>,
    own: Weak<Shown>,
}

/// How far a command has come.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// How it ended, once all that it wrote is kept.
    pub(super) exit: Option<v1::TerminalExitStatus>,
    /// How many of its processes could not be ended, once that was tried.
    pub(super) survivors: Option<u32>,
}

impl Shown {
    pub(super) fn new(
        id: v1::TerminalId,
        session: v1::SessionId,
        command: Vec<String>,
        ring: Ring,
        changes: Arc<Changes>,
    ) -> Arc<Shown> {
        let (state, _) = watch::channel(State::default());
        Arc::new_cyclic(|own| Shown {
            id,
            session,
            command,
            ring: Mutex::new(ring),
            state,
            changes,
            is_noted: AtomicBool::new(false),
            limits: OnceLock::new(),
            own: own.clone(),
        })
    }

    /// What the command is kept from, so that a refusal can be explained.
    pub(super) fn limited(&self, limits: Limits, cwd: PathBuf) {
        // It is said once, before the command runs.
        self.limits.set((limits, cwd)).ok();
    }

    pub(super) fn wrote(&self, chunk: &[u8]) {
        self.ring().push(chunk);
        self.note();
    }

    /// All that the command itself wrote is here.
    pub(super) fn wrote_all(&self) {
        let is_news = self.ring().finish();
        if is_news {
            self.note();
        }
    }

    /// How it ended; what was said first stays.
    pub(super) fn exited(&self, exit: v1::TerminalExitStatus) {
        if exit.exit_code.is_some() && self.exit().is_none() {
            self.explain();
        }
        let is_new = self.state.send_if_modified(|state| {
            let is_new = state.exit.is_none();
            state.exit.get_or_insert(exit);
            is_new
        });
        if is_new {
            self.note();
        }
    }

    /// Adds a line to the output if the sandbox or the policy refused the command something.
    fn explain(&self) {
        let Some((limits, cwd)) = self.limits.get() else {
            return;
        };
        let (text, _) = self.text();
        if let Some(advice) = advice::advice(limits, cwd, &text) {
            let start = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            self.ring().push(format!("{start}{advice}").as_bytes());
            self.note();
        }
    }

    pub(super) fn swept(&self, survivors: u32) {
        self.state.send_modify(|state| {
            state.survivors.get_or_insert(survivors);
        });
    }

    pub(super) fn exit(&self) -> Option<v1::TerminalExitStatus> {
        self.state.borrow().exit.clone()
    }

    pub(super) fn text(&self) -> (String, bool) {
        let excerpt = self.ring().excerpt();
        excerpt.text()
    }

    pub(super) fn len(&self) -> usize {
        self.ring().len()
    }

    /// Waits until it has come that far.
    pub(super) async fn reaches(&self, far: impl FnMut(&State) -> bool) -> State {
        let mut state = self.state.subscribe();
        let reached = state.wait_for(far).await;
        reached.map(|state| state.clone()).unwrap_or_default()
    }

    /// Tells those who draw it, once until they have looked.
    pub(super) fn note(&self) {
        if !self.is_noted.swap(true, Ordering::AcqRel) {
            self.changes.push(self.own.clone());
        }
    }

    /// From here on the next change counts again.
    pub(super) fn seen(&self) {
        self.is_noted.store(false, Ordering::Release);
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
