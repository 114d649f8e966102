//! Plays one side of a recording over two streams, with a clock.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use attache_rpc::{Frame, Splitter};

use super::fault::WireAction;
use super::{FaultInjector, ReplayPlayer, ReplayStep};

/// The speed of a replay: a factor of the recorded speed, or without delays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReplaySpeed {
    /// This many times the recorded speed.
    Times(f64),
    /// Without any delay.
    AtOnce,
}

/// How a replay ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayEnd {
    /// Every line was sent.
    Played,
    /// The peer closed its side first.
    PeerClosed,
    /// An injected fault ended the connection.
    Crashed,
    /// The peer did not send the message that the text names in time.
    TimedOut(String),
}

/// Plays one side of a recording. Without `timeout_after`, it waits for the peer without limit.
///
/// # Errors
///
/// When writing to the peer fails.
pub async fn play<R, W>(
    player: &mut ReplayPlayer,
    speed: ReplaySpeed,
    faults: FaultInjector,
    timeout_after: Option<Duration>,
    (read, write): (R, W),
) -> io::Result<ReplayEnd>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin,
{
    let (sender, incoming) = mpsc::channel(MAX_WAITING_LINES);
    let reader = tokio::spawn(listen(read, sender));
    let mut connection = ReplayConnection {
        incoming,
        write,
        faults,
        closed: false,
    };
    let outcome = connection.play(player, speed, timeout_after).await;
    reader.abort();
    outcome
}

struct ReplayConnection<W> {
    incoming: mpsc::Receiver<Bytes>,
    write: W,
    faults: FaultInjector,
    closed: bool,
}

impl<W: AsyncWrite + Unpin> ReplayConnection<W> {
    async fn play(
        &mut self,
        player: &mut ReplayPlayer,
        speed: ReplaySpeed,
        timeout_after: Option<Duration>,
    ) -> io::Result<ReplayEnd> {
        loop {
            while let Ok(line) = self.incoming.try_recv() {
                self.receive(player, &line).await?;
            }
            match player.next_step() {
                ReplayStep::Send(line, gap) => {
                    speed.wait(gap).await;
                    if !self.send(line).await? {
                        return Ok(ReplayEnd::Crashed);
                    }
                }
                // A peer that waits for the held response sends nothing until it arrives.
                ReplayStep::Await(_) if self.faults.is_holding() => {
                    match self.next_line(Some(SHORT_WAIT)).await {
                        PeerInput::Line(line) => self.receive(player, &line).await?,
                        PeerInput::Closed | PeerInput::TimedOut => self.release().await?,
                    }
                }
                ReplayStep::Await(what) => match self.next_line(timeout_after).await {
                    PeerInput::Line(line) => self.receive(player, &line).await?,
                    PeerInput::Closed => return Ok(ReplayEnd::PeerClosed),
                    PeerInput::TimedOut => return Ok(ReplayEnd::TimedOut(what)),
                },
                ReplayStep::Expect => match self.next_line(Some(SHORT_WAIT)).await {
                    PeerInput::Line(line) => self.receive(player, &line).await?,
                    PeerInput::Closed | PeerInput::TimedOut => player.skip(),
                },
                ReplayStep::Done => {
                    self.release().await?;
                    return self.wait_for_end(player, timeout_after).await;
                }
            }
        }
    }

    /// Answers what the peer sends beyond the recording, until it closes its side.
    async fn wait_for_end(
        &mut self,
        player: &mut ReplayPlayer,
        timeout_after: Option<Duration>,
    ) -> io::Result<ReplayEnd> {
        if player.closes_first() {
            self.close().await?;
        }
        loop {
            match self.next_line(timeout_after).await {
                PeerInput::Line(line) => {
                    self.receive(player, &line).await?;
                    while let ReplayStep::Send(line, _) = player.next_step() {
                        if !self.send(line).await? {
                            return Ok(ReplayEnd::Crashed);
                        }
                    }
                    self.release().await?;
                }
                PeerInput::Closed | PeerInput::TimedOut => return Ok(ReplayEnd::Played),
            }
        }
    }

    async fn receive(&mut self, player: &mut ReplayPlayer, line: &[u8]) -> io::Result<()> {
        if let Some(answer) = player.receive(line) {
            self.write(&[&answer[..], b"\n"].concat()).await?;
        }
        Ok(())
    }

    /// Whether the replay continues.
    async fn send(&mut self, line: Vec<u8>) -> io::Result<bool> {
        let actions = self.faults.apply(line);
        self.perform(actions).await
    }

    /// Sends the held response.
    async fn release(&mut self) -> io::Result<()> {
        let rest = self.faults.take_held();
        self.perform(rest).await.map(drop)
    }

    async fn perform(&mut self, actions: Vec<WireAction>) -> io::Result<bool> {
        for action in actions {
            match action {
                WireAction::Wait(time) => sleep(time).await,
                WireAction::Write(bytes) => self.write(&bytes).await?,
                WireAction::Crash => return Ok(false),
            }
        }
        Ok(true)
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        self.write.write_all(bytes).await?;
        self.write.flush().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.closed = true;
        self.write.shutdown().await
    }

    async fn next_line(&mut self, timeout_after: Option<Duration>) -> PeerInput {
        let incoming = match timeout_after {
            Some(timeout_after) => match timeout(timeout_after, self.incoming.recv()).await {
                Ok(incoming) => incoming,
                Err(_) => return PeerInput::TimedOut,
            },
            None => self.incoming.recv().await,
        };
        incoming.map_or(PeerInput::Closed, PeerInput::Line)
    }
}

enum PeerInput {
    Line(Bytes),
    Closed,
    TimedOut,
}

impl ReplaySpeed {
    async fn wait(self, gap: Duration) {
        if let ReplaySpeed::Times(factor) = self {
            sleep(gap.div_f64(factor)).await;
        }
    }
}

async fn listen(mut read: impl AsyncRead + Unpin, sender: mpsc::Sender<Bytes>) {
    let mut splitter = Splitter::new(MAX_LINE);
    let mut buffer = BytesMut::new();
    while let Ok(1..) = read.read_buf(&mut buffer).await {
        while let Ok(Some(frame)) = splitter.next(&mut buffer) {
            if let Frame::Message(line) = frame
                && sender.send(line).await.is_err()
            {
                return;
            }
        }
    }
    if let Ok(Some(rest)) = splitter.end(&mut buffer) {
        sender.send(rest).await.ok();
    }
}

/// The maximum number of incoming lines that wait.
const MAX_WAITING_LINES: usize = 1024;
const MAX_LINE: usize = 64 << 20;
/// How long to wait for a message that may not come.
const SHORT_WAIT: Duration = Duration::from_millis(200);
