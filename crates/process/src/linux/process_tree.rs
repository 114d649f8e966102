//! Finds the descendants of a program in `/proc`, and kills and reaps everything the keeper can reach, within two seconds. A
//! pid read here may belong to another process when it is used, except for a child that has not been reaped.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, WaitStatus,
    kill_process, kill_process_group, pidfd_open, pidfd_send_signal, wait, waitid,
};

use crate::ExitStatus;

/// The children of this process.
fn own_children() -> Vec<Pid> {
    listed_children().unwrap_or_else(|_| {
        let me = rustix::process::getpid();
        let all = all_pids().into_iter();
        all.filter(|pid| parent_of(*pid) == Some(me)).collect()
    })
}

/// Opens all descendants of `root`, so that signals cannot reach other processes. `root` must exist until this function
/// returns: it must be a child that is not reaped meanwhile, or the caller must check afterwards that it is still alive.
pub(crate) fn descendants(root: Pid) -> Vec<OwnedFd> {
    let pairs: Vec<(Pid, Pid)> = all_pids()
        .into_iter()
        .filter_map(|pid| Some((pid, parent_of(pid)?)))
        .collect();
    let mut found: Vec<(Pid, Option<OwnedFd>)> = vec![(root, None)];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next].0;
        for (pid, _) in pairs.iter().filter(|(_, claimed)| *claimed == parent) {
            let Ok(held) = pidfd_open(*pid, PidfdFlags::empty()) else {
                continue;
            };
            // The pid stays valid while the process lives, so data read after opening it is about it, if the parent lives too.
            let parent_lives = found[next].1.as_ref().is_none_or(|held| !has_ended(held));
            if parent_of(*pid) == Some(parent) && parent_lives {
                found.push((*pid, Some(held)));
            }
        }
        next += 1;
    }
    found.into_iter().filter_map(|(_, held)| held).collect()
}

/// Whether the process has ended.
pub(crate) fn has_ended(held: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(held, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
}

fn listed_children() -> io::Result<Vec<Pid>> {
    let mut pids = Vec::new();
    for task in fs::read_dir("/proc/self/task")? {
        let list = fs::read_to_string(task?.path().join("children"))?;
        pids.extend(list.split_ascii_whitespace().filter_map(pid));
    }
    Ok(pids)
}

fn all_pids() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| pid(&name)).collect()
}

// The name of a process is in parentheses and may itself contain parentheses and spaces; the fields follow the last one.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(&stat[end + 1..]).ok()?;
    fields.split_ascii_whitespace().nth(1).and_then(self::pid)
}

fn pid(digits: &str) -> Option<Pid> {
    digits.parse().ok().and_then(Pid::from_raw)
}

/// The result of killing a tree: the program's status if it was reaped here, and the processes that could not be killed.
pub(super) struct SweepResult {
    pub(super) agent: Option<ExitStatus>,
    pub(super) survivors: usize,
}

/// Kills the children of this process, and orphans that become its children, until none are left.
///
/// For a guard: it has only one thread, so no other code reaps its children, and their pids stay valid.
pub(super) fn kill_children(agent: Pid) -> SweepResult {
    let mut status = None;
    let mut backoff = Backoff::new(SWEEP_TIMEOUT);
    loop {
        let children = own_children();
        for child in &children {
            // Fails for a process of another user, which is counted as a survivor.
            kill_process(*child, Signal::KILL).ok();
        }
        let left = reap(|pid, found| {
            // Its children become children of this process: a deep tree is killed level by level.
            backoff.reset();
            if pid == agent {
                status = Some(found);
            }
        });
        if left == Remaining::None || !backoff.wait() {
            let survivors = match left {
                Remaining::None => 0,
                Remaining::Some => own_children().len(),
            };
            return SweepResult {
                agent: status,
                survivors,
            };
        }
    }
}

/// Kills the program's process group, and all processes in `others` that are still running.
///
/// For a keeper thread, whose process also has unrelated children. No other code may wait for `agent`.
pub(super) fn kill_group(agent: Pid, pidfd: &OwnedFd, others: &[OwnedFd]) -> SweepResult {
    // These fail for processes that have ended. In a process that ignores SIGCHLD there is no child to peek at, nor its group.
    if peek(pidfd).is_ok() {
        kill_process_group(agent, Signal::KILL).ok();
    }
    pidfd_send_signal(pidfd, Signal::KILL).ok();
    for other in others {
        pidfd_send_signal(other, Signal::KILL).ok();
    }
    let mut status = None;
    let mut backoff = Backoff::new(SWEEP_TIMEOUT);
    loop {
        let reaped = wait_for(pidfd, WaitIdOptions::EXITED);
        status = status.or(reaped.ok().flatten());
        let mut survivors = others.iter().filter(|held| !has_ended(held)).count();
        survivors += usize::from(!has_ended(pidfd));
        if survivors == 0 || !backoff.wait() {
            return SweepResult {
                agent: status,
                survivors,
            };
        }
    }
}

/// Reaps all children that have ended, without blocking.
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
    exit_status(status.exit_status(), status.terminating_signal())
}

fn of_waitid(status: &WaitIdStatus) -> ExitStatus {
    exit_status(status.exit_status(), status.terminating_signal())
}

fn exit_status(code: Option<i32>, signal: Option<i32>) -> ExitStatus {
    match (code, signal) {
        (Some(code), _) => ExitStatus::Exited(code),
        (None, Some(signal)) => ExitStatus::Signaled(crate::Signal(signal)),
        (None, None) => ExitStatus::Lost,
    }
}

/// Waits in steps that grow from half a millisecond, until the time limit.
struct Backoff {
    end: Instant,
    step: Duration,
}

impl Backoff {
    fn new(limit: Duration) -> Backoff {
        Backoff {
            end: Instant::now() + limit,
            step: SHORTEST_WAIT,
        }
    }

    /// Makes the next step the shortest again, after progress.
    fn reset(&mut self) {
        self.step = SHORTEST_WAIT;
    }

    fn wait(&mut self) -> bool {
        sleep(self.step);
        self.step = (self.step * 2).min(Duration::from_millis(10));
        Instant::now() < self.end
    }
}

const SHORTEST_WAIT: Duration = Duration::from_micros(500);
const SWEEP_TIMEOUT: Duration = Duration::from_secs(2);
