//! The mock on two streams.

use std::io;
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

use super::{Act, Mock};

/// Serves a client until it closes its side, or a scenario crashes: then the code to end with is given.
///
/// # Errors
///
/// When the client takes nothing any more.
pub async fn serve<R, W>(mut mock: Mock, mut read: R, mut write: W) -> io::Result<Option<u8>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let start = Instant::now();
    let mut splitter = Splitter::new(LONGEST);
    let mut buffer = BytesMut::new();
    loop {
        let mut wake = None;
        for act in mock.go_on(start.elapsed()) {
            match act {
                Act::Write(line) => put(&mut write, line).await?,
                Act::Sleep(until) => wake = Some(start + until),
                Act::Crash(code) => return Ok(Some(code)),
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
                    for act in mock.hear(&line, start.elapsed()) {
                        match act {
                            Act::Write(line) => put(&mut write, line).await?,
                            Act::Crash(code) => return Ok(Some(code)),
                            Act::Sleep(_) => {}
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

impl Mock {
    /// Whether something is to be done now.
    fn is_busy(&self, now: Duration) -> bool {
        let mut due = self.sessions.keys().filter_map(|name| self.due(name));
        due.any(|due| due <= now)
    }
}

const LONGEST: usize = 64 << 20;
