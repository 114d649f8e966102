//! Runs work that may wait for a disk, such as judging and remembering, in order on a blocking thread, so that the screen
//! keeps drawing.

use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use tokio::sync::oneshot;

/// Runs tasks one after the other. Clones share the same queue. A task runs even if nobody waits for its result.
#[derive(Debug, Clone)]
pub(super) struct DiskWorker(BackgroundWriter<DiskTask>);

type DiskTask = Box<dyn FnOnce() + Send>;

impl Default for DiskWorker {
    fn default() -> Self {
        let limits = QueueLimits {
            max_queued: MOST_WAITING,
            // One task per batch: a task that panics takes no other with it.
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
    /// Queues a task and returns its result; `None` when the queue is full. Call this within a tokio runtime.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send + 'static {
        let (done, outcome) = oneshot::channel();
        let task: DiskTask = Box::new(move || {
            // Nobody may be waiting for the result.
            done.send(work()).ok();
        });
        // A rejected task is dropped, which closes the channel.
        self.0.try_push(task, 1).ok();
        async move { outcome.await.ok() }
    }

    /// Waits until all tasks that were queued before are done.
    pub(super) fn finish(&self) -> impl Future<Output = Option<()>> + Send + 'static {
        self.run(|| ())
    }
}

/// Maximum queued tasks. The limits on permission requests are far lower.
const MOST_WAITING: usize = 4096;
