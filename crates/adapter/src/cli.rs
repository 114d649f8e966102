//! A running CLI: lines in, frames out, bounded both ways.

use std::convert::Infallible;
use std::time::Duration;

use attache::process::{self, Child, Ladder, Program, Stdin, Stdout};
use attache_text::{Line, LineSplitter};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::frames::{Frame, Garbage};

/// A running CLI. Dropping it kills it and everything it started.
pub(crate) struct Cli {
    child: Child,
    said: mpsc::Sender<String>,
    stdout: BufReader<Stdout>,
    lines: LineSplitter,
    garbage: u64,
}

/// The CLI does not take what it is told.
#[derive(Debug, thiserror::Error)]
#[error("the CLI does not read its input")]
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
            lines: LineSplitter::new(LONGEST, 0),
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
            let (count, line) = self.lines.next_line(said);
            let frame = line.and_then(|line| read_line(&line));
            self.stdout.consume(count);
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

/// The frame of a line, unless it is empty.
fn read_line(line: &Line<'_>) -> Option<Result<Frame, Garbage>> {
    if line.is_cut() {
        return Some(Err(Garbage));
    }
    (!line.bytes.trim_ascii().is_empty()).then(|| Frame::read(&line.bytes))
}

const LINES: usize = 64;
const CHUNK: usize = 64 * 1024;
const LONGEST: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
const LAST_BREATH: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::{Frame, Garbage, LONGEST, LineSplitter, read_line};

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
        let mut lines = LineSplitter::new(LONGEST, 0);
        let mut frames = Vec::new();
        let long = [vec![b' '; LONGEST], b"x{}\n".to_vec()].concat();
        for piece in [&br#"{"type":"#[..], b"\"new\"}\n \r\n", &long, b"{}\n"] {
            lines.push(piece, |line| frames.push(read_line(&line)));
        }
        let expected = [
            Some(Ok(Frame::Other)),
            None,
            Some(Err(Garbage)),
            Some(Ok(Frame::Other)),
        ];
        assert_eq!(frames, expected);
    }
}
