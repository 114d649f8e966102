//! What owner and keeper say to each other: descriptors, one job, then orders of a byte one way and
//! reports of nine bytes the other way.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};

use super::Mode;
use crate::process::{Program, Signal, Status};

/// Note who descends from the agent now.
pub(super) const LOOK: u8 = b'l';
/// Send SIGTERM to the agent's group. There is no order to kill: the end of the orders is that.
pub(super) const TERM: u8 = b't';
/// The length of a report.
pub(super) const FRAME: usize = 9;

/// What the keeper tells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Report {
    Started(i32),
    Failed(Fault, i32),
    Looked,
    Ended(Status),
    Swept(i32),
}

/// What stood in the way of a start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Program,
    Directory,
    Custody,
}

impl Report {
    pub(super) fn read(frame: [u8; FRAME]) -> Option<Report> {
        let [tag, a0, a1, a2, a3, b0, b1, b2, b3] = frame;
        let a = i32::from_le_bytes([a0, a1, a2, a3]);
        let b = i32::from_le_bytes([b0, b1, b2, b3]);
        Some(match (tag, a) {
            (b's', pid) => Report::Started(pid),
            (b'f', 0) => Report::Failed(Fault::Program, b),
            (b'f', 1) => Report::Failed(Fault::Directory, b),
            (b'f', _) => Report::Failed(Fault::Custody, b),
            (b'l', _) => Report::Looked,
            (b'e', code) => Report::Ended(Status::Exited(code)),
            (b'k', signal) => Report::Ended(Status::Signaled(Signal(signal))),
            (b'u', _) => Report::Ended(Status::Lost),
            (b'w', survivors) => Report::Swept(survivors),
            _ => return None,
        })
    }

    pub(super) fn send(self, control: impl AsFd) -> io::Result<()> {
        let (tag, a, b) = match self {
            Report::Started(pid) => (b's', pid, 0),
            Report::Failed(Fault::Program, errno) => (b'f', 0, errno),
            Report::Failed(Fault::Directory, errno) => (b'f', 1, errno),
            Report::Failed(Fault::Custody, errno) => (b'f', 2, errno),
            Report::Looked => (b'l', 0, 0),
            Report::Ended(Status::Exited(code)) => (b'e', code, 0),
            Report::Ended(Status::Signaled(signal)) => (b'k', signal.0, 0),
            Report::Ended(Status::Lost) => (b'u', 0, 0),
            Report::Swept(survivors) => (b'w', survivors, 0),
        };
        let mut frame = [tag; FRAME];
        frame[1..5].copy_from_slice(&a.to_le_bytes());
        frame[5..].copy_from_slice(&b.to_le_bytes());
        send(control, &frame, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// What an agent gets from its owner beside the job: its standard streams, and the fence it is to live in.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) stdio: [OwnedFd; 3],
    pub(super) fence: Option<OwnedFd>,
}

/// Sends them, with a byte to carry them.
pub(super) fn send_files(control: impl AsFd, files: &Files) -> io::Result<()> {
    let all = files.stdio.iter().chain(&files.fence);
    let all: Vec<_> = all.map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&all));
    let carrier = [IoSlice::new(b"s")];
    sendmsg(control, &carrier, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives them; whatever else was sent is closed.
pub(super) fn receive_files(control: impl AsFd) -> io::Result<Files> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
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
    let fence = (files.len() > 3).then(|| files.pop()).flatten();
    let stdio = files.try_into();
    let stdio = stdio.map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    Ok(Files { stdio, fence })
}

/// A program and how to start it as bytes, their length first.
pub(super) fn job(program: &Program, mode: Mode) -> io::Result<Vec<u8>> {
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
    let mut job = Vec::with_capacity(body.len() + 4);
    put(&mut job, &body)?;
    Ok(job)
}

/// Reads what [`job`] wrote.
pub(super) fn read_job(mut control: impl Read) -> io::Result<(Program, Mode)> {
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
    Ok((program, mode))
}

fn letter(mode: Mode) -> u8 {
    match mode {
        Mode::Piped => b'p',
        Mode::Captured => b'c',
        Mode::Attached => b'a',
    }
}

fn mode(letter: u8) -> Mode {
    match letter {
        b'c' => Mode::Captured,
        b'a' => Mode::Attached,
        _ => Mode::Piped,
    }
}

fn put_count(to: &mut Vec<u8>, count: usize) -> io::Result<()> {
    let count = u32::try_from(count).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    to.extend(count.to_le_bytes());
    Ok(())
}

fn put(to: &mut Vec<u8>, bytes: &[u8]) -> io::Result<()> {
    put_count(to, bytes.len())?;
    to.extend(bytes);
    Ok(())
}

fn put_option(to: &mut Vec<u8>, bytes: Option<&[u8]>) -> io::Result<()> {
    to.push(u8::from(bytes.is_some()));
    bytes.map_or(Ok(()), |bytes| put(to, bytes))
}

fn take_byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn take_count(from: &mut impl Read) -> io::Result<u32> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    Ok(u32::from_le_bytes(count))
}

fn take(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let count = take_count(from)?;
    let mut bytes = Vec::new();
    let read = from.take(u64::from(count)).read_to_end(&mut bytes)?;
    match u32::try_from(read) == Ok(count) {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn take_option(from: &mut impl Read) -> io::Result<Option<OsString>> {
    Ok(match take_byte(from)? {
        0 => None,
        _ => Some(OsString::from_vec(take(from)?)),
    })
}
