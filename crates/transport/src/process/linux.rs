//! Linux: the owner's side of custody. The other side, a guard process or a thread, is `keeper`; they talk over a
//! socket pair, and when our end closes the tree dies.

mod bond;
mod keeper;
mod reaper;
mod sweep;
mod table;
mod wire;

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use super::{Custody, Error, Program, Progress, Started, Status, guard};
use wire::{Fault, Report};

pub(super) type Input = pipe::Sender;
pub(super) type Output = pipe::Receiver;
pub(super) type ErrorOutput = pipe::Receiver;

pub(super) async fn start(program: &Program) -> Result<Started, Error> {
    open(program)
        .await
        .map_err(|source| Error::Custody {
            program: name(program),
            source,
        })?
        .map_err(|(fault, errno)| refusal(program, fault, errno))
}

/// Becomes the guard if the arguments say so.
pub(super) fn guard_if_asked() {
    let args: Vec<_> = std::env::args_os().take(3).collect();
    if args == [OsStr::new(GUARD), OsStr::new(MARK)] {
        std::process::exit(keeper::guard());
    }
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
    }

    fn ask(&self, order: u8) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        // It fails when the other side is gone, which the reports tell.
        send(&self.0.control, &[order], flags).ok();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        shutdown(&self.0.control, Shutdown::Both).ok();
        let mut guard = self.0.guard.lock().unwrap_or_else(PoisonError::into_inner);
        drop(guard.take());
    }
}

async fn open(program: &Program) -> io::Result<Result<Started, (Fault, Errno)>> {
    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = io::pipe()?;
    let stdio: [OwnedFd; 3] = [their_stdin.into(), their_stdout.into(), their_stderr.into()];

    let (ours, theirs) = StdStream::pair()?;
    let (guard, custody) = keeper(theirs)?;
    wire::send_stdio(&ours, &stdio)?;
    drop(stdio);
    ours.set_nonblocking(true)?;
    let hold = Arc::new(Hold {
        control: UnixStream::from_std(ours)?,
        guard: Mutex::new(guard),
    });
    let leash = Leash(Arc::clone(&hold));
    let pid = match first_report(&hold.control, &wire::job(program)?).await? {
        Report::Started(pid) => pid.cast_unsigned(),
        Report::Failed(fault, errno) => return Ok(Err((fault, Errno::from_raw_os_error(errno)))),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let (sender, progress) = watch::channel(Progress::default());
    tokio::spawn(follow(Leash(hold), sender));
    Ok(Ok(Started {
        pid,
        custody,
        stdin: pipe::Sender::from_owned_fd(stdin.into())?,
        stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
        stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
        leash,
        progress,
    }))
}

/// A guard process if this executable can be one, else a thread.
fn keeper(control: StdStream) -> io::Result<(Option<reaper::Guard>, Custody)> {
    if !guard::is_ready() {
        let keeper = move || keeper::thread(&control);
        thread::Builder::new()
            .name("attache-keeper".to_owned())
            .spawn(keeper)?;
        return Ok((None, Custody::Direct));
    }
    let guard = Command::new("/proc/self/exe")
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
    let told = match write(control, job).await {
        Ok(()) => report(control).await,
        Err(error) => Err(error),
    };
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
        (Fault::Custody, _) => Error::Custody {
            program: program_name,
            source,
        },
    }
}

fn name(program: &Program) -> PathBuf {
    PathBuf::from(&program.name)
}

const GUARD: &str = "attache-guard";
const UNGUARDED: &str = "the guard ended at once; call guard::run_if_asked first thing in main";
const MARK: &str = "--keep";
