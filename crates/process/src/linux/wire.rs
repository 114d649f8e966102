//! The protocol between owner and keeper: file descriptors and one job, then orders of one byte to the keeper and reports
//! of nine bytes to the owner.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};

use super::StdioMode;
use crate::{
    Confinement, Cover, CoverAccess, CoverKind, CoveredPath, ExecWatch, ExitStatus, NestedMounts,
    Network, Program, Signal,
};

/// Order: record the current descendants of the program.
pub(super) const NOTE_DESCENDANTS: u8 = b'l';
/// Order: send SIGTERM to the program's group. To kill, the owner closes the connection.
pub(super) const TERM: u8 = b't';
/// The length of a report.
pub(super) const FRAME: usize = 9;

/// A report from the keeper.
#[derive(Debug, Clone, Copy)]
pub(super) enum Report {
    Started(i32),
    Failed(StartFailure, i32),
    DescendantsNoted,
    Ended(ExitStatus),
    Swept(i32),
}

/// The step at which a start failed.
#[derive(Debug, Clone, Copy)]
pub(super) enum StartFailure {
    Program,
    Directory,
    Custody,
    Confinement,
    Watch,
}

impl Report {
    pub(super) fn read(frame: [u8; FRAME]) -> Option<Report> {
        let [tag, a0, a1, a2, a3, b0, b1, b2, b3] = frame;
        let a = i32::from_le_bytes([a0, a1, a2, a3]);
        let b = i32::from_le_bytes([b0, b1, b2, b3]);
        Some(match (tag, a) {
            (b's', pid) => Report::Started(pid),
            (b'f', 0) => Report::Failed(StartFailure::Program, b),
            (b'f', 1) => Report::Failed(StartFailure::Directory, b),
            (b'f', 3) => Report::Failed(StartFailure::Confinement, b),
            (b'f', 4) => Report::Failed(StartFailure::Watch, b),
            (b'f', _) => Report::Failed(StartFailure::Custody, b),
            (b'l', _) => Report::DescendantsNoted,
            (b'e', code) => Report::Ended(ExitStatus::Exited(code)),
            (b'k', signal) => Report::Ended(ExitStatus::Signaled(Signal(signal))),
            (b'u', _) => Report::Ended(ExitStatus::Lost),
            (b'w', survivors) => Report::Swept(survivors),
            _ => return None,
        })
    }

