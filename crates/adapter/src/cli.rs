//! A running CLI: lines in, frames out, bounded both ways.

use std::convert::Infallible;
use std::time::Duration;

use attache::process::{self, Child, Ladder, Program, Stdin, Stdout};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::frames::{Frame, Garbage};

/// A running CLI. Dropping it kills it and everything it started.
pub(crate) struct Cli {
    child: Child,
    said: mpsc::Sender<String>,
    stdout: BufReader<Stdout>,
    line: Line,
    garbage: u64,
}

/// The CLI does not take what it is told.
#[derive(Debug, thiserror::Error)]
#[error("the CLI does not listen")]
pub(crate) struct Deaf;

impl Cli {
    pub(crate) async fn start(program: &Program) -> Result<Cli, process::Error> {
        let (child, stdin, stdout) = program.spawn_piped().await?;
        let (said, lines) = mpsc::channel(LINES);
        tokio::spawn(write(stdin, lines));
        Ok(Cli {
            child,
            said,
            stdout: BufReader::with_capacity(CHUNK, stdout),
            line: Line::default(),
            garbage: 0,
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

    /// What it says next; none when it has ended. Nothing is lost by whoever stops waiting.
    pub(crate) async fn hear(&mut self) -> Option<Frame> {
        loop {
            // A CLI that says much must not keep the others from their turn.
            tokio::task::consume_budget().await;
            let said = self
                .stdout
                .fill_buf()
                .await
                .ok()
                .filter(|it| !it.is_empty())?;
            let Some(end) = said.iter().position(|byte| *byte == b'\n') else {
                let count = said.len();
                self.line.more(said);
                self.stdout.consume(count);
                continue;
            };
            let frame = self.line.end(&said[..end]);
            self.stdout.consume(end + 1);
            match frame {
                Some(Ok(frame)) => return Some(frame),
                Some(Err(Garbage)) => self.garbage += 1,
                None => {}
            }
        }
    }

    /// Ends it, step by step.
    pub(crate) async fn stop(self) -> process::Ending {
        self.end(Ladder::default()).await
    }

    /// How it ended, for one that has said its last word.
    pub(crate) async fn ending(self) -> process::Ending {
        self.end(Ladder {
            after_close: LAST_BREATH,
            after_term: LAST_BREATH,
        })
        .await
    }

    /// Ends one that does not listen. It gets no time to go on with what it does.
    pub(crate) async fn cut_off(self) -> process::Ending {
        self.end(Ladder {
            after_close: Duration::ZERO,
            after_term: LAST_BREATH,
        })
        .await
    }

    /// A CLI cannot end while it has something to say, so somebody has to listen.
    async fn end(mut self, ladder: Ladder) -> process::Ending {
        tokio::select! {
            ending = self.child.stop(ladder) => ending,
            never = let_talk(&mut self.stdout) => match never {},
        }
    }

    /// How many lines were no frames.
    pub(crate) fn garbage(&self) -> u64 {
        self.garbage
    }
}

async fn write(mut stdin: Stdin, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn let_talk(stdout: &mut BufReader<Stdout>) -> Infallible {
    // A pipe that fails has been closed.
    tokio::io::copy(stdout, &mut tokio::io::sink()).await.ok();
    std::future::pending().await
}

/// A line that is not complete.
#[derive(Debug, Default)]
struct Line {
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Line {
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
const CHUNK: usize = 64 * 1024;
const LONGEST: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
const LAST_BREATH: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::{Frame, Garbage, LONGEST, Line};

    #[cfg(unix)]
    #[tokio::test]
    async fn one_that_says_much_when_it_is_stopped_ends_by_itself() {
        use attache::process::{Program, Rung};

        let script = "read line; head -c 1000000 /dev/zero; exit 7";
        let program = Program::new("/bin/sh").args(["-c", script]);
        let cli = super::Cli::start(&program).await.expect("a shell");
        let ending = cli.stop().await;
        let ended = (ending.status.to_string(), ending.rung);
        assert_eq!(ended, ("exited with 7".to_owned(), Rung::Close));
    }

    #[test]
    fn lines_are_put_together_and_long_ones_dropped() {
        let mut lines = Line::default();
        lines.more(br#"{"type":"#);
        assert_eq!(lines.end(br#""new"}"#), Some(Ok(Frame::Other)));
        assert_eq!(lines.end(b" \r"), None);
        lines.more(&vec![b' '; LONGEST]);
        lines.more(b"x");
        assert_eq!(lines.end(b"{}"), Some(Err(Garbage)));
        assert_eq!(lines.end(b"{}"), Some(Ok(Frame::Other)));
    }
}
