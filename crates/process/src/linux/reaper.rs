//! Waits for guards that are about to end, so that none stays a zombie and nobody has to wait for it. A hostile program can
//! stop its guard; then the tree is ended from here.

use std::process::Child;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, pidfd_send_signal};

use super::process_tree;

/// A guard that is waited for when nobody needs it any more. Its control socket is then shut, or about to be, so that
/// it ends within seconds; one that does not was stopped, and is killed.
pub(super) struct GuardProcess(Option<Child>);

impl GuardProcess {
    pub(super) fn new(guard: Child) -> GuardProcess {
        GuardProcess(Some(guard))
    }

    /// Lets a guard go on that was stopped.
    pub(super) fn resume(&mut self) {
        if let Some(guard) = &mut self.0
            && matches!(guard.try_wait(), Ok(None))
        {
            // It is our child and not waited for, so this is its pid.
            kill_process(Pid::from_child(guard), Signal::CONT).ok();
        }
    }

    /// Kills the tree and the guard with it; tells how many outlived that.
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
        // It fails when the thread is gone, and then the system reaps the guard after us.
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

// These fail when the program reaps its children elsewhere, which is as good.
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

/// As long as a guard lives, its tree stays below it, also if it was stopped.
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
/// Longer than a sweep takes.
const EXIT_TIMEOUT: Duration = Duration::from_secs(4);

static QUEUE: OnceLock<Option<Sender<Child>>> = OnceLock::new();
