//! Events on their way to the log: nobody waits for the disk but a thread of its own, and what waits is bounded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};

use super::fields::Noted;
use super::writer::Writer;
use super::{Fault, lock};

/// Events that wait for the disk, in their order.
#[derive(Debug)]
pub(super) struct Queue {
    writer: BackgroundWriter<Noted>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Events for which there was no room.
    missed: AtomicU64,
    fault: Mutex<Fault>,
}

impl Queue {
    /// Starts the thread; where the system refuses one, events are written at once.
    pub(super) fn start(mut writer: Writer) -> Queue {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let limits = QueueLimits {
            max_queued: MOST_BYTES,
            // Each is in the file as soon as it can be.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let write = move |events: Vec<Noted>| {
            for noted in events {
                writer.miss(theirs.missed.swap(0, Ordering::Relaxed));
                let appended = writer.append(&noted);
                lock(&theirs.fault).take(appended);
            }
        };
        let writer = BackgroundWriter::start("audit log", limits, write);
        Queue { writer, shared }
    }

    pub(super) fn push(&self, noted: Noted) {
        let weight = noted.weight();
        if self.writer.try_push(noted, weight).is_err() {
            self.shared.missed.fetch_add(1, Ordering::Relaxed);
            let mut fault = lock(&self.shared.fault);
            if matches!(*fault, Fault::None) {
                let full = "the disk is too slow for it; some events are missing";
                *fault = Fault::New(full.to_owned());
            }
        }
    }

    pub(super) fn flush(&self, patience: Duration) {
        self.writer.flush(patience);
    }

    pub(super) fn is_settled(&self) -> bool {
        self.writer.is_settled()
    }

    /// Waits for what was pushed before. A disk that hangs is waited for once.
    pub(super) fn settle(&self) {
        self.writer.settle(PATIENCE);
    }

    pub(super) fn fault(&self) -> Option<String> {
        lock(&self.shared.fault).tell()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.writer.close(PATIENCE);
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
