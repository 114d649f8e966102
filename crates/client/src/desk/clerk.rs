//! What may wait for a disk, done in its order on a thread beside the task that draws: judging and remembering.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Does one thing after the other. Clones are the same clerk. What was handed to it is done, also when nobody waits for
/// what comes of it.
#[derive(Clone, Default)]
pub(super) struct Clerk(Arc<Mutex<Tray>>);

#[derive(Default)]
struct Tray {
    waiting: VecDeque<Job>,
    is_working: bool,
}

type Job = Box<dyn FnOnce() + Send>;

impl Clerk {
    /// Hands something to be done. What comes of it is `None` when too much waits already. Must be called within a tokio
    /// runtime.
    pub(super) fn hand<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send + 'static {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move || {
            // Nobody may be waiting for it any more.
            done.send(work()).ok();
        });
        let mut tray = self.tray();
        if tray.waiting.len() < MOST_WAITING {
            tray.waiting.push_back(job);
            if !std::mem::replace(&mut tray.is_working, true) {
                let clerk = self.clone();
                tokio::task::spawn_blocking(move || clerk.work());
            }
        }
        drop(tray);
        async move { outcome.await.ok() }
    }

    /// Waits until everything is done that was handed before.
    pub(super) fn done(&self) -> impl Future<Output = Option<()>> + Send + 'static {
        self.hand(|| ())
    }

    fn work(&self) {
        let at_work = AtWork(self);
        while let Some(job) = at_work.next() {
            job();
        }
    }

    fn tray(&self) -> MutexGuard<'_, Tray> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that does what waits. The next thing that is handed finds another if this one was lost.
struct AtWork<'a>(&'a Clerk);

impl AtWork<'_> {
    fn next(&self) -> Option<Job> {
        let mut tray = self.0.tray();
        let job = tray.waiting.pop_front();
        tray.is_working = job.is_some();
        job
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.tray().is_working = false;
        }
    }
}

impl fmt::Debug for Clerk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Clerk").finish_non_exhaustive()
    }
}

/// Questions and answers have limits of their own that are far below.
const MOST_WAITING: usize = 4096;
