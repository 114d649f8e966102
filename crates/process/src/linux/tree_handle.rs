//! The owner's handle to a running process tree: sends orders to the keeper and manages the guard process. A thread reaps
//! guards that are about to end, so that none stays a zombie. If a hostile program has stopped its guard, the tree is killed
//! from here.

use std::process::Child;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{SendFlags, Shutdown, send, shutdown};
use rustix::process::{Pid, Signal, kill_process, pidfd_send_signal};
use tokio::net::UnixStream;

use super::{process_tree, wire};

/// The owner's handle to a process tree. Dropping any copy kills the tree.
pub(crate) struct TreeHandle(pub(super) Arc<KeeperConnection>);

/// The connection to a tree's keeper, and the guard process if the keeper is one.
pub(super) struct KeeperConnection {
    pub(super) control: UnixStream,
    pub(super) guard: Mutex<Option<GuardProcess>>,
}

impl TreeHandle {
    pub(crate) fn note_descendants(&self) {
        self.send_order(wire::NOTE_DESCENDANTS);
    }

    pub(crate) fn terminate(&self) {
        self.send_order(wire::TERM);
    }

    pub(crate) fn kill(&self) {
        // Fails when the keeper is gone, and then there is nothing left to kill.
        shutdown(&self.0.control, Shutdown::Write).ok();
        self.0.with_guard(GuardProcess::resume);
    }

    /// Kills the tree without the help of its guard, which the tree may have stopped. Returns the number of survivors.
    pub(crate) async fn kill_by_force(&self) -> usize {
        let connection = Arc::clone(&self.0);
        let kill = move || connection.with_guard(GuardProcess::kill_tree);
        let killed = tokio::task::spawn_blocking(kill).await;
        killed.ok().flatten().unwrap_or(1)
    }

    fn send_order(&self, order: u8) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        // Fails when the keeper is gone, which the end of the reports shows.
        send(&self.0.control, &[order], flags).ok();
    }
}

impl KeeperConnection {
    fn with_guard<T>(&self, act: impl FnOnce(&mut GuardProcess) -> T) -> Option<T> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_mut().map(act)
    }
}

impl Drop for TreeHandle {
    fn drop(&mut self) {
        shutdown(&self.0.control, Shutdown::Both).ok();
        self.0.with_guard(GuardProcess::resume);
        let mut guard = self.0.guard.lock().unwrap_or_else(PoisonError::into_inner);
        drop(guard.take());
    }
}

/// A guard process, which is reaped when it is dropped. Its control socket is closed by then or soon after, so the guard
/// ends within seconds. A guard that does not end was stopped by its program, and is killed.
pub(super) struct GuardProcess(Option<Child>);

impl GuardProcess {
    pub(super) fn new(guard: Child) -> GuardProcess {
        GuardProcess(Some(guard))
    }

    /// Continues a guard that was stopped.
    pub(super) fn resume(&mut self) {
        if let Some(guard) = &mut self.0
            && matches!(guard.try_wait(), Ok(None))
        {
            // The guard is a child that has not been reaped, so the pid is still its own.
            kill_process(Pid::from_child(guard), Signal::CONT).ok();
        }
    }

    /// Kills the tree and the guard. Returns the number of survivors.
    pub(super) fn kill_tree(&mut self) -> usize {
        self.0.as_mut().map_or(0, kill_tree)
    }
}

impl Drop for GuardProcess {
    fn drop(&mut self) {
        if let Some(guard) = self.0.take() {
            reap(guard);
        }
    }
}

fn reap(mut guard: Child) {
    if matches!(guard.try_wait(), Ok(None))
        && let Some(queue) = QUEUE.get_or_init(start)
    {
        // Fails when the thread is gone; then the system reaps the guard after this process ends.
        queue.send(guard).ok();
    }
}

fn start() -> Option<Sender<Child>> {
    let (sender, guards) = channel::<Child>();
    let wait = move || {
        for mut guard in guards {
            wait(&mut guard);
        }
    };
    let thread = thread::Builder::new().name("attache-reaper".to_owned());
    thread.spawn(wait).is_ok().then_some(sender)
}

// These fail when other code of this program has reaped the guard, which has the same effect.
fn wait(guard: &mut Child) {
    let end = Instant::now() + EXIT_TIMEOUT;
    let mut pause = Duration::from_millis(1);
    while matches!(guard.try_wait(), Ok(None)) {
        if Instant::now() > end {
            kill_tree(guard);
            return;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Kills the descendants of a guard, then the guard. The tree stays below the guard while the guard lives, even if stopped.
fn kill_tree(guard: &mut Child) -> usize {
    let end = Instant::now() + KILL_TIMEOUT;
    let mut left = 0;
    while matches!(guard.try_wait(), Ok(None)) {
        let tree = process_tree::descendants(Pid::from_child(guard));
        let living = tree.iter().filter(|held| !process_tree::has_ended(held));
        left = living
            .filter(|held| pidfd_send_signal(held, Signal::KILL).is_ok())
            .count();
        if left == 0 || Instant::now() > end {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    guard.kill().and_then(|()| guard.wait()).ok();
    left
}

const KILL_TIMEOUT: Duration = Duration::from_millis(500);
/// Longer than a guard takes to kill its tree.
const EXIT_TIMEOUT: Duration = Duration::from_secs(4);

static QUEUE: OnceLock<Option<Sender<Child>>> = OnceLock::new();
