//! Linux: the owner's side of a supervised process tree. The other side is the `keeper`, a guard process or a thread. They
//! communicate over a socket pair; when the owner's end closes, the keeper kills the tree.

mod binfmt;
mod child_setup;
mod exec_channel;
mod exec_recheck;
mod exec_records;
mod exec_wire;
mod file_cache;
mod image;
mod keeper;
mod lookup;
mod memory;
mod namespace;
pub(super) mod process_tree;
mod seccomp;
mod seccomp_filter;
mod supervisor;
mod tracee;
mod tree_handle;
mod watch_setup;
mod wire;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use super::{
    Custody, Error, ExecSupport, ExitStatus, Pipes, Program, Progress, StartedProgram, Unsupported,
    guard,
};
pub(super) use exec_channel::AnswerSocket;
pub(super) use tree_handle::TreeHandle;
use tree_handle::{GuardProcess, KeeperConnection};
use wire::{JobFiles, Report, StartFailure};

pub(super) type Input = pipe::Sender;
pub(super) type Output = pipe::Receiver;
pub(super) type ErrorOutput = pipe::Receiver;

pub(super) async fn start(program: &Program) -> Result<(StartedProgram, Pipes), Error> {
    let (stdio, ours) = pipes().map_err(|source| custody_error(program, source))?;
    Ok((start_with(program, StdioMode::Piped, stdio).await?, ours))
}

pub(super) async fn start_with_pipes(
    program: &Program,
    stdin: PipeReader,
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> Result<StartedProgram, Error> {
    let stdio = [stdin.into(), stdout.into(), stderr.into()];
    start_with(program, StdioMode::Piped, stdio).await
}

pub(super) async fn start_captured(program: &Program) -> Result<(StartedProgram, Output), Error> {
    let (stdio, output) = captured_output().map_err(|source| custody_error(program, source))?;
    Ok((
        start_with(program, StdioMode::Captured, stdio).await?,
        output,
    ))
}

pub(super) async fn start_attached(program: &Program) -> Result<StartedProgram, Error> {
    let stdio = own_stdio().map_err(|source| custody_error(program, source))?;
    start_with(program, StdioMode::Attached, stdio).await
}

pub(super) fn is_drained(output: &Output) -> bool {
    rustix::io::ioctl_fionread(output).is_ok_and(|waiting| waiting == 0)
}

pub(super) fn namespace_support() -> Result<(), Unsupported> {
    namespace::support()
}

pub(super) fn exec_support() -> ExecSupport {
    watch_setup::support()
}

/// Keeps other processes of the same user from reading this one's memory and environment.
pub(super) fn forbid_inspection() -> io::Result<()> {
    child_setup::forbid_inspection()
}

/// Runs the guard or the namespace probe if the arguments of this process say so.
pub(super) fn guard_if_asked() {
    let args: Vec<_> = std::env::args_os().take(3).collect();
    if args == [OsStr::new(GUARD), OsStr::new(GUARD_ARGUMENT)] {
        std::process::exit(keeper::guard());
    }
    if args == [OsStr::new(GUARD), OsStr::new(PROBE_ARGUMENT)] {
        std::process::exit(namespace::run_probe());
    }
}

/// How a program's standard streams are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StdioMode {
    /// Three pipes. The process tree is killed when the program ends.
    Piped,
    /// No input, and one pipe for standard output and standard error. Background processes live until the child is stopped.
    Captured,
    /// The streams and the terminal of this process. Processes in sessions of their own, such as a browser, outlive the
    /// program.
    Attached,
}

fn pipes() -> io::Result<([OwnedFd; 3], Pipes)> {
    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = io::pipe()?;
    let ours = Pipes {
        stdin: pipe::Sender::from_owned_fd(stdin.into())?,
        stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
        stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
    };
    let theirs = [their_stdin.into(), their_stdout.into(), their_stderr.into()];
    Ok((theirs, ours))
}

