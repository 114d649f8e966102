//! Linux: the owner's side of custody. The other side, a guard process or a thread, is `keeper`; they talk over a
//! socket pair, and when our end closes the tree dies.

mod bond;
mod exec_wire;
mod execs;
mod filter;
mod foreground;
mod formats;
mod handover;
mod image;
mod keeper;
mod known_files;
mod looks;
mod lookup;
mod memory;
mod namespace;
mod outbox;
mod own_mounts;
mod reaper;
mod records;
mod registered;
mod seccomp;
mod supervision;
mod supervisor;
mod sweep;
pub(super) mod table;
mod tracee;
mod view;
mod wire;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use super::{
    Custody, Error, ExecSupport, Pipes, Program, Progress, Started, Status, Unsupported, guard,
};
pub(super) use execs::AnswerSocket;
use wire::{Fault, Files, Report};

pub(super) type Input = pipe::Sender;
pub(super) type Output = pipe::Receiver;
pub(super) type ErrorOutput = pipe::Receiver;

pub(super) async fn start(program: &Program) -> Result<(Started, Pipes), Error> {
    let (stdio, ours) = pipes().map_err(|source| unguarded(program, source))?;
    Ok((open(program, Mode::Piped, stdio).await?, ours))
}

pub(super) async fn start_over(
    program: &Program,
    stdin: PipeReader,
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> Result<Started, Error> {
    let stdio = [stdin.into(), stdout.into(), stderr.into()];
    open(program, Mode::Piped, stdio).await
}

pub(super) async fn start_captured(program: &Program) -> Result<(Started, Output), Error> {
    let (stdio, output) = one_pipe().map_err(|source| unguarded(program, source))?;
    Ok((open(program, Mode::Captured, stdio).await?, output))
}

pub(super) async fn start_attached(program: &Program) -> Result<Started, Error> {
    let stdio = our_own().map_err(|source| unguarded(program, source))?;
    open(program, Mode::Attached, stdio).await
}

pub(super) fn is_drained(output: &Output) -> bool {
    rustix::io::ioctl_fionread(output).is_ok_and(|waiting| waiting == 0)
}

pub(super) fn namespace_support() -> Result<(), Unsupported> {
    namespace::support()
}

pub(super) fn exec_support() -> ExecSupport {
    handover::support()
}

/// Keeps other processes of the same user from reading this one's memory and environment.
pub(super) fn forbid_inspection() -> io::Result<()> {
    bond::hide()
}

/// Becomes the guard, or tries a namespace, if the arguments say so.
pub(super) fn guard_if_asked() {
    let args: Vec<_> = std::env::args_os().take(3).collect();
    if args == [OsStr::new(GUARD), OsStr::new(MARK)] {
        std::process::exit(keeper::guard());
    }
    if args == [OsStr::new(GUARD), OsStr::new(PROBE)] {
        std::process::exit(namespace::try_here());
    }
}

/// What a program's standard streams are, and with them what it is to the person: a partner, a command, or in charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A pipe each. Its tree ends with it.
    Piped,
    /// No input, and one pipe for both outputs. What it leaves behind lives until it is told to end.
    Captured,
    /// Ours, on our terminal. What it put in sessions of their own, such as a browser, outlives it.
    Attached,
}

/// The owner's hold on a tree. When any copy is dropped, the tree is killed.
pub(super) struct Leash(Arc<Hold>);

struct Hold {
    control: UnixStream,
    guard: Mutex<Option<reaper::Guard>>,
}

impl Leash {
    pub(super) fn look(&self) {
        self.ask(wire::LOOK);
    }

    pub(super) fn term(&self) {
        self.ask(wire::TERM);
    }

    pub(super) fn kill(&self) {
        // It fails when the other side is gone, and then there is nothing left to kill.
        shutdown(&self.0.control, Shutdown::Write).ok();
        self.0.with_guard(reaper::Guard::resume);
    }

