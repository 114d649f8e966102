//! Waits for guards that are about to end, so that none stays a zombie and nobody has to wait for it.

use std::process::Child;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A guard that is waited for when nobody needs it any more. Its control socket is then shut, or about to be, so that
/// it ends within seconds; one that does not was stopped, and is killed.
pub(super) struct Guard(Option<Child>);

impl Guard {
    pub(super) fn new(guard: Child) -> Guard {
        Guard(Some(guard))
    }
}

impl Drop for Guard {
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
    let end = Instant::now() + LIMIT;
    let mut pause = Duration::from_millis(1);
    while matches!(guard.try_wait(), Ok(None)) {
        if Instant::now() > end {
            guard.kill().and_then(|()| guard.wait()).ok();
            return;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Longer than a sweep takes.
const LIMIT: Duration = Duration::from_secs(4);

static QUEUE: OnceLock<Option<Sender<Child>>> = OnceLock::new();
