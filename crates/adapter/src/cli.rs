//! A running CLI process: writes lines and reads frames, both bounded.

use std::convert::Infallible;
use std::time::Duration;

use attache::process::{self, Child, Program, Stdin, Stdout, StopTimeouts};
use attache_text::{Line, LineSplitter};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::frames::{Frame, MalformedLine};

/// A running CLI. Dropping it kills the process and everything it started.
pub(crate) struct Cli {
    child: Child,
    input: mpsc::Sender<String>,
    stdout: BufReader<Stdout>,
    lines: LineSplitter,
    malformed_lines: u64,
}

/// The CLI does not read its input.
#[derive(Debug, thiserror::Error)]
#[error("the CLI does not read its input")]
pub(crate) struct InputStalled;

impl Cli {
    pub(crate) async fn start(program: &Program) -> Result<Cli, process::Error> {
        let (child, stdin, stdout) = program.spawn_piped().await?;
        let (input, lines) = mpsc::channel(LINES);
        tokio::spawn(write(stdin, lines));
        Ok(Cli {
            child,
            input,
            stdout: BufReader::with_capacity(CHUNK, stdout),
            lines: LineSplitter::new(LONGEST, 0),
            malformed_lines: 0,
        })
    }

    /// Sends a frame to the CLI.
    pub(crate) async fn send(&self, frame: &Value) -> Result<(), InputStalled> {
        let line = format!("{frame}\n");
        match tokio::time::timeout(PATIENCE, self.input.send(line)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(InputStalled),
        }
    }

    /// The next frame; `None` after the CLI has exited. Cancel safe.
    pub(crate) async fn next_frame(&mut self) -> Option<Frame> {
        loop {
            // Lets other tasks run even if the CLI writes without a pause.
            tokio::task::consume_budget().await;
            let bytes = self
                .stdout
                .fill_buf()
                .await
                .ok()
                .filter(|it| !it.is_empty())?;
            let (count, line) = self.lines.next_line(bytes);
            let frame = line.and_then(|line| read_line(&line));
            self.stdout.consume(count);
            match frame {
                Some(Ok(frame)) => return Some(frame),
                Some(Err(MalformedLine)) => self.malformed_lines += 1,
                None => {}
            }
        }
    }

    /// Stops the CLI: closes its input, then asks it to terminate, then kills it.
    pub(crate) async fn stop(self) -> process::ChildExit {
        self.stop_within(StopTimeouts::default()).await
    }

    /// Returns how the CLI exited, after it has closed its output.
    pub(crate) async fn wait_exit(self) -> process::ChildExit {
        self.stop_within(StopTimeouts::new(EXIT_GRACE, EXIT_GRACE))
            .await
    }

    /// Stops a CLI that does not respond, without giving it time to continue.
    pub(crate) async fn kill(self) -> process::ChildExit {
        self.stop_within(StopTimeouts::new(Duration::ZERO, EXIT_GRACE))
            .await
    }

    /// A CLI cannot exit while its output is full, so the output is drained meanwhile.
    async fn stop_within(mut self, timeouts: StopTimeouts) -> process::ChildExit {
        tokio::select! {
            ending = self.child.stop(timeouts) => ending,
            never = drain(&mut self.stdout) => match never {},
        }
    }

    /// Number of lines that were not frames.
    pub(crate) fn malformed_lines(&self) -> u64 {
        self.malformed_lines
    }
}

async fn write(mut stdin: Stdin, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn drain(stdout: &mut BufReader<Stdout>) -> Infallible {
    // If the pipe fails, it is closed.
    tokio::io::copy(stdout, &mut tokio::io::sink()).await.ok();
    std::future::pending().await
}

/// Reads the frame of a line; `None` if the line is blank.
fn read_line(line: &Line<'_>) -> Option<Result<Frame, MalformedLine>> {
    if line.is_cut() {
        return Some(Err(MalformedLine));
    }
    (!line.bytes.trim_ascii().is_empty()).then(|| Frame::read(&line.bytes))
}

const LINES: usize = 64;
const CHUNK: usize = 64 * 1024;
const LONGEST: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
const EXIT_GRACE: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::{Frame, LONGEST, LineSplitter, MalformedLine, read_line};

    #[cfg(unix)]
    #[tokio::test]
    async fn one_that_says_much_when_it_is_stopped_ends_by_itself() {
        use attache::process::{Program, StopStep};

        let script = "read line; head -c 1000000 /dev/zero; exit 7";
        let program = Program::new("/bin/sh").args(["-c", script]);
        let cli = super::Cli::start(&program).await.expect("a shell");
        let ending = cli.stop().await;
        let ended = (ending.status.to_string(), ending.step);
        assert_eq!(ended, ("exited with 7".to_owned(), StopStep::Close));
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
            Some(Err(MalformedLine)),
            Some(Ok(Frame::Other)),
        ];
        assert_eq!(frames, expected);
    }
}
