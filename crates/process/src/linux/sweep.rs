//! The end of a tree: everybody the keeper can reach is killed and waited for, within two seconds.

use std::os::fd::{AsFd, OwnedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, WaitStatus, kill_process,
    kill_process_group, pidfd_send_signal, wait, waitid,
};

use super::table;
use crate::Status;

/// How a sweep went: the agent's status if it was reaped here, and who could not be ended.
pub(super) struct Swept {
    pub(super) agent: Option<Status>,
    pub(super) survivors: usize,
}

/// Kills the children of this process, and those who become its children by that, until there are none.
///
/// For a guard: it has one thread, so nobody else waits for its children, and a pid it reads is still theirs when it
/// kills.
pub(super) fn children(agent: Pid) -> Swept {
    let mut status = None;
    let mut pace = Pace::new(LIMIT);
    loop {
        let children = table::children();
        for child in &children {
            // It fails for a process of another user, which is counted in the end.
            kill_process(*child, Signal::KILL).ok();
        }
        let left = reap(|pid, found| {
            // Its children are ours now: a deep tree ends one level at a time.
            pace.quicken();
            if pid == agent {
                status = Some(found);
            }
        });
        if left == Left::None || !pace.step() {
            let survivors = match left {
                Left::None => 0,
                Left::Some => table::children().len(),
            };
            return Swept {
                agent: status,
                survivors,
            };
        }
    }
}

/// Kills the agent's process group, and everybody in `others` that still lives.
///
/// For a keeper thread, whose process has children that are none of its business. Nobody else may wait for `agent`.
pub(super) fn group(agent: Pid, pidfd: &OwnedFd, others: &[OwnedFd]) -> Swept {
    // These fail for those who have ended. A program that ignores SIGCHLD has no child to peek at, nor its group.
    if peek(pidfd).is_ok() {
        kill_process_group(agent, Signal::KILL).ok();
    }
    pidfd_send_signal(pidfd, Signal::KILL).ok();
    for other in others {
        pidfd_send_signal(other, Signal::KILL).ok();
    }
    let mut status = None;
    let mut pace = Pace::new(LIMIT);
    loop {
        let reaped = wait_for(pidfd, WaitIdOptions::EXITED);
        status = status.or(reaped.ok().flatten());
        let mut survivors = others.iter().filter(|held| !table::has_ended(held)).count();
        survivors += usize::from(!table::has_ended(pidfd));
        if survivors == 0 || !pace.step() {
            return Swept {
                agent: status,
                survivors,
            };
        }
    }
}

/// Waits for whoever has ended, without blocking.
pub(super) fn reap(mut found: impl FnMut(Pid, Status)) -> Left {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => found(pid, of_wait(status)),
            Ok(None) => return Left::Some,
            Err(Errno::INTR) => {}
            Err(_) => return Left::None,
        }
    }
}

/// Whether there are children left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    None,
    Some,
}

/// The status of a child that has ended, without waiting and without reaping it.
pub(super) fn peek(pidfd: &OwnedFd) -> Result<Option<Status>, Errno> {
    wait_for(pidfd, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
}

fn wait_for(pidfd: &OwnedFd, options: WaitIdOptions) -> Result<Option<Status>, Errno> {
    let id = WaitId::PidFd(pidfd.as_fd());
    let status = waitid(id, options | WaitIdOptions::NOHANG)?;
    Ok(status.map(|status| of_waitid(&status)))
}

fn of_wait(status: WaitStatus) -> Status {
    of(status.exit_status(), status.terminating_signal())
}

fn of_waitid(status: &WaitIdStatus) -> Status {
    of(status.exit_status(), status.terminating_signal())
}

fn of(code: Option<i32>, signal: Option<i32>) -> Status {
    match (code, signal) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signaled(crate::Signal(signal)),
        (None, None) => Status::Lost,
    }
}

/// Steps that grow from half a millisecond, until the time is up.
struct Pace {
    end: Instant,
    step: Duration,
}

impl Pace {
    fn new(limit: Duration) -> Pace {
        Pace {
            end: Instant::now() + limit,
            step: SHORTEST,
        }
    }

    /// Something has happened: the next step is the shortest.
    fn quicken(&mut self) {
        self.step = SHORTEST;
    }

    fn step(&mut self) -> bool {
        sleep(self.step);
        self.step = (self.step * 2).min(Duration::from_millis(10));
        Instant::now() < self.end
    }
}

const SHORTEST: Duration = Duration::from_micros(500);
const LIMIT: Duration = Duration::from_secs(2);
