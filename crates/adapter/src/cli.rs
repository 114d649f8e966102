//! A running CLI: lines in, frames out, bounded both ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use attache::process::{self, Child, Ladder, Program, Stdin, Stdout};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::frames::{Frame, Garbage};

/// A running CLI. Dropping it kills it and everything it started.
pub(crate) struct Cli {
    child: Child,
    said: mpsc::Sender<String>,
    heard: mpsc::Receiver<Heard>,
    garbage: Arc<AtomicU64>,
}

/// A frame, and its room in the queue.
type Heard = (Frame, OwnedSemaphorePermit);

/// The CLI does not take what it is told.
#[derive(Debug, thiserror::Error)]
#[error("the CLI does not listen")]
pub(crate) struct Deaf;

impl Cli {
    pub(crate) async fn start(program: &Program) -> Result<Cli, process::Error> {
        let (child, stdin, stdout) = program.spawn_piped().await?;
        let (said, lines) = mpsc::channel(LINES);
        let (frames, heard) = mpsc::channel(FRAMES);
        let garbage = Arc::new(AtomicU64::new(0));
        tokio::spawn(write(stdin, lines));
        tokio::spawn(read(stdout, frames, Arc::clone(&garbage)));
        Ok(Cli {
            child,
            said,
            heard,
            garbage,
        })
    }

    /// Says something to it.
    pub(crate) async fn say(&self, frame: &Value) -> Result<(), Deaf> {
        let line = format!("{frame}\n");
        match tokio::time::timeout(PATIENCE, self.said.send(line)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Deaf),
        }
    }

    /// What it says next; none when it has ended.
    pub(crate) async fn hear(&mut self) -> Option<Frame> {
        self.heard.recv().await.map(|(frame, _)| frame)
    }

    /// Ends it, step by step.
    pub(crate) async fn stop(self) -> process::Ending {
        self.child.stop(Ladder::default()).await
    }

    /// How it ended, for one that has said its last word.
    pub(crate) async fn ending(self) -> process::Ending {
        self.child
            .stop(Ladder {
                after_close: LAST_BREATH,
                after_term: LAST_BREATH,
            })
            .await
    }

    /// How many lines were no frames.
    pub(crate) fn garbage(&self) -> u64 {
        self.garbage.load(Ordering::Relaxed)
    }
}

async fn write(mut stdin: Stdin, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read(mut stdout: Stdout, frames: mpsc::Sender<Heard>, garbage: Arc<AtomicU64>) {
    let mut lines = Lines::default();
    let room = Arc::new(Semaphore::new(ROOM));
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = stdout.read(&mut chunk).await {
        let mut rest = &chunk[..count];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let length = lines.begun.len() + end;
            match lines.end(&rest[..end]) {
                Some(Ok(frame)) => {
                    let share = u32::try_from(length.clamp(1, ROOM)).unwrap_or(u32::MAX);
                    let Ok(share) = Arc::clone(&room).acquire_many_owned(share).await else {
                        return;
                    };
                    if frames.send((frame, share)).await.is_err() {
                        return;
                    }
                }
                Some(Err(Garbage)) => drop(garbage.fetch_add(1, Ordering::Relaxed)),
                None => {}
            }
            rest = &rest[end + 1..];
        }
        lines.more(rest);
    }
}

/// A line that is not complete.
#[derive(Debug, Default)]
struct Lines {
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    fn more(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.begun.len() + bytes.len() > LONGEST {
            self.is_too_long = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    /// The frame of the line that ends here, unless it is empty.
    fn end(&mut self, bytes: &[u8]) -> Option<Result<Frame, Garbage>> {
        let line = match self.begun.is_empty() && !self.is_too_long {
            true => read_line(bytes),
            false => {
                self.more(bytes);
                match self.is_too_long {
                    true => Some(Err(Garbage)),
                    false => read_line(&self.begun),
                }
            }
        };
        self.is_too_long = false;
        self.begun.clear();
        self.begun.shrink_to(CHUNK);
        line
    }
}

fn read_line(line: &[u8]) -> Option<Result<Frame, Garbage>> {
    (!line.trim_ascii().is_empty()).then(|| Frame::read(line))
}

const LINES: usize = 64;
const FRAMES: usize = 256;
/// How many bytes of lines may wait as frames, but for one that is longer.
const ROOM: usize = 8 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;
const LONGEST: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
const LAST_BREATH: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::{Frame, Garbage, LONGEST, Lines};

    #[test]
    fn lines_are_put_together_and_long_ones_dropped() {
        let mut lines = Lines::default();
        lines.more(br#"{"type":"#);
        assert_eq!(lines.end(br#""new"}"#), Some(Ok(Frame::Other)));
        assert_eq!(lines.end(b" \r"), None);
        lines.more(&vec![b' '; LONGEST]);
        lines.more(b"x");
        assert_eq!(lines.end(b"{}"), Some(Err(Garbage)));
        assert_eq!(lines.end(b"{}"), Some(Ok(Frame::Other)));
    }
}
