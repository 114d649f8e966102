//! A running agent and the custody of its tree. Dropping it kills the tree.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::stdio::SharedStdin;
use super::{
    ChildExit, ExecEvents, ExitStatus, Pipes, Progress, StartedProgram, StderrTail, Stdin, Stdout,
    StopStep, StopTimeouts, platform,
};

/// A running agent. When the value is dropped, or the tokio runtime it was spawned in shuts down, its whole tree is
/// killed at once, without waiting.
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

/// How far custody of a child's tree reaches. `docs/processes.md` compares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Custody {
    /// A guard process stands between us and the agent, and ends the whole tree however either of us ends.
    Guard,
    /// The agent is our own child. What left its process group can survive.
    Direct,
}

impl Child {
    pub(super) fn piped(
        started: StartedProgram,
        pipes: Pipes,
        tail: usize,
    ) -> (Child, Stdin, Stdout) {
        let stdin_pipe = SharedStdin::new(pipes.stdin);
        let stdin = Stdin::new(stdin_pipe.clone());
        let stderr = StderrTail::of(pipes.stderr, tail);
        let child = Child::new(started, stdin_pipe, stderr);
        (child, stdin, Stdout::new(pipes.stdout))
    }

    /// One whose standard input and standard error are none of our business.
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

    pub(super) fn keep(mut self, stdin: Stdin, stdout: Stdout) -> Child {
        self.stdin = Some(stdin);
        self.stdout = Some(stdout);
        self
    }

    /// The agent's process id, to show to people. Signals go through [`Child::stop`] and [`Child::kill`].
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How far custody of the tree reaches.
    pub fn custody(&self) -> Custody {
        self.custody
    }

    /// Our end of its standard input, once.
    pub fn take_stdin(&mut self) -> Option<Stdin> {
        self.stdin.take()
    }

    /// Our end of its standard output, once.
    pub fn take_stdout(&mut self) -> Option<Stdout> {
        self.stdout.take()
    }

    /// What the tree executes, once; `None` if the program is not watched. Nobody is asked as long as this is not taken.
    pub fn take_exec_events(&mut self) -> Option<ExecEvents> {
        self.execs.take()
    }

    /// The end of what it wrote to standard error.
    pub fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// Waits until the agent's own process has ended; what it started may still run. Any number of callers may wait,
    /// and each may give up.
    pub async fn exited(&self) -> ExitStatus {
        let mut progress = self.progress.clone();
        let ended = progress.wait_for(|now| now.status.is_some()).await;
        ended.map_or(ExitStatus::Lost, |now| {
            now.status.unwrap_or(ExitStatus::Lost)
        })
    }

    /// Waits until the agent and its tree have ended. Any number of callers may wait, and each may give up.
    pub async fn wait(&self) -> ChildExit {
        let mut progress = self.progress.clone();
        let last = match progress.wait_for(|now| now.survivors.is_some()).await {
            Ok(last) => *last,
            Err(_) => Progress::default(),
        };
        self.stderr.settle().await;
        self.exit(last)
    }

    /// Ends the agent step by step, then everything it started: closes its standard input even if somebody still
    /// writes to it, then SIGTERM, then SIGKILL. On an agent that has ended this only tells how. A tree whose guard
    /// does not tell that it has ended is killed without the guard after some seconds.
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

    /// Kills the agent and everything it started, without waiting.
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

    /// Without a guard, those who left the process group can only be found while the agent lives.
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

    /// Whether it comes to this in time; an agent nobody can tell about any more counts as one that has ended.
    async fn reaches(&self, limit: Duration, wanted: impl FnMut(&Progress) -> bool) -> bool {
        let mut progress = self.progress.clone();
        tokio::time::timeout(limit, progress.wait_for(wanted))
            .await
            .is_ok()
    }
}

impl Drop for Child {
    // Before the pipes close: an agent that ends with its input can no longer be asked for its descendants.
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
/// A sweep takes two seconds at most; more means that the guard was stopped, as a hostile program can do.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);
