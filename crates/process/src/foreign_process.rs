//! Processes that another program has started.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

#[cfg(target_os = "linux")]
use super::linux::process_tree;

/// A process, started by another program, that leads a process group. It is kept open by a file descriptor, so that its id
/// cannot be confused with that of a later process.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub struct ForeignProcess {
    pid: Pid,
    handle: OwnedFd,
}

#[cfg(target_os = "linux")]
impl ForeignProcess {
    /// Opens the process with this id. Returns `None` if there is no such process.
    pub fn open(pid: i32) -> Option<ForeignProcess> {
        let pid = Pid::from_raw(pid)?;
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(ForeignProcess { pid, handle })
    }

    /// Kills the process, its process group, and descendants that have left the group. Returns `false` if the process has
    /// already ended.
    ///
    /// Descendants whose parent has ended cannot be found and are not killed.
    pub fn kill(&self) -> bool {
        let others = process_tree::descendants(self.pid);
        // While the process exists, its id, its group and its descendants belong to no other process.
        if process_tree::has_ended(&self.handle) {
            return false;
        }
        let is_killed = kill_process_group(self.pid, Signal::KILL).is_ok();
        for other in others {
            // Fails for processes that have ended with the group.
            pidfd_send_signal(&other, Signal::KILL).ok();
        }
        is_killed
    }
}

/// A process that another program has started. Not supported on this system.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct ForeignProcess;

#[cfg(not(target_os = "linux"))]
impl ForeignProcess {
    /// Always returns `None`: not supported on this system.
    pub fn open(_: i32) -> Option<ForeignProcess> {
        None
    }

    /// Always returns `false`: not supported on this system.
    pub fn kill(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::ForeignProcess;

    #[test]
    fn descendants_outside_the_group_are_killed_too() {
        // No other code kills or reaps this child.
        let mut child = Command::new("/bin/sh")
            .args(["-c", "setsid sleep 1000 & echo $!; wait"])
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let far = ForeignProcess::open(line.trim().parse().expect("an id")).expect("a process");
        let held = ForeignProcess::open(child.id().try_into().expect("an id")).expect("a process");
        assert!(held.kill());
        let deadline = Instant::now() + Duration::from_secs(10);
        while !super::process_tree::has_ended(&far.handle) {
            assert!(Instant::now() < deadline, "it still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait().expect("a status");
        assert!(!held.kill(), "it has ended");
    }
}
