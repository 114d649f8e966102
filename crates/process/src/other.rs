//! Systems other than Linux: the program is a direct child, in a process group of its own if the system has groups.
//! Processes that leave the group survive, and so do all processes if this process is killed.

use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus as StdExitStatus, Stdio};
use std::sync::Arc;

use tokio::process::{self, Command};
use tokio::sync::{Notify, watch};

use super::{
    Custody, Error, ExecSupport, ExitStatus, Pipes, Program, Progress, Signal, StartedProgram,
    Unsupported,
};

pub(super) type Input = process::ChildStdin;
pub(super) type Output = process::ChildStdout;
pub(super) type ErrorOutput = process::ChildStderr;

pub(super) async fn start(program: &Program) -> Result<(StartedProgram, Pipes), Error> {
    let mut command = command(program);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    group::own(&mut command);
    let mut child = spawn(program, command)?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(start_error(program, io::ErrorKind::BrokenPipe.into()));
    };
    let pipes = Pipes {
        stdin,
        stdout,
        stderr,
    };
    Ok((track(child), pipes))
}

pub(super) async fn start_with_pipes(
    program: &Program,
    stdin: PipeReader,
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> Result<StartedProgram, Error> {
    let mut command = command(program);
    command.stdin(stdin);
    command.stdout(stdout);
    command.stderr(stderr);
    group::own(&mut command);
    Ok(track(spawn(program, command)?))
}

pub(super) async fn start_captured(program: &Program) -> Result<(StartedProgram, Output), Error> {
    let mut command = command(program);
    command.stdin(Stdio::null());
    let output = captured_output(&mut command).map_err(|error| start_error(program, error))?;
    group::own(&mut command);
    Ok((track(spawn(program, command)?), output))
}

pub(super) async fn start_attached(program: &Program) -> Result<StartedProgram, Error> {
    let command = command(program);
    Ok(track(spawn(program, command)?))
}

pub(super) fn is_drained(_: &Output) -> bool {
    false
}

pub(super) fn namespace_support() -> Result<(), Unsupported> {
    Err(Unsupported {
        reason: MISSING,
        fix: "run agents on Linux, in a container or in a virtual machine",
    })
}

pub(super) fn exec_support() -> ExecSupport {
    ExecSupport::Missing { reason: MISSING }
}

/// Never exists: programs cannot be watched on this system.
pub(super) struct AnswerSocket;

impl AnswerSocket {
    pub(super) fn answer(&self, _: u64, _: bool) {}
}

fn captured_output(command: &mut Command) -> io::Result<Output> {
    let (output, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?);
    command.stderr(writer);
    process::ChildStdout::from_std(group::output(output))
}

fn spawn(program: &Program, mut command: Command) -> Result<process::Child, Error> {
    if program.confinement.needs_namespace() {
        return Err(Error::Sandbox {
            program: PathBuf::from(&program.name),
            reason: MISSING.to_owned(),
        });
    }
    if program.watch.is_some() {
        return Err(Error::Watch {
            program: PathBuf::from(&program.name),
            reason: MISSING.to_owned(),
        });
    }
    if let Some(cwd) = &program.cwd {
        enterable(cwd).map_err(|source| Error::Directory {
            path: cwd.clone(),
            source,
        })?;
    }
    command.spawn().map_err(|error| start_error(program, error))
}

fn track(child: process::Child) -> StartedProgram {
    let orders = Arc::new(Orders::default());
    let pid = child.id().unwrap_or_default();
    let (sender, progress) = watch::channel(Progress::default());
    tokio::spawn(follow(child, Arc::clone(&orders), sender));
    StartedProgram {
        pid,
        custody: Custody::Direct,
        tree: TreeHandle(orders),
        progress,
        execs: None,
    }
}

/// Does nothing: this system has no guard.
pub(super) fn guard_if_asked() {}

pub(super) fn forbid_inspection() -> std::io::Result<()> {
    Ok(())
}

/// The owner's handle to a child. Dropping it kills the child.
pub(super) struct TreeHandle(Arc<Orders>);

#[derive(Default)]
struct Orders {
    note_descendants: Notify,
    terminate: Notify,
    kill: Notify,
}

impl TreeHandle {
    pub(super) fn note_descendants(&self) {
        self.0.note_descendants.notify_one();
    }

    pub(super) fn terminate(&self) {
        self.0.terminate.notify_one();
    }

    pub(super) fn kill(&self) {
        self.0.kill.notify_one();
    }

    /// Only counts the survivors: there is no guard to bypass.
    pub(super) async fn kill_by_force(&self) -> usize {
        1
    }
}

impl Drop for TreeHandle {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn follow(mut child: process::Child, orders: Arc<Orders>, progress: watch::Sender<Progress>) {
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            () = orders.note_descendants.notified() => progress.send_modify(|now| now.descendants_noted = true),
            () = orders.terminate.notified() => group::terminate(&mut child),
            () = orders.kill.notified() => group::kill(&mut child),
        }
    };
    progress.send_modify(|now| {
        now.status = Some(status.map_or(ExitStatus::Lost, exit_status));
        now.survivors = Some(0);
    });
}

fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.name);
    command.args(&program.args).kill_on_drop(true);
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
    command
}

fn enterable(cwd: &Path) -> io::Result<()> {
    match cwd.metadata()?.is_dir() {
        true => Ok(()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

fn start_error(program: &Program, source: io::Error) -> Error {
    let program = PathBuf::from(&program.name);
    match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { program },
        io::ErrorKind::PermissionDenied => Error::NotExecutable { program, source },
        _ => Error::Start { program, source },
    }
}

fn exit_status(status: StdExitStatus) -> ExitStatus {
    match (status.code(), group::signal(status)) {
        (Some(code), _) => ExitStatus::Exited(code),
        (None, Some(signal)) => ExitStatus::Signaled(Signal(signal)),
        (None, None) => ExitStatus::Lost,
    }
}

const MISSING: &str = "only Linux can do that";

#[cfg(unix)]
mod group {
    use std::io::PipeReader;
    use std::os::fd::OwnedFd;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{ChildStdout, ExitStatus as StdExitStatus};

    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::process::{Child, Command};

    pub(super) fn own(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn output(pipe: PipeReader) -> ChildStdout {
        OwnedFd::from(pipe).into()
    }

    pub(super) fn terminate(child: &mut Child) {
        // Fails if the child has just ended, which is the goal.
        send(child, Signal::TERM).ok();
    }

    pub(super) fn kill(child: &mut Child) {
        // A child on the terminal of this process leads no group.
        if send(child, Signal::KILL).is_err() {
            child.start_kill().ok();
        }
    }

    pub(super) fn signal(status: StdExitStatus) -> Option<i32> {
        status.signal()
    }

    // The id stays reserved until the child has been waited for, so the group is still the child's.
    fn send(child: &Child, signal: Signal) -> Result<(), Errno> {
        let pid = child.id().and_then(|id| id.try_into().ok());
        let pid = pid.and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        kill_process_group(pid, signal)
    }
}

#[cfg(not(unix))]
mod group {
    use std::io::PipeReader;
    use std::os::windows::io::OwnedHandle;
    use std::process::{ChildStdout, ExitStatus as StdExitStatus};

    use tokio::process::{Child, Command};

    pub(super) fn own(_: &mut Command) {}

    pub(super) fn output(pipe: PipeReader) -> ChildStdout {
        OwnedHandle::from(pipe).into()
    }

    /// Does nothing: this system has no SIGTERM.
    pub(super) fn terminate(_: &mut Child) {}

    pub(super) fn kill(child: &mut Child) {
        // Fails if the child has just ended, which is the goal.
        child.start_kill().ok();
    }

    pub(super) fn signal(_: StdExitStatus) -> Option<i32> {
        None
    }
}
