//! One writer in the background: a bounded queue, and one thread at a time that takes things from it in their order.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

/// Writes items in the background, in the order in which they were handed over. Clones hand over to the same writer.
///
/// Who hands over decides what happens when too much waits: [`try_push`](Self::try_push) gives the item back,
/// [`push`](Self::push) takes it all the same, [`wait_for_room`](Self::wait_for_room) waits for room. When the last clone is dropped, what
/// waits is still written; [`close`](Self::close) waits for that.
pub struct BackgroundWriter<T>(Arc<Handle<T>>);

/// How much waits, and how it is pushed. Weights are what the caller says they are, usually bytes.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// The weight of all items that may wait or are being written.
    pub max_queued: usize,
    /// Items are written together up to this weight, but always one at least.
    pub max_batch: usize,
    /// How long items gather before they are written. To wake a thread costs more than to add an item.
    pub gather_for: Duration,
}

struct Handle<T>(Arc<Shared<T>>);

struct Shared<T> {
    limits: QueueLimits,
    worker: Worker,
    state: Mutex<State<T>>,
    /// There is something to write, or nothing will come any more.
    filled: Condvar,
    /// Something was written, or nothing will be any more.
    progress: Condvar,
}

/// Who writes.
enum Worker {
    /// A thread of its own.
    Thread,
    /// Whatever runs this, whenever there is something to write.
    Spawned(Spawn),
}

type Spawn = Box<dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync>;
type Write<T> = Box<dyn FnMut(Vec<T>) + Send>;

struct State<T> {
    items: VecDeque<(T, usize)>,
    /// Of what waits and of what is being written.
    weight: usize,
    /// Items that were handed over, and those that are done with.
    pushed: u64,
    done: u64,
    /// Somebody has waited in vain, and nothing was written since.
    is_stuck: bool,
    /// Nothing more will be handed over.
    is_closing: bool,
    /// Nothing more will be written, and the writer is gone.
    has_ended: bool,
    /// There while nobody is writing.
    write: Option<Write<T>>,
    wakers: Vec<Waker>,
}

impl<T: Send + 'static> BackgroundWriter<T> {
    /// Starts a writer with a thread of its own. Where the system refuses one, whoever hands something over writes it.
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

    /// A writer that is at work only while something waits: `spawn` is given the work, to run it on another thread.
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

    /// Hands an item over.
    ///
    /// # Errors
    ///
    /// The item, when too much waits or the writer is closed.
    pub fn try_push(&self, item: T, weight: usize) -> Result<(), T> {
        let state = self.shared().lock();
        if !self.shared().fits(&state, weight) {
            return Err(item);
        }
        self.put(state, item, weight);
        Ok(())
    }

    /// Hands an item over however much waits, for what is small or rare, or was waited for. A closed writer drops it.
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
                // Taken by the one who works, so there is only one.
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
    /// Whether an item of this weight would be pushed. Others may hand over something before it is.
    pub fn fits(&self, weight: usize) -> bool {
        self.shared().fits(&self.shared().lock(), weight)
    }

    /// Waits until less waits than may.
    pub async fn wait_for_room(&self) {
        self.wait_until(|shared, state| shared.fits(state, 1)).await;
    }

    /// Waits until everything is written that was handed over before.
    pub async fn wait_until_written(&self) {
        let last = self.shared().lock().pushed;
        self.wait_until(|_, state| state.done >= last).await;
    }

    /// Waits, but only so long, until everything is written that was handed over before. Tells whether it is.
    pub fn flush(&self, timeout: Duration) -> bool {
        let state = self.shared().lock();
        let last = state.pushed;
        let state = self.wait(state, timeout, |state| state.done < last);
        state.done >= last
    }

    /// As [`flush`](Self::flush), for those who must not wait for ever: a writer that hangs is waited for once, and then no
    /// longer until it has moved.
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

    /// Takes no more items, and waits, but only so long, until all are written and the writer itself is dropped. Tells
    /// whether that is so.
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
    /// Works until nothing more will be handed over.
    fn work(self: Arc<Self>) {
        let write = self.lock().write.take();
        if let Some(write) = write {
            ActiveWriter::new(self, write).work();
        }
    }

    /// What is to be written next. Nothing when no more will come; a writer that is not at work all the time is then given
    /// back, before anybody can hand over more.
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

    /// So many items are done with.
    fn note_done(&self, count: u64, weight: usize) {
        let mut state = self.lock();
        state.done += count;
        state.weight = state.weight.saturating_sub(weight);
        state.is_stuck = false;
        self.notify_waiters(state);
    }

    /// Nothing more will be handed over.
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
    /// Items up to a weight, but one at least.
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

/// The writer at work. It is given back or dropped when it is lost to a panic, too, or was never run.
struct ActiveWriter<T> {
    shared: Arc<Shared<T>>,
    write: Option<Write<T>>,
    /// How many items are being written, and their weight.
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
        // Before anybody learns that it has ended: what it has open is closed then.
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
