//! How a supervisor is started: a thread of the keeper, which waits for the listener that the child sends, and the
//! keeper's hold on it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;

use super::outbox::ExecOutbox;
use super::seccomp_filter;
use super::supervisor::Supervisor;
use super::watch_setup::{self, ListenerSender, WatchStatus};
use crate::exec::{ExecEvent, ExecWatch};
use crate::guard;

/// The keeper's hold on a supervisor.
pub(super) struct SupervisorHandle {
    arrival: mpsc::Receiver<WatchStatus>,
    /// Disconnected when the thread has ended.
    end: mpsc::Receiver<()>,
}

/// Starts a supervisor, and returns what the child needs to come under it.
pub(super) fn start(
    watch: &ExecWatch,
    owner: OwnedFd,
) -> io::Result<(SupervisorHandle, ListenerSender)> {
    let Some(abi) = seccomp_filter::of_this_machine() else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    let Some(judge) = guard::judge(&watch.rules) else {
        return Err(Errno::INVAL.into());
    };
    let (ours, child) = watch_setup::pair(abi)?;
    let (arrived, arrival) = mpsc::channel();
    let (alive, end) = mpsc::channel();
    let deadline = watch.deadline;
    let supervise = move || {
        let _alive: mpsc::Sender<()> = alive;
        let mut outbox = ExecOutbox::new(owner);
        let (arrival, listener) = watch_setup::receive(&ours);
        // The keeper may have given up already.
        arrived.send(arrival).ok();
        drop(ours);
        match listener {
            Some(listener) => {
                Supervisor::new(abi, listener, judge, outbox, deadline).run();
            }
            None if arrival == WatchStatus::AlreadyWatched => {
                outbox.put(&ExecEvent::AlreadyWatched);
                outbox.finish();
            }
            None => {}
        }
    };
    thread::Builder::new()
        .name("attache-execs".to_owned())
        .spawn(supervise)?;
    Ok((SupervisorHandle { arrival, end }, child))
}

impl SupervisorHandle {
    /// Whether a start failed since the filter could not be installed. The child's end must be closed.
    pub(super) fn is_refused(&self) -> bool {
        !matches!(
            self.arrival.recv_timeout(PATIENCE),
            Ok(WatchStatus::Watched | WatchStatus::AlreadyWatched)
        )
    }

    /// Waits for a moment until the last records are sent, after the tree has ended.
    pub(super) fn finish(&self) {
        // Nothing is sent; the channel closes with the thread.
        self.end.recv_timeout(PATIENCE).ok();
    }
}

const PATIENCE: Duration = Duration::from_millis(500);
