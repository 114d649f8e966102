//! How an exec watch starts: the child installs a seccomp filter between fork and exec and sends its listener to the
//! supervisor, a thread of the keeper. Also checks whether this system supports that.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use libc::sock_filter;
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::exec_channel::ExecOutbox;
use super::seccomp::{self, WaitMode};
use super::seccomp_filter::{self, Abi};
use super::supervisor::Supervisor;
use crate::exec::{ExecEvent, ExecSupport, ExecWatch};
use crate::guard;

/// The keeper's handle to a supervisor.
pub(super) struct SupervisorHandle {
    status: mpsc::Receiver<WatchStatus>,
    /// Disconnected when the thread has ended.
    end: mpsc::Receiver<()>,
}

/// Starts a supervisor, and returns the sender that the child needs to connect to it.
pub(super) fn start(
    watch: &ExecWatch,
    owner: OwnedFd,
) -> io::Result<(SupervisorHandle, ListenerSender)> {
    let Some(abi) = seccomp_filter::of_this_machine() else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    let Some(judge) = guard::judge(&watch.rules) else {
        return Err(Errno::INVAL.into());
    };
    let (ours, child) = pair(abi)?;
    let (status_sender, status_receiver) = mpsc::channel();
    let (alive, end) = mpsc::channel();
    let deadline = watch.deadline;
    let supervise = move || {
        let _alive: mpsc::Sender<()> = alive;
        let mut outbox = ExecOutbox::new(owner);
        let (status, listener) = receive(&ours);
        // The keeper may have given up already.
        status_sender.send(status).ok();
        drop(ours);
        match listener {
            Some(listener) => {
                Supervisor::new(abi, listener, judge, outbox, deadline).run();
            }
            None if status == WatchStatus::AlreadyWatched => {
                outbox.put(&ExecEvent::AlreadyWatched);
                outbox.finish();
            }
            None => {}
        }
    };
    thread::Builder::new()
        .name("attache-execs".to_owned())
        .spawn(supervise)?;
    Ok((
        SupervisorHandle {
            status: status_receiver,
            end,
        },
        child,
    ))
}

impl SupervisorHandle {
    /// Whether a start failed because the filter could not be installed. The child's end must be closed.
    pub(super) fn is_refused(&self) -> bool {
        !matches!(
            self.status.recv_timeout(SUPERVISOR_TIMEOUT),
            Ok(WatchStatus::Watched | WatchStatus::AlreadyWatched)
        )
    }

    /// Waits a short time until the last records are sent, after the tree has ended.
    pub(super) fn finish(&self) {
        // The channel carries no messages; it closes when the thread ends.
        self.end.recv_timeout(SUPERVISOR_TIMEOUT).ok();
    }
}

/// Sends the listener of a child's filter to the supervisor.
pub(super) struct ListenerSender {
    filter: Vec<sock_filter>,
    socket: OwnedFd,
}

/// The result of installing the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchStatus {
    Watched,
    /// A supervisor outside already has a listener, and the kernel allows only one.
    AlreadyWatched,
    Refused,
}

/// The supervisor's end and the child's.
fn pair(abi: Abi) -> io::Result<(UnixStream, ListenerSender)> {
    let (ours, theirs) = UnixStream::pair()?;
    let child = ListenerSender {
        filter: abi.filter(),
        socket: theirs.into(),
    };
    Ok((ours, child))
}

impl ListenerSender {
    /// Installs the filter and sends its listener. Runs between fork and exec, so it makes system calls and nothing else.
    pub(super) fn install(&self) -> io::Result<()> {
        match seccomp::install(&self.filter) {
            // Closed here, because otherwise the child would wait for itself if the supervisor were gone.
            Ok((listener, _)) => self.send(WATCHED, Some(&listener)),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => self.send(BUSY, None),
            Err(error) => {
                // The start fails in either case.
                self.send(REFUSED, None).ok();
                Err(error)
            }
        }
    }

    fn send(&self, tag: u8, listener: Option<&OwnedFd>) -> io::Result<()> {
        send_tagged(self.socket.as_fd(), tag, listener)
    }
}

/// Sends a byte and a file descriptor. Makes system calls only.
pub(super) fn send_tagged(
    socket: BorrowedFd<'_>,
    tag: u8,
    file: Option<&OwnedFd>,
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let borrowed = file.map(|file| [file.as_fd()]);
    if let Some(file) = &borrowed {
        ancillary.push(SendAncillaryMessage::ScmRights(file));
    }
    let tag = [tag];
    let carrier = [IoSlice::new(&tag)];
    sendmsg(socket, &carrier, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives what [`send_tagged`] sent. The byte is zero if the other end was closed.
pub(super) fn receive_tagged(socket: &UnixStream) -> io::Result<(u8, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut tag = [0];
    let mut carrier = [IoSliceMut::new(&mut tag)];
    let flags = RecvFlags::CMSG_CLOEXEC;
    recvmsg(socket, &mut carrier, &mut ancillary, flags)?;
    let mut file = None;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(mut rights) = message {
            file = rights.next();
        }
    }
    Ok((tag[0], file))
}

/// Waits for the child's status and listener.
fn receive(socket: &UnixStream) -> (WatchStatus, Option<OwnedFd>) {
    match receive_tagged(socket) {
        Ok((WATCHED, Some(listener))) => (WatchStatus::Watched, Some(listener)),
        Ok((BUSY, _)) => (WatchStatus::AlreadyWatched, None),
        _ => (WatchStatus::Refused, None),
    }
}

/// Whether programs can be watched. Determined once, by installing the filter in a thread that ends.
pub(super) fn support() -> ExecSupport {
    *SUPPORT.get_or_init(|| {
        let Some(abi) = seccomp_filter::of_this_machine() else {
            return missing("it needs x86-64 or AArch64");
        };
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
        let scope = scope.ok().and_then(|scope| scope.trim().parse::<u32>().ok());
        if scope.is_some_and(|scope| scope > 1) {
            return missing(
                "arguments of other processes cannot be read here; set kernel.yama.ptrace_scope to 1 or 0",
            );
        }
        if !seccomp::has_known_sizes() {
            return missing(OLD);
        }
        let filter = abi.filter();
        let probe =  thread::Builder::new().spawn(move || seccomp::install(&filter));
        match probe.map( thread::JoinHandle::join) {
            Ok(Ok(Ok((_, WaitMode::Killable)))) => ExecSupport::Full,
            Ok(Ok(Ok((_, WaitMode::Restarting)))) => ExecSupport::Restarting,
            Ok(Ok(Err(error))) if error.raw_os_error() == Some(libc::EBUSY) => missing(
                "another supervisor already watches this program (seccomp allows one); its rules apply",
            ),
            _ => missing(OLD),
        }
    })
}

fn missing(reason: &'static str) -> ExecSupport {
    ExecSupport::Missing { reason }
}

const SUPERVISOR_TIMEOUT: Duration = Duration::from_millis(500);
const WATCHED: u8 = b'w';
const BUSY: u8 = b'b';
const REFUSED: u8 = b'r';
const OLD: &str = "it needs Linux 5.6 or later with seccomp filters, and a container or service manager must not forbid them";
static SUPPORT: OnceLock<ExecSupport> = OnceLock::new();