/// An empty standard input, and one pipe for standard output and standard error.
fn captured_output() -> io::Result<([OwnedFd; 3], Output)> {
    let nothing = File::open("/dev/null")?;
    let (output, writer) = io::pipe()?;
    let output = pipe::Receiver::from_owned_fd(output.into())?;
    let stdio = [nothing.into(), writer.try_clone()?.into(), writer.into()];
    Ok((stdio, output))
}

fn own_stdio() -> io::Result<[OwnedFd; 3]> {
    Ok([
        io::stdin().as_fd().try_clone_to_owned()?,
        io::stdout().as_fd().try_clone_to_owned()?,
        io::stderr().as_fd().try_clone_to_owned()?,
    ])
}

async fn start_with(
    program: &Program,
    mode: StdioMode,
    stdio: [OwnedFd; 3],
) -> Result<StartedProgram, Error> {
    let (channel, execs) = match &program.watch {
        Some(_) => {
            let (channel, theirs) =
                exec_channel::pair().map_err(|source| custody_error(program, source))?;
            (Some(channel), Some(theirs))
        }
        None => (None, None),
    };
    let files = JobFiles {
        stdio,
        landlock_ruleset: program.confinement.landlock_ruleset.clone(),
        signal_scope: program.confinement.signal_scope.clone(),
        directory: program.directory.clone(),
        execs,
    };
    let handed = hand_over(program, mode, files).await;
    match (
        handed.map_err(|source| custody_error(program, source))?,
        channel,
    ) {
        (Ok(mut started), channel) => {
            started.execs = channel.map(exec_channel::OwnerSocket::open);
            Ok(started)
        }
        (Err((StartFailure::Program, Errno::ACCESS)), Some(channel)) => {
            Err(match channel.denial().await {
                Some(why) => Error::Denied {
                    program: name(program),
                    why,
                },
                None => start_error(program, StartFailure::Program, Errno::ACCESS),
            })
        }
        (Err((failure, errno)), _) => Err(start_error(program, failure, errno)),
    }
}

