//! A background writer: a bounded queue, and one thread at a time that writes its items in order.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

/// Writes items in the background, in the order in which they were pushed. Clones push to the same writer.
///
/// The caller decides what happens when the queue is full: [`try_push`](Self::try_push) returns the item,
/// [`push`](Self::push) queues it nevertheless, and [`wait_for_room`](Self::wait_for_room) waits for room. When the last clone
/// is dropped, waiting items are still written; [`close`](Self::close) waits for that.
pub struct BackgroundWriter<T>(Arc<Handle<T>>);

/// The limits of a [`BackgroundWriter`]'s queue. The caller defines the unit of weights, usually bytes.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Maximum total weight of items that wait or are being written.
    pub max_queued: usize,
    /// Maximum total weight of items that are written together. At least one item is always written.
    pub max_batch: usize,
    /// How long items are collected before they are written, because waking a thread costs more than adding an item.
    pub gather_for: Duration,
}

struct Handle<T>(Arc<Shared<T>>);

struct Shared<T> {
    limits: QueueLimits,
    worker: Worker,
    state: Mutex<State<T>>,
    /// Notified when there are items to write, or the queue is closed.
    filled: Condvar,
    /// Notified when items have been written, or the writer has ended.
    progress: Condvar,
}

/// The thread that writes.
enum Worker {
    /// A dedicated thread.
    Thread,
    /// A function that runs the work on some thread whenever there are items to write.
    Spawned(Spawn),
}

type Spawn = Box<dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync>;
type Write<T> = Box<dyn FnMut(Vec<T>) + Send>;

struct State<T> {
    items: VecDeque<(T, usize)>,
    /// Total weight of the items that wait or are being written.
    weight: usize,
    /// The number of items that have been pushed, and of those that are finished.
    pushed: u64,
    done: u64,
    /// Whether a caller has waited in vain, and nothing has been written since.
    is_stuck: bool,
    /// Whether the queue is closed: no more items can be pushed.
    is_closing: bool,
    /// Whether the writer has ended: no more items will be written, and the write function has been dropped.
    has_ended: bool,
    /// The write function, while no thread is writing.
    write: Option<Write<T>>,
    wakers: Vec<Waker>,
}

impl<T: Send + 'static> BackgroundWriter<T> {
    /// Starts a writer with a thread of its own. If the system refuses the thread, callers write their items themselves.
    pub fn start(
        name: &str,
        limits: QueueLimits,
        write: impl FnMut(Vec<T>) + Send + 'static,
    ) -> BackgroundWriter<T> {
        let writer = BackgroundWriter::new(limits, Worker::Thread, Box::new(write));
        let shared = Arc::clone(&writer.0.0);
        let thread = thread::Builder::new().name(name.to_owned());
        match thread.spawn(move || shared.work()) {
            Ok(_) => writer,
            Err(_) => {
                let write = writer.0.0.lock().write.take();
                let here = Worker::Spawned(Box::new(|work| work()));
                match write {
                    Some(write) => BackgroundWriter::new(limits, here, write),
                    None => writer,
                }
            }
        }
    }

    /// Creates a writer that runs only while items wait. `spawn` must run the function it is given on another thread.
    pub fn with_spawner(
        spawn: impl Fn(Box<dyn FnOnce() + Send>) + Send + Sync + 'static,
        limits: QueueLimits,
        write: impl FnMut(Vec<T>) + Send + 'static,
    ) -> BackgroundWriter<T> {
        BackgroundWriter::new(limits, Worker::Spawned(Box::new(spawn)), Box::new(write))
    }

    fn new(limits: QueueLimits, worker: Worker, write: Write<T>) -> BackgroundWriter<T> {
        let state = State {
            items: VecDeque::new(),
            weight: 0,
            pushed: 0,
            done: 0,
            is_stuck: false,
            is_closing: false,
            has_ended: false,
            write: Some(write),
            wakers: Vec::new(),
        };
        BackgroundWriter(Arc::new(Handle(Arc::new(Shared {
            limits,
            worker,
            state: Mutex::new(state),
            filled: Condvar::new(),
            progress: Condvar::new(),
        }))))
    }

    /// Pushes an item if the queue has room.
    ///
    /// # Errors
    ///
    /// Returns the item if the queue is full or the writer is closed.
    pub fn try_push(&self, item: T, weight: usize) -> Result<(), T> {
        let state = self.shared().lock();
        if !self.shared().fits(&state, weight) {
            return Err(item);
        }
        self.put(state, item, weight);
        Ok(())
    }

    /// Pushes an item even if the queue is full, for items that are small or rare, or after waiting for room. A closed writer
    /// drops the item.
    pub fn push(&self, item: T, weight: usize) {
        let state = self.shared().lock();
        if !state.is_closing {
            self.put(state, item, weight);
        }
    }

    fn put(&self, mut state: MutexGuard<'_, State<T>>, item: T, weight: usize) {
        let was_empty = state.items.is_empty();
        state.weight = state.weight.saturating_add(weight);
        state.pushed += 1;
        state.items.push_back((item, weight));
        match &self.shared().worker {
            Worker::Thread => {
                drop(state);
                if was_empty {
                    self.shared().filled.notify_one();
                }
            }
            Worker::Spawned(spawn) => {
                // Only one thread can take the write function.
                let write = state.write.take();
                drop(state);
                if let Some(write) = write {
                    let mut writer = ActiveWriter::new(Arc::clone(self.shared()), write);
                    spawn(Box::new(move || writer.work()));
                }
            }
        }
    }
}

