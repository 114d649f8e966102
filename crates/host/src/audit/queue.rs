//! Events on their way to the log: nobody waits for the disk but a thread of its own, and what waits is bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::fields::Noted;
use super::writer::Writer;
use super::{Fault, Open, Way, lock};

/// Events that wait for the disk, in their order.
#[derive(Debug)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Noted>,
    bytes: usize,
    /// Events that were taken in and events that are done with, so far.
    taken: u64,
    done: u64,
    /// Somebody has waited in vain, and nothing was written since.
    is_stuck: bool,
    /// Events for which there was no room.
    missed: u64,
    fault: Fault,
    stage: Stage,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Idle,
    Writing,
    /// Nothing more will come.
    Closing,
    Ended,
}

impl Queue {
    /// Starts the thread; where the system refuses one, events are written at once.
    pub(super) fn start(writer: Writer) -> Way {
        let shared = Arc::new(Shared::default());
        // Handed over behind a lock, to be had back if there is no thread to take it.
        let writer = Arc::new(Mutex::new(Some(writer)));
        let (theirs, there) = (Arc::clone(&shared), Arc::clone(&writer));
        let thread = thread::Builder::new().name("audit log".to_owned());
        let started = thread.spawn(move || {
            if let Some(writer) = lock(&there).take() {
                theirs.run(writer);
            }
        });
        let left = match started {
            Ok(_) => None,
            Err(_) => lock(&writer).take(),
        };
        match left {
            Some(writer) => Way::AtOnce(Mutex::new(Open {
                writer,
                fault: Fault::None,
            })),
            None => Way::Queued(Queue(shared)),
        }
    }

    pub(super) fn push(&self, noted: Noted) {
        let mut state = lock(&self.0.state);
        let bytes = state.bytes.saturating_add(noted.weight());
        if bytes > MOST_BYTES {
            state.missed += 1;
            let full = "the disk is too slow for it; some events are missing".to_owned();
            if matches!(state.fault, Fault::None) {
                state.fault = Fault::New(full);
            }
            return;
        }
        state.bytes = bytes;
        state.taken += 1;
        state.waiting.push_back(noted);
        drop(state);
        self.0.changed.notify_all();
    }

    pub(super) fn flush(&self, patience: Duration) {
        let is_busy =
            |state: &mut State| !state.waiting.is_empty() || state.stage == Stage::Writing;
        let state = lock(&self.0.state);
        let waited = self.0.changed.wait_timeout_while(state, patience, is_busy);
        drop(waited);
    }

    pub(super) fn is_settled(&self) -> bool {
        let state = lock(&self.0.state);
        state.is_stuck || state.done == state.taken
    }

    /// Waits for what was pushed before. A disk that hangs is waited for once.
    pub(super) fn settle(&self) {
        let state = lock(&self.0.state);
        let last = state.taken;
        let is_behind = |state: &mut State| !state.is_stuck && state.done < last;
        let waited = self
            .0
            .changed
            .wait_timeout_while(state, PATIENCE, is_behind);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.done < last {
            state.is_stuck = true;
        }
    }

    pub(super) fn fault(&self) -> Option<String> {
        lock(&self.0.state).fault.tell()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        self.flush(PATIENCE);
        let mut state = lock(&self.0.state);
        state.stage = Stage::Closing;
        self.0.changed.notify_all();
        let left = deadline.saturating_duration_since(Instant::now());
        let is_open = |state: &mut State| state.stage != Stage::Ended;
        drop(self.0.changed.wait_timeout_while(state, left, is_open));
    }
}

impl Shared {
    fn run(&self, mut writer: Writer) {
        while let Some((noted, missed)) = self.next() {
            writer.miss(missed);
            let appended = writer.append(&noted);
            let mut state = lock(&self.state);
            state.fault.take(appended);
            state.done += 1;
            state.is_stuck = false;
            if state.stage == Stage::Writing {
                state.stage = Stage::Idle;
            }
            drop(state);
            self.changed.notify_all();
        }
        lock(&self.state).stage = Stage::Ended;
        self.changed.notify_all();
    }

    /// The next event, and how many before it are missing; nothing when no more will come.
    fn next(&self) -> Option<(Noted, u64)> {
        let mut state = lock(&self.state);
        loop {
            if let Some(noted) = state.waiting.pop_front() {
                state.bytes = state.bytes.saturating_sub(noted.weight());
                if state.stage == Stage::Idle {
                    state.stage = Stage::Writing;
                }
                return Some((noted, std::mem::take(&mut state.missed)));
            }
            if state.stage == Stage::Closing {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Noted {
    /// About how many bytes it takes while it waits.
    fn weight(&self) -> usize {
        let fields = self.fields.iter();
        let values: usize = fields.map(|(name, value)| name.len() + weight(value)).sum();
        values + size_of::<Noted>() + self.time.len()
    }
}

fn weight(value: &serde_json::Value) -> usize {
    let inner = match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(items) => items.iter().map(weight).sum(),
        _ => 0,
    };
    inner + size_of::<serde_json::Value>()
}

const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Longer than a lock is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
