//! A player with a clock and two streams.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use attache_rpc::{Frame, Splitter};

use super::fault::Act;
use super::{Faults, Player, Step};

/// How fast it goes: a factor of the recorded speed, or without any delay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// So many times as fast as it was.
    Times(f64),
    /// As fast as it goes.
    AtOnce,
}

/// How a replay ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was said.
    Played,
    /// The peer closed its side before that.
    Left,
    /// A fault ended it.
    Crashed,
    /// The peer did not say in time what the text names.
    Silent(String),
}

/// Plays one side. Without patience it waits for the peer as long as it takes.
///
/// # Errors
///
/// When the peer takes nothing any more.
pub async fn play<R, W>(
    player: &mut Player,
    pace: Pace,
    faults: Faults,
    patience: Option<Duration>,
    (read, write): (R, W),
) -> io::Result<Outcome>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin,
{
    let (sender, heard) = mpsc::channel(WAITING);
    let reader = tokio::spawn(listen(read, sender));
    let mut stage = Stage {
        heard,
        write,
        faults,
        closed: false,
    };
    let outcome = stage.play(player, pace, patience).await;
    reader.abort();
    outcome
}

struct Stage<W> {
    heard: mpsc::Receiver<Bytes>,
    write: W,
    faults: Faults,
    closed: bool,
}

impl<W: AsyncWrite + Unpin> Stage<W> {
    async fn play(
        &mut self,
        player: &mut Player,
        pace: Pace,
        patience: Option<Duration>,
    ) -> io::Result<Outcome> {
        loop {
            while let Ok(line) = self.heard.try_recv() {
                self.hear(player, &line).await?;
            }
            match player.next_step() {
                Step::Say(line, gap) => {
                    pace.wait(gap).await;
                    if !self.say(line).await? {
                        return Ok(Outcome::Crashed);
                    }
                }
                // Whoever waits for the answer that is held back says nothing before it comes.
                Step::Await(_) if self.faults.holds() => match self.next_line(Some(MOMENT)).await {
                    Next::Line(line) => self.hear(player, &line).await?,
                    Next::Closed | Next::Nothing => self.release().await?,
                },
                Step::Await(what) => match self.next_line(patience).await {
                    Next::Line(line) => self.hear(player, &line).await?,
                    Next::Closed => return Ok(Outcome::Left),
                    Next::Nothing => return Ok(Outcome::Silent(what)),
                },
                Step::Expect => match self.next_line(Some(MOMENT)).await {
                    Next::Line(line) => self.hear(player, &line).await?,
                    Next::Closed | Next::Nothing => player.skip(),
                },
                Step::Over => {
                    self.release().await?;
                    return self.wait_for_end(player, patience).await;
                }
            }
        }
    }

    /// What the peer says beyond the recording is answered until it closes its side.
    async fn wait_for_end(
        &mut self,
        player: &mut Player,
        patience: Option<Duration>,
    ) -> io::Result<Outcome> {
        if player.closes_first() {
            self.close().await?;
        }
        loop {
            match self.next_line(patience).await {
                Next::Line(line) => {
                    self.hear(player, &line).await?;
                    while let Step::Say(line, _) = player.next_step() {
                        if !self.say(line).await? {
                            return Ok(Outcome::Crashed);
                        }
                    }
                    self.release().await?;
                }
                Next::Closed | Next::Nothing => return Ok(Outcome::Played),
            }
        }
    }

    async fn hear(&mut self, player: &mut Player, line: &[u8]) -> io::Result<()> {
        if let Some(answer) = player.hear(line) {
            self.write(&[&answer[..], b"\n"].concat()).await?;
        }
        Ok(())
    }

    /// Whether the show goes on.
    async fn say(&mut self, line: Vec<u8>) -> io::Result<bool> {
        let acts = self.faults.apply(line);
        self.act(acts).await
    }

    /// Says what is held back.
    async fn release(&mut self) -> io::Result<()> {
        let rest = self.faults.rest();
        self.act(rest).await.map(drop)
    }

    async fn act(&mut self, acts: Vec<Act>) -> io::Result<bool> {
        for act in acts {
            match act {
                Act::Wait(time) => sleep(time).await,
                Act::Write(bytes) => self.write(&bytes).await?,
                Act::Crash => return Ok(false),
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

    async fn next_line(&mut self, patience: Option<Duration>) -> Next {
        let heard = match patience {
            Some(patience) => match timeout(patience, self.heard.recv()).await {
                Ok(heard) => heard,
                Err(_) => return Next::Nothing,
            },
            None => self.heard.recv().await,
        };
        heard.map_or(Next::Closed, Next::Line)
    }
}

enum Next {
    Line(Bytes),
    Closed,
    Nothing,
}

impl Pace {
    async fn wait(self, gap: Duration) {
        if let Pace::Times(factor) = self {
            sleep(gap.div_f64(factor)).await;
        }
    }
}

async fn listen(mut read: impl AsyncRead + Unpin, sender: mpsc::Sender<Bytes>) {
    let mut splitter = Splitter::new(LONGEST);
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

/// Lines that wait to be heard.
const WAITING: usize = 1024;
const LONGEST: usize = 64 << 20;
/// How long something that may not come is waited for.
const MOMENT: Duration = Duration::from_millis(200);
