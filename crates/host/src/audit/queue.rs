//! Events on their way to the log: nobody waits for the disk but a thread of its own, and what waits is bounded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};

use super::record::EventRecord;
use super::writer::LogWriter;
use super::{WriteFault, lock};

/// Events that wait for the disk, in their order.
#[derive(Debug)]
pub(super) struct EventQueue {
    writer: BackgroundWriter<EventRecord>,
    shared: Arc<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    /// Events for which there was no room.
    missed: AtomicU64,
    fault: Mutex<WriteFault>,
}

impl EventQueue {
    /// Starts the thread; where the system refuses one, events are written at once.
    pub(super) fn start(mut writer: LogWriter) -> EventQueue {
        let shared = Arc::new(QueueState::default());
        let theirs = Arc::clone(&shared);
        let limits = QueueLimits {
            max_queued: MOST_BYTES,
            // Each is in the file as soon as it can be.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let write = move |events: Vec<EventRecord>| {
            for record in events {
                writer.miss(theirs.missed.swap(0, Ordering::Relaxed));
                let appended = writer.append(&record);
                lock(&theirs.fault).record(appended);
            }
        };
        let writer = BackgroundWriter::start("audit log", limits, write);
        EventQueue { writer, shared }
    }

    pub(super) fn push(&self, record: EventRecord) {
        let weight = record.weight();
        if self.writer.try_push(record, weight).is_err() {
            self.shared.missed.fetch_add(1, Ordering::Relaxed);
            let mut fault = lock(&self.shared.fault);
            if matches!(*fault, WriteFault::None) {
                let full = "the disk is too slow for it; some events are missing";
                *fault = WriteFault::Unreported(full.to_owned());
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
        lock(&self.shared.fault).report()
    }
}

impl Drop for EventQueue {
    fn drop(&mut self) {
        self.writer.close(PATIENCE);
    }
}

impl EventRecord {
    /// About how many bytes it takes while it waits.
    fn weight(&self) -> usize {
        let fields = self.fields.iter();
        let values: usize = fields.map(|(name, value)| name.len() + weight(value)).sum();
        values + size_of::<EventRecord>() + self.time.len()
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