    pub(super) fn send(self, control: impl AsFd) -> io::Result<()> {
        let (tag, a, b) = match self {
            Report::Started(pid) => (b's', pid, 0),
            Report::Failed(StartFailure::Program, errno) => (b'f', 0, errno),
            Report::Failed(StartFailure::Directory, errno) => (b'f', 1, errno),
            Report::Failed(StartFailure::Custody, errno) => (b'f', 2, errno),
            Report::Failed(StartFailure::Confinement, errno) => (b'f', 3, errno),
            Report::Failed(StartFailure::Watch, errno) => (b'f', 4, errno),
            Report::DescendantsNoted => (b'l', 0, 0),
            Report::Ended(ExitStatus::Exited(code)) => (b'e', code, 0),
            Report::Ended(ExitStatus::Signaled(signal)) => (b'k', signal.0, 0),
            Report::Ended(ExitStatus::Lost) => (b'u', 0, 0),
            Report::Swept(survivors) => (b'w', survivors, 0),
        };
        let mut frame = [tag; FRAME];
        frame[1..5].copy_from_slice(&a.to_le_bytes());
        frame[5..].copy_from_slice(&b.to_le_bytes());
        send(control, &frame, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// The file descriptors that belong to a job: standard streams, Landlock rulesets and working directory.
#[derive(Debug)]
pub(super) struct JobFiles {
    pub(super) stdio: [OwnedFd; 3],
    pub(super) landlock_ruleset: Option<Arc<OwnedFd>>,
    pub(super) signal_scope: Option<Arc<OwnedFd>>,
    pub(super) directory: Option<Arc<OwnedFd>>,
    /// The socket for the events of an exec watch.
    pub(super) execs: Option<OwnedFd>,
}

/// Sends the descriptors, with a byte that says which optional ones are present.
pub(super) fn send_files(control: impl AsFd, files: &JobFiles) -> io::Result<()> {
    let directory = files.directory.as_deref();
    let all = files
        .stdio
        .iter()
        .chain(files.landlock_ruleset.as_deref())
        .chain(files.signal_scope.as_deref())
        .chain(directory)
        .chain(&files.execs);
    let all: Vec<_> = all.map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&all));
    let present = u8::from(files.landlock_ruleset.is_some())
        | u8::from(directory.is_some()) << 1
        | u8::from(files.execs.is_some()) << 2
        | u8::from(files.signal_scope.is_some()) << 3;
    let present = [present];
    let carrier = [IoSlice::new(&present)];
    sendmsg(control, &carrier, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the descriptors and closes any others.
pub(super) fn receive_files(control: impl AsFd) -> io::Result<JobFiles> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut carrier = [IoSliceMut::new(&mut byte)];
    recvmsg(
        control,
        &mut carrier,
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let mut files = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            files.extend(rights);
        }
    }
    let cut_off = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let mut last = |bit: u8| match byte[0] & bit {
        0 => Ok(None),
        _ => files.pop().map(Some).ok_or_else(cut_off),
    };
    let execs = last(4)?;
    let directory = last(2)?.map(Arc::new);
    let signal_scope = last(8)?.map(Arc::new);
    let landlock_ruleset = last(1)?.map(Arc::new);
    let stdio = files.try_into().map_err(|_| cut_off())?;
    Ok(JobFiles {
        stdio,
        landlock_ruleset,
        signal_scope,
        directory,
        execs,
    })
}

/// Encodes a program and how to start it, with the length first.
pub(super) fn job(program: &Program, mode: StdioMode) -> io::Result<Vec<u8>> {
    let mut body = vec![letter(mode), u8::from(program.inherits)];
    let largest_file = program.largest_file.map(u64::to_le_bytes);
    put_option(&mut body, largest_file.as_ref().map(<[u8; 8]>::as_slice))?;
    put(&mut body, program.name.as_bytes())?;
    let cwd = program.cwd.as_ref().map(|path| path.as_os_str().as_bytes());
    put_option(&mut body, cwd)?;
    put_count(&mut body, program.args.len())?;
    for arg in &program.args {
        put(&mut body, arg.as_bytes())?;
    }
    put_count(&mut body, program.env.len())?;
    for (name, value) in &program.env {
        put(&mut body, name.as_bytes())?;
        put_option(&mut body, value.as_ref().map(|value| value.as_bytes()))?;
    }
    put_confinement(&mut body, &program.confinement)?;
    put_option(&mut body, program.watch.as_ref().map(|watch| &*watch.rules))?;
    let deadline = program
        .watch
        .as_ref()
        .map_or(0, |watch| watch.deadline.as_millis());
    body.extend(u32::try_from(deadline).unwrap_or(u32::MAX).to_le_bytes());
    let mut job = Vec::with_capacity(body.len() + 4);
    put(&mut job, &body)?;
    Ok(job)
}

/// Decodes the output of [`job`].
pub(super) fn read_job(mut control: impl Read) -> io::Result<(Program, StdioMode)> {
    let body = take(&mut control)?;
    let from = &mut body.as_slice();
    let mode = mode(take_byte(from)?);
    let inherits = take_byte(from)? != 0;
    let largest_file = take_option(from)?.map(OsString::into_vec);
    let mut program = Program::new(OsString::from_vec(take(from)?));
    program.inherits = inherits;
    program.largest_file = largest_file
        .and_then(|bytes| bytes.try_into().ok())
        .map(u64::from_le_bytes);
    program.cwd = take_option(from)?.map(PathBuf::from);
    for _ in 0..take_count(from)? {
        program.args.push(OsString::from_vec(take(from)?));
    }
    for _ in 0..take_count(from)? {
        let name = OsString::from_vec(take(from)?);
        program.env.push((name, take_option(from)?));
    }
    program.confinement = take_confinement(from)?;
    let rules = take_option(from)?.map(OsString::into_vec);
    let deadline = Duration::from_millis(take_count(from)?.into());
    program.watch = rules.map(|rules| ExecWatch { rules, deadline });
    Ok((program, mode))
}

/// Encodes a confinement without its Landlock rulesets, which are sent as descriptors.
fn put_confinement(to: &mut Vec<u8>, confinement: &Confinement) -> io::Result<()> {
    to.push(u8::from(confinement.network == Network::Loopback));
    to.push(u8::from(confinement.nested_mounts == NestedMounts::Allowed));
    put_count(to, confinement.covers.len())?;
    for cover in &confinement.covers {
        put(to, cover.path.as_os_str().as_bytes())?;
        to.extend(cover.device.to_le_bytes());
        to.extend(cover.inode.to_le_bytes());
        to.push(match cover.kind {
            CoverKind::HiddenDirectory => 0,
            CoverKind::HiddenFile => 1,
            CoverKind::ReadOnly => 2,
        });
    }
    put_count(to, confinement.kept.len())?;
    for kept in &confinement.kept {
        put(to, kept.path.as_os_str().as_bytes())?;
        to.push(u8::from(kept.access == CoverAccess::ReadOnly));
    }
    Ok(())
}

fn take_confinement(from: &mut impl Read) -> io::Result<Confinement> {
    let mut confinement = Confinement::new();
    if take_byte(from)? != 0 {
        confinement = confinement.network(Network::Loopback);
    }
    if take_byte(from)? != 0 {
        confinement = confinement.nested_mounts(NestedMounts::Allowed);
    }
    for _ in 0..take_count(from)? {
        confinement = confinement.cover(Cover {
            path: OsString::from_vec(take(from)?).into(),
            device: take_number(from)?,
            inode: take_number(from)?,
            kind: match take_byte(from)? {
                0 => CoverKind::HiddenDirectory,
                1 => CoverKind::HiddenFile,
                _ => CoverKind::ReadOnly,
            },
        });
    }
    for _ in 0..take_count(from)? {
        confinement = confinement.keep_covered(CoveredPath {
            path: OsString::from_vec(take(from)?).into(),
            access: match take_byte(from)? {
                0 => CoverAccess::Hidden,
                _ => CoverAccess::ReadOnly,
            },
        });
    }
    Ok(confinement)
}

fn letter(mode: StdioMode) -> u8 {
    match mode {
        StdioMode::Piped => b'p',
        StdioMode::Captured => b'c',
        StdioMode::Attached => b'a',
    }
}

fn mode(letter: u8) -> StdioMode {
    match letter {
        b'c' => StdioMode::Captured,
        b'a' => StdioMode::Attached,
        _ => StdioMode::Piped,
    }
}

pub(super) fn put_count(to: &mut Vec<u8>, count: usize) -> io::Result<()> {
    let count = u32::try_from(count).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    to.extend(count.to_le_bytes());
    Ok(())
}

pub(super) fn put(to: &mut Vec<u8>, bytes: &[u8]) -> io::Result<()> {
    put_count(to, bytes.len())?;
    to.extend(bytes);
    Ok(())
}

pub(super) fn put_option(to: &mut Vec<u8>, bytes: Option<&[u8]>) -> io::Result<()> {
    to.push(u8::from(bytes.is_some()));
    bytes.map_or(Ok(()), |bytes| put(to, bytes))
}

pub(super) fn take_byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

pub(super) fn take_count(from: &mut impl Read) -> io::Result<u32> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    Ok(u32::from_le_bytes(count))
}

pub(super) fn take_number(from: &mut impl Read) -> io::Result<u64> {
    let mut number = [0; 8];
    from.read_exact(&mut number)?;
    Ok(u64::from_le_bytes(number))
}

pub(super) fn take(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let count = take_count(from)?;
    let mut bytes = Vec::new();
    let read = from.take(u64::from(count)).read_to_end(&mut bytes)?;
    match u32::try_from(read) == Ok(count) {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

pub(super) fn take_option(from: &mut impl Read) -> io::Result<Option<OsString>> {
    Ok(match take_byte(from)? {
        0 => None,
        _ => Some(OsString::from_vec(take(from)?)),
    })
}

/// Standard streams, a Landlock ruleset, a directory and the socket for exec events.
const MOST_FILES: usize = 7;