    /// Kills the tree without its guard, which the tree can keep from its work; tells how many outlived that.
    pub(super) async fn kill_by_force(&self) -> usize {
        let hold = Arc::clone(&self.0);
        let kill = move || hold.with_guard(reaper::Guard::kill_tree);
        let killed = tokio::task::spawn_blocking(kill).await;
        killed.ok().flatten().unwrap_or(1)
    }

    fn ask(&self, order: u8) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        // It fails when the other side is gone, which the reports tell.
        send(&self.0.control, &[order], flags).ok();
    }
}

impl Hold {
    fn with_guard<T>(&self, act: impl FnOnce(&mut reaper::Guard) -> T) -> Option<T> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_mut().map(act)
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        shutdown(&self.0.control, Shutdown::Both).ok();
        self.0.with_guard(reaper::Guard::resume);
        let mut guard = self.0.guard.lock().unwrap_or_else(PoisonError::into_inner);
        drop(guard.take());
    }
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

/// Nothing to read, and one pipe to write to.
fn one_pipe() -> io::Result<([OwnedFd; 3], Output)> {
    let nothing = File::open("/dev/null")?;
    let (output, writer) = io::pipe()?;
    let output = pipe::Receiver::from_owned_fd(output.into())?;
    let stdio = [nothing.into(), writer.try_clone()?.into(), writer.into()];
    Ok((stdio, output))
}

fn our_own() -> io::Result<[OwnedFd; 3]> {
    Ok([
        io::stdin().as_fd().try_clone_to_owned()?,
        io::stdout().as_fd().try_clone_to_owned()?,
        io::stderr().as_fd().try_clone_to_owned()?,
    ])
}

async fn open(program: &Program, mode: Mode, stdio: [OwnedFd; 3]) -> Result<Started, Error> {
    let (channel, execs) = match &program.watch {
        Some(_) => {
            let (channel, theirs) = execs::pair().map_err(|source| unguarded(program, source))?;
            (Some(channel), Some(theirs))
        }
        None => (None, None),
    };
    let files = Files {
        stdio,
        landlock_ruleset: program.confinement.landlock_ruleset.clone(),
        directory: program.directory.clone(),
        execs,
    };
    let handed = hand_over(program, mode, files).await;
    match (
        handed.map_err(|source| unguarded(program, source))?,
        channel,
    ) {
        (Ok(mut started), channel) => {
            started.execs = channel.map(execs::Channel::open);
            Ok(started)
        }
        (Err((Fault::Program, Errno::ACCESS)), Some(channel)) => {
            Err(match channel.denial().await {
                Some(why) => Error::Denied {
                    program: name(program),
                    why,
                },
                None => refusal(program, Fault::Program, Errno::ACCESS),
            })
        }
        (Err((fault, errno)), _) => Err(refusal(program, fault, errno)),
    }
}

