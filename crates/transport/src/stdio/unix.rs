//! Pipes and sockets are waited for by the runtime; other files by a thread of its own.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::os::unix::net::UnixStream as StdSocket;

use rustix::fs::OFlags;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::{Input, Output, Sink, Source};

pub(super) fn stdio() -> io::Result<(Input, Output)> {
    let input = take(io::stdin().as_fd(), Side::Input)?;
    let output = take(io::stdout().as_fd(), Side::Output)?;
    let input = match input {
        Taken::Pipe(file) => Source::Pipe(pipe::Receiver::from_file(file)?),
        Taken::Socket(socket) => Source::Socket(socket),
        Taken::Other(file) => Source::File(file.into()),
    };
    let output = match output {
        Taken::Pipe(file) => Sink::Pipe(pipe::Sender::from_file(file)?),
        Taken::Socket(socket) => Sink::Socket(socket),
        Taken::Other(file) => Sink::File(file.into()),
    };
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((Input(input), Output(output)))
}

enum Side {
    Input,
    Output,
}

enum Taken {
    Pipe(File),
    Socket(UnixStream),
    Other(File),
}

fn take(fd: impl AsFd, side: Side) -> io::Result<Taken> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() {
        return Ok(reopened(&file, &side).map_or(Taken::Other(file), Taken::Pipe));
    }
    if kind.is_socket() {
        let socket = StdSocket::from(OwnedFd::from(file));
        socket.set_nonblocking(true)?;
        return Ok(Taken::Socket(UnixStream::from_std(socket)?));
    }
    Ok(Taken::Other(file))
}

/// The same pipe, opened anew. Whether a pipe blocks belongs to the opening, and the one that we were given may be
/// shared with whoever started us.
fn reopened(file: &File, side: &Side) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    let mut options = OpenOptions::new();
    match side {
        Side::Input => options.read(true),
        Side::Output => options.write(true),
    };
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    options
        .custom_flags(flags)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