async fn hand_over(
    program: &Program,
    mode: StdioMode,
    files: JobFiles,
) -> io::Result<Result<StartedProgram, (StartFailure, Errno)>> {
    let (ours, theirs) = StdStream::pair()?;
    let (guard, custody) = keeper(theirs, program)?;
    wire::send_files(&ours, &files)?;
    drop(files);
    ours.set_nonblocking(true)?;
    let connection = Arc::new(KeeperConnection {
        control: UnixStream::from_std(ours)?,
        guard: Mutex::new(guard),
    });
    let tree = TreeHandle(Arc::clone(&connection));
    let pid = match first_report(&connection.control, &wire::job(program, mode)?).await? {
        Report::Started(pid) => pid.cast_unsigned(),
        Report::Failed(failure, errno) => {
            return Ok(Err((failure, Errno::from_raw_os_error(errno))));
        }
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let (sender, progress) = watch::channel(Progress::default());
    tokio::spawn(follow_reports(TreeHandle(connection), sender));
    Ok(Ok(StartedProgram {
        pid,
        custody,
        tree,
        progress,
        execs: None,
    }))
}

/// Starts the keeper: a guard process if this executable can be one, otherwise a thread.
fn keeper(control: StdStream, program: &Program) -> io::Result<(Option<GuardProcess>, Custody)> {
    if !guard::is_ready() {
        let keeper = move || keeper::thread(&control);
        thread::Builder::new()
            .name("attache-keeper".to_owned())
            .spawn(keeper)?;
        return Ok((None, Custody::Direct));
    }
    let mut command = Command::new("/proc/self/exe");
    // A program that does not inherit the environment must not find it in its parent process. The guard needs PATH to find
    // the programs it judges.
    if !program.inherits {
        command.env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    }
    let guard = command
        .arg0(GUARD)
        .arg(GUARD_ARGUMENT)
        .stdin(Stdio::from(OwnedFd::from(control)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok((Some(GuardProcess::new(guard)), Custody::Guard))
}

/// Publishes the keeper's reports until the keeper is gone.
async fn follow_reports(tree: TreeHandle, progress: watch::Sender<Progress>) {
    while let Ok(report) = read_report(&tree.0.control).await {
        progress.send_modify(|now| match report {
            Report::DescendantsNoted => now.descendants_noted = true,
            Report::Ended(status) => now.status = Some(status),
            Report::Swept(survivors) => now.survivors = Some(survivors.cast_unsigned()),
            Report::Started(_) | Report::Failed(..) => {}
        });
    }
    progress.send_modify(|now| {
        now.status.get_or_insert(ExitStatus::Lost);
        now.survivors.get_or_insert(0);
    });
}

async fn first_report(control: &UnixStream, job: &[u8]) -> io::Result<Report> {
    let report = async {
        write(control, job).await?;
        read_report(control).await
    };
    // A hostile program can stop its guard before it reports anything.
    let report = tokio::time::timeout(START_TIMEOUT, report).await;
    let report = report.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    report.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset => io::Error::other(UNGUARDED),
        _ => error,
    })
}

async fn read_report(control: &UnixStream) -> io::Result<Report> {
    let mut frame = [0; wire::FRAME];
    let mut filled = 0;
    while filled < frame.len() {
        control.readable().await?;
        match control.try_read(&mut frame[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Report::read(frame).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

async fn write(control: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        control.writable().await?;
        match control.try_write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn custody_error(program: &Program, source: io::Error) -> Error {
    Error::Custody {
        program: name(program),
        source,
    }
}

fn start_error(program: &Program, failure: StartFailure, errno: Errno) -> Error {
    let source = io::Error::from(errno);
    let program_name = name(program);
    match (failure, errno) {
        (StartFailure::Directory, _) => Error::Directory {
            path: program.cwd.clone().unwrap_or_default(),
            source,
        },
        (StartFailure::Program, Errno::NOENT | Errno::NOTDIR) => Error::NotFound {
            program: program_name,
        },
        (StartFailure::Program, Errno::ACCESS | Errno::NOEXEC | Errno::ISDIR) => {
            Error::NotExecutable {
                program: program_name,
                source,
            }
        }
        (StartFailure::Program, _) => Error::Start {
            program: program_name,
            source,
        },
        (StartFailure::Custody, _) => custody_error(program, source),
        (StartFailure::Confinement, Errno::STALE) => Error::Moved {
            program: program_name,
        },
        (StartFailure::Confinement, Errno::TOOBIG) => Error::Sandbox {
            program: program_name,
            reason: TOO_MANY_MOUNTS.to_owned(),
        },
        (StartFailure::Confinement, _) => {
            let reason = match namespace::support() {
                Err(unsupported) => unsupported.to_string(),
                Ok(()) => source.to_string(),
            };
            Error::Sandbox {
                program: program_name,
                reason,
            }
        }
        (StartFailure::Watch, Errno::INVAL) if exec_support().is_available() => Error::Watch {
            program: program_name,
            reason: NO_JUDGE.to_owned(),
        },
        (StartFailure::Watch, _) => Error::Watch {
            program: program_name,
            reason: match exec_support() {
                ExecSupport::Missing { reason } => reason.to_owned(),
                ExecSupport::Full | ExecSupport::Restarting => source.to_string(),
            },
        },
    }
}

fn name(program: &Program) -> PathBuf {
    PathBuf::from(&program.name)
}

const GUARD: &str = "attache-guard";
const UNGUARDED: &str = "the guard ended at once; call guard::run_if_asked first thing in main";
const NO_JUDGE: &str =
    "there is no judge for these rules; call guard::judge_with before guard::run_if_asked";
const TOO_MANY_MOUNTS: &str = "the denied paths are visible in too many places: at most 2048 paths, directories above them and mounts that show them can be covered; unmount bind mounts, or deny directories in place of many files";
const GUARD_ARGUMENT: &str = "--keep";
const PROBE_ARGUMENT: &str = "--try-namespace";
const START_TIMEOUT: Duration = Duration::from_secs(20);