async fn hand_over(
    program: &Program,
    mode: Mode,
    files: Files,
) -> io::Result<Result<Started, (Fault, Errno)>> {
    let (ours, theirs) = StdStream::pair()?;
    let (guard, custody) = keeper(theirs, program)?;
    wire::send_files(&ours, &files)?;
    drop(files);
    ours.set_nonblocking(true)?;
    let hold = Arc::new(Hold {
        control: UnixStream::from_std(ours)?,
        guard: Mutex::new(guard),
    });
    let leash = Leash(Arc::clone(&hold));
    let pid = match first_report(&hold.control, &wire::job(program, mode)?).await? {
        Report::Started(pid) => pid.cast_unsigned(),
        Report::Failed(fault, errno) => return Ok(Err((fault, Errno::from_raw_os_error(errno)))),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let (sender, progress) = watch::channel(Progress::default());
    tokio::spawn(follow(Leash(hold), sender));
    Ok(Ok(Started {
        pid,
        custody,
        leash,
        progress,
        execs: None,
    }))
}

/// A guard process if this executable can be one, else a thread.
fn keeper(control: StdStream, program: &Program) -> io::Result<(Option<reaper::Guard>, Custody)> {
    if !guard::is_ready() {
        let keeper = move || keeper::thread(&control);
        thread::Builder::new()
            .name("attache-keeper".to_owned())
            .spawn(keeper)?;
        return Ok((None, Custody::Direct));
    }
    let mut command = Command::new("/proc/self/exe");
    // A program that is not to have our environment must not find it in the process above it. The guard needs to know
    // where programs are: it judges them by their files.
    if !program.inherits {
        command.env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    }
    let guard = command
        .arg0(GUARD)
        .arg(MARK)
        .stdin(Stdio::from(OwnedFd::from(control)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok((Some(reaper::Guard::new(guard)), Custody::Guard))
}

/// Tells what the other side reports, until it is gone.
async fn follow(leash: Leash, progress: watch::Sender<Progress>) {
    while let Ok(report) = report(&leash.0.control).await {
        progress.send_modify(|now| match report {
            Report::Looked => now.looked = true,
            Report::Ended(status) => now.status = Some(status),
            Report::Swept(survivors) => now.survivors = Some(survivors.cast_unsigned()),
            Report::Started(_) | Report::Failed(..) => {}
        });
    }
    progress.send_modify(|now| {
        now.status.get_or_insert(Status::Lost);
        now.survivors.get_or_insert(0);
    });
}

async fn first_report(control: &UnixStream, job: &[u8]) -> io::Result<Report> {
    let told = async {
        write(control, job).await?;
        report(control).await
    };
    // A hostile program can stop its guard before that has told anything.
    let told = tokio::time::timeout(START, told).await;
    let told = told.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    told.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset => io::Error::other(UNGUARDED),
        _ => error,
    })
}

async fn report(control: &UnixStream) -> io::Result<Report> {
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

fn unguarded(program: &Program, source: io::Error) -> Error {
    Error::Custody {
        program: name(program),
        source,
    }
}

fn refusal(program: &Program, fault: Fault, errno: Errno) -> Error {
    let source = io::Error::from(errno);
    let program_name = name(program);
    match (fault, errno) {
        (Fault::Directory, _) => Error::Directory {
            path: program.cwd.clone().unwrap_or_default(),
            source,
        },
        (Fault::Program, Errno::NOENT | Errno::NOTDIR) => Error::NotFound {
            program: program_name,
        },
        (Fault::Program, Errno::ACCESS | Errno::NOEXEC | Errno::ISDIR) => Error::NotExecutable {
            program: program_name,
            source,
        },
        (Fault::Program, _) => Error::Start {
            program: program_name,
            source,
        },
        (Fault::Custody, _) => unguarded(program, source),
        (Fault::Confinement, Errno::STALE) => Error::Moved {
            program: program_name,
        },
        (Fault::Confinement, Errno::TOOBIG) => Error::Sandbox {
            program: program_name,
            reason: TOO_MANY_MOUNTS.to_owned(),
        },
        (Fault::Confinement, _) => {
            let reason = match namespace::support() {
                Err(unsupported) => unsupported.to_string(),
                Ok(()) => source.to_string(),
            };
            Error::Sandbox {
                program: program_name,
                reason,
            }
        }
        (Fault::Watch, Errno::INVAL) if exec_support().is_available() => Error::Watch {
            program: program_name,
            reason: NO_JUDGE.to_owned(),
        },
        (Fault::Watch, _) => Error::Watch {
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
    "nobody can judge by these rules; call guard::judge_with before guard::run_if_asked";
const TOO_MANY_MOUNTS: &str = "what the policy denies shows in too many places: at most 2048 paths, directories above them and mounts that show them can be covered; unmount bind mounts, or deny directories in place of many files";
const MARK: &str = "--keep";
const PROBE: &str = "--try-namespace";
const START: Duration = Duration::from_secs(20);
