//! The state of one command, shared by all who observe it: the agent, the user, and callers that wait for its exit.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use attache_schema::v1;
use tokio::sync::{Notify, watch};

use super::advice;
use super::output_buffer::OutputBuffer;
use crate::sandbox::SandboxLimits;

pub(super) struct TerminalRecord {
    pub(super) id: v1::TerminalId,
    pub(super) session: v1::SessionId,
    pub(super) command: Vec<String>,
    buffer: Mutex<OutputBuffer>,
    state: watch::Sender<CommandState>,
    changes: Arc<ChangeQueue>,
    is_queued: AtomicBool,
    /// The limits of the command, and its working directory.
    limits: OnceLock<(SandboxLimits, PathBuf)>,
    own: Weak<TerminalRecord>,
}

/// The progress of a command.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandState {
    /// How the command ended, once all its output is recorded.
    pub(super) exit: Option<v1::TerminalExitStatus>,
    /// The number of processes that could not be ended, once that was tried.
    pub(super) survivors: Option<u32>,
}

impl TerminalRecord {
    pub(super) fn new(
        id: v1::TerminalId,
        session: v1::SessionId,
        command: Vec<String>,
        buffer: OutputBuffer,
        changes: Arc<ChangeQueue>,
    ) -> Arc<TerminalRecord> {
        let (state, _) = watch::channel(CommandState::default());
        Arc::new_cyclic(|own| TerminalRecord {
            id,
            session,
            command,
            buffer: Mutex::new(buffer),
            state,
            changes,
            is_queued: AtomicBool::new(false),
            limits: OnceLock::new(),
            own: own.clone(),
        })
    }

    /// Sets the limits of the command, so that a refusal can be explained.
    pub(super) fn set_limits(&self, limits: SandboxLimits, cwd: PathBuf) {
        // Called once, before the command runs.
        self.limits.set((limits, cwd)).ok();
    }

    pub(super) fn append_output(&self, chunk: &[u8]) {
        self.buffer().push(chunk);
        self.mark_changed();
    }

    /// Marks the command's own output as complete.
    pub(super) fn finish_output(&self) {
        let is_news = self.buffer().finish();
        if is_news {
            self.mark_changed();
        }
    }

    /// Records how the command ended. The first exit counts.
    pub(super) fn record_exit(&self, exit: v1::TerminalExitStatus) {
        if exit.exit_code.is_some() && self.exit().is_none() {
            self.append_advice();
        }
        let is_new = self.state.send_if_modified(|state| {
            let is_new = state.exit.is_none();
            state.exit.get_or_insert(exit);
            is_new
        });
        if is_new {
            self.mark_changed();
        }
    }

    /// Adds a line to the output if the sandbox or the policy refused something.
    fn append_advice(&self) {
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
            self.buffer().push(format!("{start}{advice}").as_bytes());
            self.mark_changed();
        }
    }

    pub(super) fn record_survivors(&self, survivors: u32) {
        self.state.send_modify(|state| {
            state.survivors.get_or_insert(survivors);
        });
    }

    pub(super) fn exit(&self) -> Option<v1::TerminalExitStatus> {
        self.state.borrow().exit.clone()
    }

    pub(super) fn text(&self) -> (String, bool) {
        let snapshot = self.buffer().snapshot();
        snapshot.text()
    }

    pub(super) fn len(&self) -> usize {
        self.buffer().len()
    }

    /// Waits until the state satisfies the condition.
    pub(super) async fn wait_until(&self, far: impl FnMut(&CommandState) -> bool) -> CommandState {
        let mut state = self.state.subscribe();
        let reached = state.wait_for(far).await;
        reached.map(|state| state.clone()).unwrap_or_default()
    }

    /// Queues a change for observers, once until they have looked.
    pub(super) fn mark_changed(&self) {
        if !self.is_queued.swap(true, Ordering::AcqRel) {
            self.changes.push(self.own.clone());
        }
    }

    /// Allows the next change to be queued.
    pub(super) fn clear_changed(&self) {
        self.is_queued.store(false, Ordering::Release);
    }

    fn buffer(&self) -> MutexGuard<'_, OutputBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The terminals that changed since the last look, each once, in the order in which they first changed.
#[derive(Default)]
pub(super) struct ChangeQueue {
    queue: Mutex<VecDeque<Weak<TerminalRecord>>>,
    more: Notify,
}

impl ChangeQueue {
    /// Called by [`TerminalRecord::mark_changed`], which ensures that a terminal is queued only once.
    pub(super) fn push(&self, record: Weak<TerminalRecord>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Without observers, dropped terminals would accumulate.
        if queue.len() >= MANY {
            queue.retain(|record| record.strong_count() > 0);
        }
        queue.push_back(record);
        drop(queue);
        self.more.notify_one();
    }

    /// Waits for the next changed terminal. Cancel safe.
    pub(super) async fn next(&self) -> Arc<TerminalRecord> {
        loop {
            if let Some(record) = self.pop() {
                record.clear_changed();
                return record;
            }
            self.more.notified().await;
        }
    }

    fn pop(&self) -> Option<Arc<TerminalRecord>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| queue.pop_front()).find_map(|record| record.upgrade())
    }
}

const MANY: usize = 1024;
