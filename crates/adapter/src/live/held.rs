//! A command's process, held so that its id cannot pass to a stranger.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, Signal};

/// The leader of a command's process group.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Held {
    pid: Pid,
    handle: OwnedFd,
}

#[cfg(target_os = "linux")]
impl Held {
    pub(super) fn of(pid: Option<i32>) -> Option<Held> {
        let pid = Pid::from_raw(pid?)?;
        let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(Held { pid, handle })
    }

    /// Ends the group; false if its leader has ended.
    pub(crate) fn kill(&self) -> bool {
        // As long as the leader is there, its group is nobody else's.
        let alive = rustix::process::pidfd_send_signal(&self.handle, Signal::CONT).is_ok();
        alive && rustix::process::kill_process_group(self.pid, Signal::KILL).is_ok()
    }
}

/// Where processes cannot be held, the CLI has to end them.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct Held;

#[cfg(not(target_os = "linux"))]
impl Held {
    pub(super) fn of(_: Option<i32>) -> Option<Held> {
        None
    }

    pub(crate) fn kill(&self) -> bool {
        false
    }
}
