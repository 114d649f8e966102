//! The end of a tree: everybody the keeper can reach is killed and waited for, within two seconds.

use std::os::fd::{AsFd, OwnedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, WaitStatus, kill_process,
    kill_process_group, pidfd_send_signal, wait, waitid,
};

use super::process_tree;
use crate::ExitStatus;

/// How a sweep went: the agent's status if it was reaped here, and who could not be ended.
pub(super) struct SweepResult {
    pub(super) agent: Option<ExitStatus>,
    pub(super) survivors: usize,
}

/// Kills the children of this process, and those who become its children by that, until there are none.
///
/// For a guard: it has one thread, so nobody else waits for its children, and a pid it reads is still theirs when it
/// kills.
pub(super) fn children(agent: Pid) -> SweepResult {
    let mut status = None;
    let mut backoff = Backoff::new(LIMIT);
    loop {
        let children = process_tree::children();
        for child in &children {
            // It fails for a process of another user, which is counted in the end.
            kill_process(*child, Signal::KILL).ok();
        }
        let left = reap(|pid, found| {
            // Its children are ours now: a deep tree ends one level at a time.
            backoff.reset();
            if pid == agent {
                status = Some(found);
            }
        });
        if left == Remaining::None || !backoff.wait() {
            let survivors = match left {
                Remaining::None => 0,
                Remaining::Some => process_tree::children().len(),
            };
            return SweepResult {
                agent: status,
                survivors,
            };
        }
    }
}

/// Kills the agent's process group, and everybody in `others` that still lives.
///
/// For a keeper thread, whose process has children that are none of its business. Nobody else may wait for `agent`.
pub(super) fn group(agent: Pid, pidfd: &OwnedFd, others: &[OwnedFd]) -> SweepResult {
    // These fail for those who have ended. A program that ignores SIGCHLD has no child to peek at, nor its group.
    if peek(pidfd).is_ok() {
        kill_process_group(agent, Signal::KILL).ok();
    }
    pidfd_send_signal(pidfd, Signal::KILL).ok();
    for other in others {
        pidfd_send_signal(other, Signal::KILL).ok();
    }
    let mut status = None;
    let mut backoff = Backoff::new(LIMIT);
    loop {
        let reaped = wait_for(pidfd, WaitIdOptions::EXITED);
        status = status.or(reaped.ok().flatten());
        let mut survivors = others
            .iter()
            .filter(|held| !process_tree::has_ended(held))
            .count();
        survivors += usize::from(!process_tree::has_ended(pidfd));
        if survivors == 0 || !backoff.wait() {
            return SweepResult {
                agent: status,
                survivors,
            };
        }
    }
}

/// Waits for whoever has ended, without blocking.
pub(super) fn reap(mut found: impl FnMut(Pid, ExitStatus)) -> Remaining {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => found(pid, of_wait(status)),
            Ok(None) => return Remaining::Some,
            Err(Errno::INTR) => {}
            Err(_) => return Remaining::None,
        }
    }
}

/// Whether there are children left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remaining {
    None,
    Some,
}

/// The status of a child that has ended, without waiting and without reaping it.
pub(super) fn peek(pidfd: &OwnedFd) -> Result<Option<ExitStatus>, Errno> {
    wait_for(pidfd, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
}

fn wait_for(pidfd: &OwnedFd, options: WaitIdOptions) -> Result<Option<ExitStatus>, Errno> {
    let id = WaitId::PidFd(pidfd.as_fd());
    let status = waitid(id, options | WaitIdOptions::NOHANG)?;
    Ok(status.map(|status| of_waitid(&status)))
}

fn of_wait(status: WaitStatus) -> ExitStatus {
    of(status.exit_status(), status.terminating_signal())
}

fn of_waitid(status: &WaitIdStatus) -> ExitStatus {
    of(status.exit_status(), status.terminating_signal())
}

fn of(code: Option<i32>, signal: Option<i32>) -> ExitStatus {
    match (code, signal) {
        (Some(code), _) => ExitStatus::Exited(code),
        (None, Some(signal)) => ExitStatus::Signaled(crate::Signal(signal)),
        (None, None) => ExitStatus::Lost,
    }
}

/// Steps that grow from half a millisecond, until the time is up.
struct Backoff {
    end: Instant,
    step: Duration,
}

impl Backoff {
    fn new(limit: Duration) -> Backoff {
        Backoff {
            end: Instant::now() + limit,
            step: SHORTEST,
        }
    }

    /// Something has happened: the next step is the shortest.
    fn reset(&mut self) {
        self.step = SHORTEST;
    }

    fn wait(&mut self) -> bool {
        sleep(self.step);
        self.step = (self.step * 2).min(Duration::from_millis(10));
        Instant::now() < self.end
    }
}

const SHORTEST: Duration = Duration::from_micros(500);
const LIMIT: Duration = Duration::from_secs(2);
