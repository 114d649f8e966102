//! Systems other than Linux: the agent is our own child, in a process group of its own where there are groups. What
//! leaves the group is out of reach, and so is everything when we are killed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use tokio::process::{self, Command};
use tokio::sync::{Notify, watch};

use super::{Custody, Error, Program, Progress, Signal, Started, Status};

pub(super) type Input = process::ChildStdin;
pub(super) type Output = process::ChildStdout;
pub(super) type ErrorOutput = process::ChildStderr;

pub(super) async fn start(program: &Program) -> Result<Started, Error> {
    if let Some(cwd) = &program.cwd {
        enterable(cwd).map_err(|source| Error::Directory {
            path: cwd.clone(),
            source,
        })?;
    }
    let mut child = command(program)
        .spawn()
        .map_err(|error| refusal(program, error))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(refusal(program, io::ErrorKind::BrokenPipe.into()));
    };
    let orders = Arc::new(Orders::default());
    let pid = child.id().unwrap_or_default();
    let (sender, progress) = watch::channel(Progress::default());
    tokio::spawn(follow(child, Arc::clone(&orders), sender));
    Ok(Started {
        pid,
        custody: Custody::Direct,
        stdin,
        stdout,
        stderr,
        leash: Leash(orders),
        progress,
    })
}

/// There is no guard here.
pub(super) fn guard_if_asked() {}

/// The owner's hold on a child. When it is dropped, the child is killed.
pub(super) struct Leash(Arc<Orders>);

#[derive(Default)]
struct Orders {
    look: Notify,
    term: Notify,
    kill: Notify,
}

impl Leash {
    pub(super) fn look(&self) {
        self.0.look.notify_one();
    }

    pub(super) fn term(&self) {
        self.0.term.notify_one();
    }

    pub(super) fn kill(&self) {
        self.0.kill.notify_one();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn follow(mut child: process::Child, orders: Arc<Orders>, progress: watch::Sender<Progress>) {
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            () = orders.look.notified() => progress.send_modify(|now| now.looked = true),
            () = orders.term.notified() => group::term(&mut child),
            () = orders.kill.notified() => group::kill(&mut child),
        }
    };
    progress.send_modify(|now| {
        now.status = Some(status.map_or(Status::Lost, outcome));
        now.survivors = Some(0);
    });
}

fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.name);
    command.args(&program.args).kill_on_drop(true);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    if !program.inherits {
        command.env_clear();
    }
    for (name, value) in &program.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    group::own(&mut command);
    command
}

fn enterable(cwd: &Path) -> io::Result<()> {
    match cwd.metadata()?.is_dir() {
        true => Ok(()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

fn refusal(program: &Program, source: io::Error) -> Error {
    let program = PathBuf::from(&program.name);
    match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { program },
        io::ErrorKind::PermissionDenied => Error::NotExecutable { program, source },
        _ => Error::Start { program, source },
    }
}

fn outcome(status: ExitStatus) -> Status {
    match (status.code(), group::signal(status)) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signaled(Signal(signal)),
        (None, None) => Status::Lost,
    }
}

#[cfg(unix)]
mod group {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::process::{Child, Command};

    pub(super) fn own(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn term(child: &mut Child) {
        send(child, Signal::TERM);
    }

    pub(super) fn kill(child: &mut Child) {
        send(child, Signal::KILL);
    }

    pub(super) fn signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    // The id is there until the child was waited for, so the group is still its own.
    fn send(child: &Child, signal: Signal) {
        let pid = child.id().and_then(|id| id.try_into().ok());
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            // It fails when the child has just ended, which is what was wanted.
            kill_process_group(pid, signal).ok();
        }
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::ExitStatus;

    use tokio::process::{Child, Command};

    pub(super) fn own(_: &mut Command) {}

    /// There is no signal to ask with.
    pub(super) fn term(_: &mut Child) {}

    pub(super) fn kill(child: &mut Child) {
        // It fails when the child has just ended, which is what was wanted.
        child.start_kill().ok();
    }

    pub(super) fn signal(_: ExitStatus) -> Option<i32> {
        None
    }
}
