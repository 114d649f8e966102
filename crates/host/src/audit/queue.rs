//! The queue between callers and the background thread that writes the audit log. The number of waiting bytes is
//! bounded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};

use super::record::EventRecord;
use super::writer::LogWriter;
use super::{WriteFault, lock};

/// Events waiting to be written, in order.
#[derive(Debug)]
pub(super) struct EventQueue {
    writer: BackgroundWriter<EventRecord>,
    shared: Arc<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    /// Events dropped because the queue was full.
    missed: AtomicU64,
    fault: Mutex<WriteFault>,
}

impl EventQueue {
    /// Starts the background thread. If the system refuses a thread, events are written by the caller.
    pub(super) fn start(mut writer: LogWriter) -> EventQueue {
        let shared = Arc::new(QueueState::default());
        let writer_state = Arc::clone(&shared);
        let limits = QueueLimits {
            max_queued: MOST_BYTES,
            // Write each event as soon as possible.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let write = move |events: Vec<EventRecord>| {
            for record in events {
                writer.miss(writer_state.missed.swap(0, Ordering::Relaxed));
                let appended = writer.append(&record);
                lock(&writer_state.fault).record(appended);
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
                let full = "the disk is too slow, so some events are missing";
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

    /// Waits for all events pushed so far. If the disk hangs, only the first call waits.
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
    /// The approximate size in memory.
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
/// Longer than the timeout of the log's lock.
const PATIENCE: Duration = Duration::from_secs(3);