impl<T> BackgroundWriter<T> {
    /// Whether the queue has room for an item of this weight. Other threads may use the room first.
    pub fn fits(&self, weight: usize) -> bool {
        self.shared().fits(&self.shared().lock(), weight)
    }

    /// Waits until the queue has room.
    pub async fn wait_for_room(&self) {
        self.wait_until(|shared, state| shared.fits(state, 1)).await;
    }

    /// Waits until all items pushed before have been written.
    pub async fn wait_until_written(&self) {
        let last = self.shared().lock().pushed;
        self.wait_until(|_, state| state.done >= last).await;
    }

    /// Blocks until all items pushed before have been written, or the timeout expires. Returns whether they have been written.
    pub fn flush(&self, timeout: Duration) -> bool {
        let state = self.shared().lock();
        let last = state.pushed;
        let state = self.wait(state, timeout, |state| state.done < last);
        state.done >= last
    }

    /// Like [`flush`](Self::flush), for repeated calls: after one timeout, returns at once until the writer has made progress.
    pub fn settle(&self, timeout: Duration) -> bool {
        let state = self.shared().lock();
        let last = state.pushed;
        let is_behind = |state: &State<T>| !state.is_stuck && state.done < last;
        let mut state = self.wait(state, timeout, is_behind);
        state.is_stuck |= state.done < last;
        state.done >= last
    }

    /// Whether [`settle`](Self::settle) would return at once.
    pub fn is_settled(&self) -> bool {
        let state = self.shared().lock();
        state.is_stuck || state.done == state.pushed
    }

    /// Closes the queue, and blocks until all items have been written and the write function has been dropped, or the timeout
    /// expires. Returns whether that has happened.
    pub fn close(&self, timeout: Duration) -> bool {
        Shared::end(self.shared());
        let state = self.shared().lock();
        let state = self.wait(state, timeout, |_| true);
        state.has_ended
    }

    fn shared(&self) -> &Arc<Shared<T>> {
        &self.0.0
    }

    fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State<T>>,
        timeout: Duration,
        is_behind: impl Fn(&State<T>) -> bool,
    ) -> MutexGuard<'a, State<T>> {
        let waits = |state: &mut State<T>| is_behind(state) && !state.has_ended;
        let progress = &self.shared().progress;
        let waited = progress.wait_timeout_while(state, timeout, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    async fn wait_until(&self, holds: impl Fn(&Shared<T>, &State<T>) -> bool) {
        poll_fn(|context: &mut Context<'_>| {
            let mut state = self.shared().lock();
            if state.has_ended || holds(self.shared(), &state) {
                return Poll::Ready(());
            }
            if !state.wakers.iter().any(|it| it.will_wake(context.waker())) {
                state.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

impl<T> Shared<T> {
    /// Writes items until the queue is closed.
    fn work(self: Arc<Self>) {
        let write = self.lock().write.take();
        if let Some(write) = write {
            ActiveWriter::new(self, write).work();
        }
    }

    /// Waits for the next items to write. Returns `None` when no more will come. A writer without a thread of its own then
    /// returns its write function, before more items can be pushed.
    fn next(&self, write: &mut Option<Write<T>>) -> Option<Vec<(T, usize)>> {
        let mut state = self.lock();
        loop {
            let is_due = state.is_closing || state.weight >= self.limits.max_batch;
            if !state.items.is_empty() && !is_due && !self.limits.gather_for.is_zero() {
                drop(state);
                thread::sleep(self.limits.gather_for);
                state = self.lock();
            }
            if !state.items.is_empty() {
                return Some(state.batch(self.limits.max_batch));
            }
            if state.is_closing {
                return None;
            }
            if let Worker::Spawned(_) = self.worker {
                state.write = write.take();
                return None;
            }
            let woken = self.filled.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that items are finished.
    fn note_done(&self, count: u64, weight: usize) {
        let mut state = self.lock();
        state.done += count;
        state.weight = state.weight.saturating_sub(weight);
        state.is_stuck = false;
        self.notify_waiters(state);
    }

    /// Closes the queue.
    fn end(shared: &Arc<Self>) {
        let mut state = shared.lock();
        state.is_closing = true;
        let idle = match shared.worker {
            Worker::Thread => None,
            Worker::Spawned(_) => state.write.take(),
        };
        drop(state);
        shared.filled.notify_one();
        drop(idle.map(|write| ActiveWriter::new(Arc::clone(shared), write)));
    }

    fn notify_waiters(&self, mut state: MutexGuard<'_, State<T>>) {
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.progress.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }

    fn fits(&self, state: &State<T>, weight: usize) -> bool {
        !state.is_closing && state.weight.saturating_add(weight) <= self.limits.max_queued
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Takes items up to a total weight, but at least one.
    fn batch(&mut self, together: usize) -> Vec<(T, usize)> {
        let mut weight = 0_usize;
        let fits = |(_, of_item): &&(T, usize)| {
            weight = weight.saturating_add(*of_item);
            weight <= together
        };
        let count = self.items.iter().take_while(fits).count().max(1);
        self.items.drain(..count).collect()
    }
}

/// The write function while it is in use. It is returned or dropped even after a panic, or if it was never run.
struct ActiveWriter<T> {
    shared: Arc<Shared<T>>,
    write: Option<Write<T>>,
    /// The number of items that are being written, and their weight.
    count: u64,
    weight: usize,
}

impl<T> ActiveWriter<T> {
    fn new(shared: Arc<Shared<T>>, write: Write<T>) -> ActiveWriter<T> {
        ActiveWriter {
            shared,
            write: Some(write),
            count: 0,
            weight: 0,
        }
    }

    fn work(&mut self) {
        while let Some(batch) = self.shared.next(&mut self.write) {
            self.count = batch.len() as u64;
            self.weight = batch.iter().map(|(_, weight)| weight).sum();
            if let Some(write) = &mut self.write {
                write(batch.into_iter().map(|(item, _)| item).collect());
            }
            self.settle();
        }
    }

    fn settle(&mut self) {
        let count = std::mem::take(&mut self.count);
        self.shared
            .note_done(count, std::mem::take(&mut self.weight));
    }
}

impl<T> Drop for ActiveWriter<T> {
    fn drop(&mut self) {
        if self.count > 0 {
            self.settle();
        }
        let Some(write) = self.write.take() else {
            return;
        };
        let mut state = self.shared.lock();
        if let (Worker::Spawned(_), false) = (&self.shared.worker, state.is_closing) {
            state.write = Some(write);
            return;
        }
        state.is_closing = true;
        let lost = std::mem::take(&mut state.items);
        drop(state);
        // Dropped before waiters learn of the end, so that its files are closed by then.
        drop((write, lost));
        let mut state = self.shared.lock();
        state.has_ended = true;
        self.shared.notify_waiters(state);
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        Shared::end(&self.0);
    }
}

impl<T> Clone for BackgroundWriter<T> {
    fn clone(&self) -> Self {
        BackgroundWriter(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for BackgroundWriter<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BackgroundWriter").finish_non_exhaustive()
    }
}
