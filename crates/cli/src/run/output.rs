//! Writes to standard output and standard error on a thread of its own, because their readers may be slow or stop.

use std::io::{self, Write};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use tokio::sync::watch;

use crate::print;

/// A queue of output, written in order. Clones share the queue.
#[derive(Clone)]
pub(super) struct OutputWriter {
    writer: BackgroundWriter<OutputItem>,
    /// Why standard output can no longer be written.
    lost: watch::Receiver<Option<io::ErrorKind>>,
}

enum OutputItem {
    Answer(String),
    Note(String),
}

impl OutputWriter {
    /// Starts the thread.
    pub(super) fn new() -> OutputWriter {
        let (lose, lost) = watch::channel(None);
        let limits = QueueLimits {
            max_queued: MAX_QUEUED,
            // One item per batch, so that room is available as soon as an item is written.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let write = move |items: Vec<OutputItem>| {
            for item in items {
                let is_lost = lose.borrow().is_some();
                if is_lost {
                    continue;
                }
                if let (Err(error), OutputItem::Answer(_)) = (item.write(), &item) {
                    lose.send_replace(Some(error.kind()));
                }
            }
        };
        let writer = BackgroundWriter::start("output", limits, write);
        OutputWriter { writer, lost }
    }

    /// Queues a part of the answer.
    pub(super) fn answer(&self, text: String) {
        self.push(OutputItem::Answer(text));
    }

    /// Queues a line for standard error.
    pub(super) fn note(&self, text: String) {
        self.push(OutputItem::Note(text));
    }

    /// Waits until the queue has room.
    pub(super) async fn wait_for_room(&self) {
        self.writer.wait_for_room().await;
    }

    pub(super) fn has_room(&self) -> bool {
        self.writer.fits(1)
    }

    /// Waits until standard output can no longer be written, and returns why.
    pub(super) async fn wait_until_lost(&self) -> io::ErrorKind {
        let mut lost = self.lost.clone();
        let lost = lost.wait_for(Option::is_some).await;
        lost.map_or(io::ErrorKind::Other, |lost| {
            lost.unwrap_or(io::ErrorKind::Other)
        })
    }

    /// Waits until everything is written.
    pub(super) async fn finish(&self) {
        self.writer.wait_until_written().await;
    }

    fn push(&self, item: OutputItem) {
        let weight = item.len();
        self.writer.push(item, weight);
    }
}

impl OutputItem {
    fn len(&self) -> usize {
        match self {
            OutputItem::Answer(text) | OutputItem::Note(text) => text.len(),
        }
    }

    fn write(&self) -> io::Result<()> {
        match self {
            OutputItem::Answer(text) => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
            OutputItem::Note(text) => print::write_note(text),
        }
    }
}

const MAX_QUEUED: usize = 256 << 10;
