//! Writing to standard output and standard error from a thread of its own: whoever reads them may be slow, or stop.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::Notify;

use crate::print;

/// What is to be written, in order. Clones write to the same place.
#[derive(Clone)]
pub(super) struct Pen(Arc<Desktop>);

struct Desktop {
    state: Mutex<State>,
    /// There is something to write.
    more: Condvar,
    /// Something has been written, or nothing can be.
    written: Notify,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Sheet>,
    bytes: usize,
    is_writing: bool,
    lost: Option<io::Error>,
}

enum Sheet {
    Answer(String),
    Note(String),
}

impl Pen {
    /// Starts the thread.
    pub(super) fn new() -> Pen {
        let pen = Pen(Arc::new(Desktop {
            state: Mutex::default(),
            more: Condvar::new(),
            written: Notify::new(),
        }));
        let writer = pen.clone();
        thread::spawn(move || writer.write());
        pen
    }

    /// A part of the answer.
    pub(super) fn answer(&self, text: String) {
        self.push(Sheet::Answer(text));
    }

    /// A line on what is going on.
    pub(super) fn note(&self, text: String) {
        self.push(Sheet::Note(text));
    }

    /// Waits until not too much waits to be written.
    pub(super) async fn room(&self) {
        self.until(|state| state.bytes < ENOUGH).await;
    }

    pub(super) fn has_room(&self) -> bool {
        self.lock().bytes < ENOUGH
    }

    /// Waits until standard output takes nothing any more, and tells why.
    pub(super) async fn lost(&self) -> io::ErrorKind {
        self.until(|state| state.lost.is_some()).await;
        let state = self.lock();
        state
            .lost
            .as_ref()
            .map_or(io::ErrorKind::Other, io::Error::kind)
    }

    /// Waits until everything is written.
    pub(super) async fn finish(&self) {
        self.until(|state| state.queue.is_empty() && !state.is_writing)
            .await;
    }

    async fn until(&self, holds: impl Fn(&State) -> bool) {
        loop {
            let written = self.0.written.notified();
            tokio::pin!(written);
            written.as_mut().enable();
            if holds(&self.lock()) {
                return;
            }
            written.await;
        }
    }

    fn push(&self, sheet: Sheet) {
        let mut state = self.lock();
        if state.lost.is_none() {
            state.bytes += sheet.len();
            state.queue.push_back(sheet);
            self.0.more.notify_one();
        }
    }

    fn write(&self) {
        let mut state = self.lock();
        loop {
            let Some(sheet) = state.queue.pop_front() else {
                let more = self.0.more.wait(state);
                state = more.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.is_writing = true;
            drop(state);
            let written = sheet.write();
            state = self.lock();
            state.is_writing = false;
            state.bytes -= sheet.len();
            if let (Err(error), Sheet::Answer(_)) = (written, &sheet) {
                state.lost = Some(error);
                state.queue.clear();
                state.bytes = 0;
            }
            self.0.written.notify_waiters();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sheet {
    fn len(&self) -> usize {
        match self {
            Sheet::Answer(text) | Sheet::Note(text) => text.len(),
        }
    }

    fn write(&self) -> io::Result<()> {
        match self {
            Sheet::Answer(text) => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
            Sheet::Note(text) => print::write_note(text),
        }
    }
}

const ENOUGH: usize = 256 << 10;
