//! Runs one command: reads its output, records its exit, and ends it on request or when nobody is interested any more.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use attache_process::{Child, ExitStatus, Stdout, StopTimeouts};
use attache_schema::v1;
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio::time::Instant;

use super::record::TerminalRecord;

/// The desired state of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DesiredState {
    Running,
    Stopped,
}

/// Follows the command until it has ended. Kills it if the sender of the desired state is gone.
pub(super) async fn run(
    child: Child,
    output: Stdout,
    record: Arc<TerminalRecord>,
    desired: watch::Receiver<DesiredState>,
) {
    let exit_guard = ExitGuard(&record);
    let mut read = pin!(read(&child, output, &record));
    let mut stop = pin!(stop_on_request(&child, &record, desired));
    tokio::select! {
        () = &mut read => stop.await,
        // Only processes that could not be ended can still write.
        () = &mut stop => drop(tokio::time::timeout(LAST_WORDS, read).await),
    }
    drop(exit_guard);
}

/// Records an unknown exit on drop, so that waiting callers return even if the runtime shuts down.
struct ExitGuard<'a>(&'a TerminalRecord);

impl Drop for ExitGuard<'_> {
    fn drop(&mut self) {
        self.0.record_exit(v1::TerminalExitStatus::new());
        self.0.record_survivors(0);
    }
}

async fn stop_on_request(
    child: &Child,
    record: &TerminalRecord,
    mut desired: watch::Receiver<DesiredState>,
) {
    let is_asked = desired
        .wait_for(|order| *order == DesiredState::Stopped)
        .await
        .is_ok();
    let timeouts = match is_asked {
        true => STOP_TIMEOUTS,
        false => AT_ONCE,
    };
    let ending = child.stop(timeouts).await;
    record.record_survivors(ending.survivors);
}

async fn read(child: &Child, output: Stdout, record: &TerminalRecord) {
    let mut reader = OutputReader {
        output,
        chunk: vec![0; CHUNK],
        throttle: ReadThrottle::new(),
        record,
    };
    let status = reader.until_exit(child).await;
    let pipe = reader.drain(status).await;
    record.finish_output();
    record.record_exit(exit_status(status));
    if pipe == PipeState::Open {
        reader.discard().await;
    }
}

struct OutputReader<'a> {
    output: Stdout,
    chunk: Vec<u8>,
    throttle: ReadThrottle,
    record: &'a TerminalRecord,
}

/// Whether a process can still write.
#[derive(Debug, PartialEq, Eq)]
enum PipeState {
    Closed,
    Open,
}

impl OutputReader<'_> {
    async fn until_exit(&mut self, child: &Child) -> ExitStatus {
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

    /// Reads what the command left in the pipe, and for a moment the output of processes that it left behind. The exit
    /// is recorded as soon as the command's own output is complete.
    async fn drain(&mut self, status: ExitStatus) -> PipeState {
        let end = Instant::now() + DRAIN;
        let mut own = FULL;
        loop {
            if own == 0 || self.output.is_drained() {
                self.record.finish_output();
                self.record.record_exit(exit_status(status));
            }
            let read = self.output.read(&mut self.chunk);
            match tokio::time::timeout_at(end, read).await {
                Ok(Ok(count @ 1..)) => {
                    own = own.saturating_sub(count);
                    self.keep(count).await;
                }
                Ok(_) => return PipeState::Closed,
                Err(_) => return PipeState::Open,
            }
        }
    }

    /// Processes that were left behind may continue to write, instead of being ended by a broken pipe.
    async fn discard(&mut self) {
        while let Ok(count @ 1..) = self.output.read(&mut self.chunk).await {
            self.throttle.spend(count).await;
        }
    }

    async fn keep(&mut self, count: usize) {
        self.record.append_output(&self.chunk[..count]);
        self.throttle.spend(count).await;
    }
}

fn exit_status(status: ExitStatus) -> v1::TerminalExitStatus {
    match status {
        ExitStatus::Exited(code) => v1::TerminalExitStatus::new().exit_code(code.cast_unsigned()),
        ExitStatus::Signaled(signal) => v1::TerminalExitStatus::new().signal(signal.to_string()),
        ExitStatus::Lost => v1::TerminalExitStatus::new(),
    }
}

/// Limits how fast output is read: yields to other tasks after each chunk, and sleeps after many.
struct ReadThrottle {
    begun: Instant,
    bytes: usize,
}

impl ReadThrottle {
    fn new() -> ReadThrottle {
        ReadThrottle {
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
        *self = ReadThrottle::new();
    }
}

/// Commands have no standard input to close.
const STOP_TIMEOUTS: StopTimeouts = StopTimeouts::new(Duration::ZERO, Duration::from_secs(2));
const AT_ONCE: StopTimeouts = StopTimeouts::new(Duration::ZERO, Duration::ZERO);
const DRAIN: Duration = Duration::from_millis(500);
const LAST_WORDS: Duration = Duration::from_secs(1);
const CHUNK: usize = 32 * 1024;
/// The maximum capacity of a pipe.
const FULL: usize = 1024 * 1024;
/// 200 MB per second.
const PER_TURN: usize = 1024 * 1024;
const TURN: Duration = Duration::from_millis(5);
