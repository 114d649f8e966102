//! The life of one command: its output is read, its end is noted, and it is ended when that is asked for or nobody
//! cares for it any more.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use attache_process::{Child, Ladder, Status, Stdout};
use attache_schema::v1;
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio::time::Instant;

use super::shown::Shown;

/// What is wanted of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Run,
    Stop,
}

/// Follows the command until its last order is carried out. Without anybody to give orders it is killed.
pub(super) async fn run(
    child: Child,
    output: Stdout,
    shown: Arc<Shown>,
    orders: watch::Receiver<Order>,
) {
    let unknown = Unknown(&shown);
    let mut read = pin!(read(&child, output, &shown));
    let mut obey = pin!(obey(&child, &shown, orders));
    tokio::select! {
        () = &mut read => obey.await,
        // Only those who could not be ended can still write.
        () = &mut obey => drop(tokio::time::timeout(LAST_WORDS, read).await),
    }
    drop(unknown);
}

/// Where nobody can tell how the command ended, as when a runtime shuts down, those who wait are still answered.
struct Unknown<'a>(&'a Shown);

impl Drop for Unknown<'_> {
    fn drop(&mut self) {
        self.0.exited(v1::TerminalExitStatus::new());
        self.0.swept(0);
    }
}

async fn obey(child: &Child, shown: &Shown, mut orders: watch::Receiver<Order>) {
    let is_asked = orders.wait_for(|order| *order == Order::Stop).await.is_ok();
    let ladder = match is_asked {
        true => LADDER,
        false => AT_ONCE,
    };
    let ending = child.stop(ladder).await;
    shown.swept(ending.survivors);
}

async fn read(child: &Child, output: Stdout, shown: &Shown) {
    let mut reading = Reading {
        output,
        chunk: vec![0; CHUNK],
        pace: Pace::new(),
        shown,
    };
    let status = reading.until_exit(child).await;
    let pipe = reading.drain(status).await;
    shown.wrote_all();
    shown.exited(of(status));
    if pipe == Pipe::Open {
        reading.discard().await;
    }
}

struct Reading<'a> {
    output: Stdout,
    chunk: Vec<u8>,
    pace: Pace,
    shown: &'a Shown,
}

/// Whether somebody can still write.
#[derive(Debug, PartialEq, Eq)]
enum Pipe {
    Closed,
    Open,
}

impl Reading<'_> {
    async fn until_exit(&mut self, child: &Child) -> Status {
        let exited = child.exited();
        tokio::pin!(exited);
        loop {
            let read = tokio::select! {
                read = self.output.read(&mut self.chunk) => read,
                status = &mut exited => return status,
            };
            match read {
                Ok(count @ 1..) => self.keep(count).await,
                _ => return exited.await,
            }
        }
    }

    /// Reads what the command left in the pipe, and for a moment what those write whom it left behind. The end is told
    /// as soon as the command's own words are all there.
    async fn drain(&mut self, status: Status) -> Pipe {
        let end = Instant::now() + DRAIN;
        let mut own = FULL;
        loop {
            if own == 0 || self.output.is_drained() {
                self.shown.wrote_all();
                self.shown.exited(of(status));
            }
            let read = self.output.read(&mut self.chunk);
            match tokio::time::timeout_at(end, read).await {
                Ok(Ok(count @ 1..)) => {
                    own = own.saturating_sub(count);
                    self.keep(count).await;
                }
                Ok(_) => return Pipe::Closed,
                Err(_) => return Pipe::Open,
            }
        }
    }

    /// Those who were left behind may go on writing, without being ended by a broken pipe.
    async fn discard(&mut self) {
        while let Ok(count @ 1..) = self.output.read(&mut self.chunk).await {
            self.pace.spend(count).await;
        }
    }

    async fn keep(&mut self, count: usize) {
        self.shown.wrote(&self.chunk[..count]);
        self.pace.spend(count).await;
    }
}

fn of(status: Status) -> v1::TerminalExitStatus {
    match status {
        Status::Exited(code) => v1::TerminalExitStatus::new().exit_code(code.cast_unsigned()),
        Status::Signaled(signal) => v1::TerminalExitStatus::new().signal(signal.to_string()),
        Status::Lost => v1::TerminalExitStatus::new(),
    }
}

/// How fast output is read: a flood leaves the processor to others after each piece, and rests after many.
struct Pace {
    begun: Instant,
    bytes: usize,
}

impl Pace {
    fn new() -> Pace {
        Pace {
            begun: Instant::now(),
            bytes: 0,
        }
    }

    async fn spend(&mut self, bytes: usize) {
        self.bytes += bytes;
        let elapsed = self.begun.elapsed();
        if elapsed < TURN && self.bytes < PER_TURN {
            return tokio::task::yield_now().await;
        }
        if let Some(rest) = TURN.checked_sub(elapsed) {
            tokio::time::sleep(rest).await;
        }
        *self = Pace::new();
    }
}

/// Commands have no input to close.
const LADDER: Ladder = Ladder {
    after_close: Duration::ZERO,
    after_term: Duration::from_secs(2),
};
const AT_ONCE: Ladder = Ladder {
    after_close: Duration::ZERO,
    after_term: Duration::ZERO,
};
const DRAIN: Duration = Duration::from_millis(500);
const LAST_WORDS: Duration = Duration::from_secs(1);
const CHUNK: usize = 32 * 1024;
/// The most that a pipe can hold.
const FULL: usize = 1024 * 1024;
/// 200 MB in a second.
const PER_TURN: usize = 1024 * 1024;
const TURN: Duration = Duration::from_millis(5);
