//! A running child process and its process tree.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::stderr_tail::StderrCopy;
use super::stdio::SharedStdin;
use super::{
    ChildExit, ExecEvents, ExitStatus, Pipes, Progress, StartedProgram, StderrTail, Stdin, Stdout,
    StopStep, StopTimeouts, platform,
};

/// A running child process and everything it has started. When this value is dropped, or the tokio runtime it was spawned
/// in shuts down, the whole process tree is killed at once, without waiting.
pub struct Child {
    pid: u32,
    custody: Custody,
    stdin_pipe: SharedStdin,
    stdin: Option<Stdin>,
    stdout: Option<Stdout>,
    stderr: StderrTail,
    step: Mutex<StopStep>,
    tree: platform::TreeHandle,
    progress: watch::Receiver<Progress>,
    execs: Option<ExecEvents>,
}

/// How reliably a child's process tree is killed. `docs/processes.md` compares the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Custody {
    /// A guard process between this process and the child kills the whole tree, however either of them ends.
    Guard,
    /// The program is a direct child of this process. Processes that have left its process group can survive.
    Direct,
}

impl Child {
    pub(super) fn piped(
        started: StartedProgram,
        pipes: Pipes,
        tail: usize,
        copy: StderrCopy,
    ) -> (Child, Stdin, Stdout) {
        let stdin_pipe = SharedStdin::new(pipes.stdin);
        let stdin = Stdin::new(stdin_pipe.clone());
        let stderr = StderrTail::of(pipes.stderr, tail, copy);
        let child = Child::new(started, stdin_pipe, stderr);
        (child, stdin, Stdout::new(pipes.stdout))
    }

    /// A child without pipes for standard input and standard error.
    pub(super) fn captured(started: StartedProgram) -> Child {
        Child::new(started, SharedStdin::closed(), StderrTail::empty())
    }

    fn new(started: StartedProgram, stdin_pipe: SharedStdin, stderr: StderrTail) -> Child {
        Child {
            pid: started.pid,
            custody: started.custody,
            stdin_pipe,
            stdin: None,
            stdout: None,
            stderr,
            step: Mutex::new(StopStep::Own),
            tree: started.tree,
            progress: started.progress,
            execs: started.execs,
        }
    }

    pub(super) fn with_stdio(mut self, stdin: Stdin, stdout: Stdout) -> Child {
        self.stdin = Some(stdin);
        self.stdout = Some(stdout);
        self
    }

    /// The child's process id, for display. To end the child, use [`Child::stop`] or [`Child::kill`].
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How reliably the process tree is killed.
    pub fn custody(&self) -> Custody {
        self.custody
    }

    /// Returns the pipe to the child's standard input. Returns `None` after the first call.
    pub fn take_stdin(&mut self) -> Option<Stdin> {
        self.stdin.take()
    }

    /// Returns the pipe from the child's standard output. Returns `None` after the first call.
    pub fn take_stdout(&mut self) -> Option<Stdout> {
        self.stdout.take()
    }

    /// Returns the events of a program that is watched with [`Program::watch`](super::Program::watch). Returns `None` after
    /// the first call, or if the program is not watched. Requests wait until the events are taken.
    pub fn take_exec_events(&mut self) -> Option<ExecEvents> {
        self.execs.take()
    }

    /// The last bytes that the child wrote to standard error.
    pub fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// Waits until the child's own process has ended; processes it started may still run. Any number of tasks may wait, and
    /// dropping the future is fine.
    pub async fn exited(&self) -> ExitStatus {
        let mut progress = self.progress.clone();
        let ended = progress.wait_for(|now| now.status.is_some()).await;
        ended.map_or(ExitStatus::Lost, |now| {
            now.status.unwrap_or(ExitStatus::Lost)
        })
    }

    /// Waits until the child and its whole process tree have ended. Any number of tasks may wait, and dropping the future
    /// is fine.
    pub async fn wait(&self) -> ChildExit {
        let mut progress = self.progress.clone();
        let last = match progress.wait_for(|now| now.survivors.is_some()).await {
            Ok(last) => *last,
            Err(_) => Progress::default(),
        };
        self.stderr.settle().await;
        self.exit(last)
    }

    /// Stops the child step by step, then kills everything it started: closes its standard input even if a task is
    /// still writing to it, then sends SIGTERM, then SIGKILL. If the child has already ended, only returns how it
    /// ended. If the guard does not report the end of the tree within a few seconds, kills the tree without the guard.
    pub async fn stop(&self, timeouts: StopTimeouts) -> ChildExit {
        self.note_descendants().await;
        self.raise(StopStep::Close);
        self.stdin_pipe.close();
        if !self.ends_within(timeouts.after_close).await {
            self.raise(StopStep::Term);
            self.tree.terminate();
            if !self.ends_within(timeouts.after_term).await {
                self.raise(StopStep::Kill);
            }
        }
        self.tree.kill();
        if let Ok(exit) = tokio::time::timeout(STOP_TIMEOUT, self.wait()).await {
            return exit;
        }
        let survivors = self.tree.kill_by_force().await;
        self.exit(Progress {
            survivors: Some(survivors.try_into().unwrap_or(u32::MAX)),
            ..*self.progress.borrow()
        })
    }

    /// Kills the child and everything it started, without waiting.
    pub fn kill(&self) {
        self.raise(StopStep::Kill);
        self.tree.kill();
    }

    fn exit(&self, last: Progress) -> ChildExit {
        ChildExit {
            status: last.status.unwrap_or(ExitStatus::Lost),
            step: *self.step.lock().unwrap_or_else(PoisonError::into_inner),
            stderr: self.stderr.text(),
            survivors: last.survivors.unwrap_or(0),
        }
    }

    fn raise(&self, step: StopStep) {
        if self.progress.borrow().status.is_none() {
            let mut highest = self.step.lock().unwrap_or_else(PoisonError::into_inner);
            *highest = step.max(*highest);
        }
    }

    /// Records the child's descendants. Without a guard, descendants that have left the process group can only be found
    /// while the child is running.
    async fn note_descendants(&self) {
        if self.custody == Custody::Direct {
            self.tree.note_descendants();
            self.reaches(NOTE_DESCENDANTS, |now| {
                now.descendants_noted || now.status.is_some()
            })
            .await;
        }
    }

    async fn ends_within(&self, limit: Duration) -> bool {
        self.reaches(limit, |now| now.status.is_some()).await
    }

    /// Waits for a state until the deadline, and returns whether it was reached. If the guard is gone, the child counts as
    /// ended.
    async fn reaches(&self, limit: Duration, wanted: impl FnMut(&Progress) -> bool) -> bool {
        let mut progress = self.progress.clone();
        tokio::time::timeout(limit, progress.wait_for(wanted))
            .await
            .is_ok()
    }
}

impl Drop for Child {
    // Kills the tree before the pipes close: if the child ended because its input closed, its descendants could no
    // longer be found.
    fn drop(&mut self) {
        self.tree.kill();
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Child")
            .field("pid", &self.pid)
            .field("custody", &self.custody)
            .finish_non_exhaustive()
    }
}

const NOTE_DESCENDANTS: Duration = Duration::from_millis(200);
/// A guard kills the tree within two seconds. If that takes longer, a hostile program has stopped the guard.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);
