//! Who is whose child, as `/proc` tells it. A pid read here may be anybody's by the time it is used, except that of
//! a child the reader has not waited for.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// The children of this process.
pub(super) fn children() -> Vec<Pid> {
    listed_children().unwrap_or_else(|_| {
        let me = rustix::process::getpid();
        let all = all_pids().into_iter();
        all.filter(|pid| parent_of(*pid) == Some(me)).collect()
    })
}

/// Everybody who descends from `root`, held so that a signal cannot reach a stranger. `root` must be there until this
/// is done: a child of this process that nobody waits for meanwhile, or one that is seen to live afterwards.
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
            // The pid is its pid while it lives, so what is read after opening it is about it, if the parent lives too.
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

// The name of a process, in brackets, may hold brackets and spaces: the fields begin after the last one.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(&stat[end + 1..]).ok()?;
    fields.split_ascii_whitespace().nth(1).and_then(self::pid)
}

fn pid(digits: &str) -> Option<Pid> {
    digits.parse().ok().and_then(Pid::from_raw)
}
