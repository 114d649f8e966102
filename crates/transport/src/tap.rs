//! Shows the traffic of a connection to a debugging program, on a thread of its own.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use attache_rpc::{Frame, Splitter};
use bytes::{Bytes, BytesMut};

/// Calls a closure with every message of a connection, as it is on the wire, in both directions. Messages may contain
/// secrets.
///
/// The closure runs on a thread of its own, so it may block and can't delay or reorder the traffic. If it is too slow,
/// messages are left out and counted.
#[derive(Clone)]
pub struct Tap {
    items: SyncSender<TapItem>,
    state: Arc<TapState>,
}

/// What a [`Tap`] sees. Its `Display` is one line: an arrow and the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapEvent<'a> {
    /// A message from the peer, or a line from it that is not a message.
    Received(&'a str),
    /// A message to the peer.
    Sent(&'a str),
    /// This number of messages was left out, because the closure is too slow.
    Missed(usize),
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TapDirection {
    Received,
    Sent,
}

#[derive(Default)]
struct TapState {
    /// Bytes that wait for the closure.
    waiting: AtomicUsize,
    missed: AtomicUsize,
}

enum TapItem {
    Bytes(TapDirection, Bytes),
    Flush(SyncSender<()>),
}

impl Tap {
    /// Starts the thread that calls the closure. It ends with the connection, after the last message.
    ///
    /// # Errors
    ///
    /// If the system can't start another thread.
    pub fn new(see: impl FnMut(TapEvent<'_>) + Send + 'static) -> io::Result<Tap> {
        let (items, queue) = sync_channel(MAX_ITEMS);
        let state = Arc::new(TapState::default());
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new().name("attache-tap".to_owned());
        thread.spawn(move || show_all(&queue, &shared, see))?;
        Ok(Tap { items, state })
    }

    /// Waits until the closure has seen everything so far. Call it before the program exits, or the last messages are
    /// lost. Blocks the thread.
    pub fn flush(&self) {
        let (done, wait) = sync_channel(1);
        if self.items.send(TapItem::Flush(done)).is_ok() {
            // Fails only if the closure has panicked.
            wait.recv().ok();
        }
    }

    /// Queues bytes for the closure, without waiting.
    pub(crate) fn show(&self, direction: TapDirection, bytes: &[u8]) {
        let waiting = self.state.waiting.fetch_add(bytes.len(), Ordering::AcqRel);
        let item = TapItem::Bytes(direction, Bytes::copy_from_slice(bytes));
        if waiting > MAX_BYTES || self.items.try_send(item).is_err() {
            self.state.waiting.fetch_sub(bytes.len(), Ordering::AcqRel);
            self.state.missed.fetch_add(1, Ordering::AcqRel);
        }
    }
}

fn show_all(queue: &Receiver<TapItem>, state: &TapState, mut see: impl FnMut(TapEvent<'_>)) {
    let mut splitter = Splitter::new(usize::MAX - 1);
    while let Ok(item) = queue.recv() {
        let missed = state.missed.swap(0, Ordering::AcqRel);
        if missed > 0 {
            see(TapEvent::Missed(missed));
        }
        match item {
            TapItem::Bytes(direction, bytes) => {
                state.waiting.fetch_sub(bytes.len(), Ordering::AcqRel);
                match direction {
                    TapDirection::Received => see(TapEvent::Received(&text(&bytes))),
                    TapDirection::Sent => {
                        let mut buffer = BytesMut::from(&bytes[..]);
                        while let Ok(Some(Frame::Message(message))) = splitter.next(&mut buffer) {
                            see(TapEvent::Sent(&text(&message)));
                        }
                    }
                }
            }
            // Fails if nobody waits any more.
            TapItem::Flush(done) => drop(done.send(())),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

impl fmt::Display for TapEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TapEvent::Received(message) => write!(f, "<- {message}"),
            TapEvent::Sent(message) => write!(f, "-> {message}"),
            TapEvent::Missed(count) => write!(f, "({count} messages left out)"),
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").finish_non_exhaustive()
    }
}

const MAX_ITEMS: usize = 4096;
const MAX_BYTES: usize = 32 << 20;
