//! Serves a client with the mock agent over two streams.

use std::io;
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

use super::{MockAction, MockAgent};

/// Serves a client until it closes its side. Returns the exit code if a scenario crashes.
///
/// # Errors
///
/// When writing to the client fails.
pub async fn serve<R, W>(mut mock: MockAgent, mut read: R, mut write: W) -> io::Result<Option<u8>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let start = Instant::now();
    let mut splitter = Splitter::new(MAX_LINE);
    let mut buffer = BytesMut::new();
    loop {
        let mut wake = None;
        for action in mock.advance(start.elapsed()) {
            match action {
                MockAction::Write(line) => put(&mut write, line).await?,
                MockAction::Sleep(until) => wake = Some(start + until),
                MockAction::Crash(code) => return Ok(Some(code)),
            }
        }
        let busy = mock.is_busy(start.elapsed());
        tokio::select! {
            read = read.read_buf(&mut buffer) => {
                if read? == 0 {
                    return Ok(None);
                }
                while let Ok(Some(frame)) = splitter.next(&mut buffer) {
                    let Frame::Message(line) = frame else { continue };
                    for action in mock.receive(&line, start.elapsed()) {
                        match action {
                            MockAction::Write(line) => put(&mut write, line).await?,
                            MockAction::Crash(code) => return Ok(Some(code)),
                            MockAction::Sleep(_) => {}
                        }
                    }
                }
            }
            () = sleep_until(wake.unwrap_or(start)), if wake.is_some() => {}
            () = std::future::ready(()), if busy => tokio::task::yield_now().await,
        }
    }
}

async fn put(write: &mut (impl AsyncWrite + Unpin), mut line: String) -> io::Result<()> {
    line.push('\n');
    write.write_all(line.as_bytes()).await?;
    write.flush().await
}

impl MockAgent {
    /// Whether the agent has something to do now.
    fn is_busy(&self, now: Duration) -> bool {
        let mut due = self.sessions.keys().filter_map(|name| self.due(name));
        due.any(|due| due <= now)
    }
}

const MAX_LINE: usize = 64 << 20;
