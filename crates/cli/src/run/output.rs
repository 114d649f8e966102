//! Writing to standard output and standard error from a thread of its own: whoever reads them may be slow, or stop.

use std::io::{self, Write};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use tokio::sync::watch;

use crate::print;

/// What is to be written, in order. Clones write to the same place.
#[derive(Clone)]
pub(super) struct OutputWriter {
    writer: BackgroundWriter<OutputItem>,
    /// Why standard output takes nothing any more.
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
            // There is room again as soon as one is written.
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

    /// A part of the answer.
    pub(super) fn answer(&self, text: String) {
        self.push(OutputItem::Answer(text));
    }

    /// A line on what is going on.
    pub(super) fn note(&self, text: String) {
        self.push(OutputItem::Note(text));
    }

    /// Waits until not too much waits to be written.
    pub(super) async fn wait_for_room(&self) {
        self.writer.wait_for_room().await;
    }

    pub(super) fn has_room(&self) -> bool {
        self.writer.fits(1)
    }

    /// Waits until standard output takes nothing any more, and tells why.
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
