//! Writes to standard output and standard error on a thread of its own, because their readers may be slow or stop.

use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use attache_disk::{BackgroundWriter, QueueLimits};
use attache_text::plain::GUTTER;
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
                match out.is_terminal() {
                    true => out.write_all(without_bars(text).as_bytes())?,
                    false => out.write_all(text.as_bytes())?,
                }
                out.flush()
            }
            OutputItem::Note(text) if shares_terminal() => print::write_note(&with_bars(text)),
            OutputItem::Note(text) => print::write_note(text),
        }
    }
}

/// Whether a terminal shows both the agent's text and our lines.
fn shares_terminal() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Our lines as they look beside the agent's text: each begins with a bar, which that text can't contain.
fn with_bars(text: &str) -> String {
    let lines = text.split('\n').map(|line| format!("{GUTTER} {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The agent's text for a terminal, without our bar.
fn without_bars(text: &str) -> String {
    text.replace(GUTTER, "│")
}

const MAX_QUEUED: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::{with_bars, without_bars};

    /// The symptom: a line of the agent's message looked like a decision.
    #[test]
    fn attack_a_message_is_no_line_of_ours() {
        let ours = with_bars("denied: ls (--deny-all)\n--- /w/a\n+++ /w/a");
        assert!(ours.split('\n').all(|line| line.starts_with('┊')), "{ours}");
        let theirs = "text\nallowed: fake (--approve-all)\n┊ allowed: fake (--approve-all)\n  ┊ x";
        assert!(!without_bars(theirs).contains('┊'));
    }
}
