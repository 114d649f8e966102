//! What may wait for a disk, done in its order on a thread beside the task that draws: judging and remembering.

use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use tokio::sync::oneshot;

/// Does one thing after the other. Clones are the same disk_worker. What was handed to it is done, also when nobody waits for
/// what comes of it.
#[derive(Debug, Clone)]
pub(super) struct DiskWorker(BackgroundWriter<DiskTask>);

type DiskTask = Box<dyn FnOnce() + Send>;

impl Default for DiskWorker {
    fn default() -> Self {
        let limits = QueueLimits {
            max_queued: MOST_WAITING,
            // One that is lost takes no other with it.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let spawn = |work| {
            tokio::task::spawn_blocking(work);
        };
        let work = |tasks: Vec<DiskTask>| tasks.into_iter().for_each(|task| task());
        DiskWorker(BackgroundWriter::with_spawner(spawn, limits, work))
    }
}

impl DiskWorker {
    /// Hands something to be done. What comes of it is `None` when too much waits already. Must be called within a tokio
    /// runtime.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send + 'static {
        let (done, outcome) = oneshot::channel();
        let task: DiskTask = Box::new(move || {
            // Nobody may be waiting for it any more.
            done.send(work()).ok();
        });
        // One that is given back is dropped, which tells whoever waits.
        self.0.try_push(task, 1).ok();
        async move { outcome.await.ok() }
    }

    /// Waits until everything is done that was handed before.
    pub(super) fn finish(&self) -> impl Future<Output = Option<()>> + Send + 'static {
        self.run(|| ())
    }
}

/// Questions and answers have limits of their own that are far below.
const MOST_WAITING: usize = 4096;
