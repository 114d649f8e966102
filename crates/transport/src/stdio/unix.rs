//! Standard input and output on Unix. The runtime polls pipes and sockets; other files use a thread.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::os::unix::net::UnixStream as StdSocket;

use rustix::fs::OFlags;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::{Sink, Source, StdioInput, StdioOutput};

pub(super) fn stdio() -> io::Result<(StdioInput, StdioOutput)> {
    let input = duplicate(io::stdin().as_fd(), Direction::Input)?;
    let output = duplicate(io::stdout().as_fd(), Direction::Output)?;
    let input = match input {
        StdioFile::Pipe(file) => Source::Pipe(pipe::Receiver::from_file(file)?),
        StdioFile::Socket(socket) => Source::Socket(socket),
        StdioFile::Other(file) => Source::File(file.into()),
    };
    let output = match output {
        StdioFile::Pipe(file) => Sink::Pipe(pipe::Sender::from_file(file)?),
        StdioFile::Socket(socket) => Sink::Socket(socket),
        StdioFile::Other(file) => Sink::File(file.into()),
    };
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((StdioInput(input), StdioOutput(output)))
}

enum Direction {
    Input,
    Output,
}

enum StdioFile {
    Pipe(File),
    Socket(UnixStream),
    Other(File),
}

fn duplicate(fd: impl AsFd, direction: Direction) -> io::Result<StdioFile> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() {
        return Ok(reopen(&file, &direction).map_or(StdioFile::Other(file), StdioFile::Pipe));
    }
    if kind.is_socket() {
        let socket = StdSocket::from(OwnedFd::from(file));
        socket.set_nonblocking(true)?;
        return Ok(StdioFile::Socket(UnixStream::from_std(socket)?));
    }
    Ok(StdioFile::Other(file))
}

/// Opens the same pipe again, as non-blocking. Changing the inherited file description would also affect the process that
/// started this one, because both share it.
fn reopen(file: &File, direction: &Direction) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    let mut options = OpenOptions::new();
    match direction {
        Direction::Input => options.read(true),
        Direction::Output => options.write(true),
    };
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    options
        .custom_flags(flags)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
