//! Writing to standard output and standard error from a thread of its own: whoever reads them may be slow, or stop.

use std::io::{self, Write};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use tokio::sync::watch;

use crate::print;

/// What is to be written, in order. Clones write to the same place.
#[derive(Clone)]
pub(super) struct Pen {
    writer: BackgroundWriter<Sheet>,
    /// Why standard output takes nothing any more.
    lost: watch::Receiver<Option<io::ErrorKind>>,
}

enum Sheet {
    Answer(String),
    Note(String),
}

impl Pen {
    /// Starts the thread.
    pub(super) fn new() -> Pen {
        let (lose, lost) = watch::channel(None);
        let limits = QueueLimits {
            max_queued: ENOUGH,
            // There is room again as soon as one is written.
            max_batch: 0,
            gather_for: Duration::ZERO,
        };
        let write = move |sheets: Vec<Sheet>| {
            for sheet in sheets {
                let is_lost = lose.borrow().is_some();
                if is_lost {
                    continue;
                }
                if let (Err(error), Sheet::Answer(_)) = (sheet.write(), &sheet) {
                    lose.send_replace(Some(error.kind()));
                }
            }
        };
        let writer = BackgroundWriter::start("output", limits, write);
        Pen { writer, lost }
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
        self.writer.wait_for_room().await;
    }

    pub(super) fn has_room(&self) -> bool {
        self.writer.fits(1)
    }

    /// Waits until standard output takes nothing any more, and tells why.
    pub(super) async fn lost(&self) -> io::ErrorKind {
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

    fn push(&self, sheet: Sheet) {
        let weight = sheet.len();
        self.writer.push(sheet, weight);
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
