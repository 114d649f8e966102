//! Standard input and output as a connection.
//!
//! While a program speaks a protocol over standard input and output, nothing else in it may use them. [`stdio`] therefore
//! redirects them: later reads of standard input find nothing, and later prints to standard output go to standard error.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

mod blocking;
#[cfg(unix)]
mod unix;

pub use blocking::{BlockingStdio, blocking_stdio};

/// Standard input as an asynchronous stream. See [`stdio`].
pub struct StdioInput(Source);

/// Standard output as an asynchronous stream. See [`stdio`].
pub struct StdioOutput(Sink);

enum Source {
    #[cfg(unix)]
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(unix)]
    Socket(tokio::net::UnixStream),
    #[cfg(unix)]
    File(tokio::fs::File),
    #[cfg(not(unix))]
    Blocking(tokio::io::Stdin),
}

enum Sink {
    #[cfg(unix)]
    Pipe(tokio::net::unix::pipe::Sender),
    #[cfg(unix)]
    Socket(tokio::net::UnixStream),
    #[cfg(unix)]
    File(tokio::fs::File),
    #[cfg(not(unix))]
    Blocking(tokio::io::Stdout),
}

/// Takes over standard input and output for a protocol. Must be called once, within a tokio runtime.
///
/// On Unix, later reads of standard input by other code find nothing, and later prints to standard output go to standard
/// error, so a stray `println!` cannot corrupt the protocol.
pub fn stdio() -> io::Result<(StdioInput, StdioOutput)> {
    #[cfg(unix)]
    return unix::stdio();
    #[cfg(not(unix))]
    Ok((
        StdioInput(Source::Blocking(tokio::io::stdin())),
        StdioOutput(Sink::Blocking(tokio::io::stdout())),
    ))
}

impl AsyncRead for StdioInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.0 {
            #[cfg(unix)]
            Source::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            #[cfg(unix)]
            Source::Socket(socket) => Pin::new(socket).poll_read(cx, buffer),
            #[cfg(unix)]
            Source::File(file) => Pin::new(file).poll_read(cx, buffer),
            #[cfg(not(unix))]
            Source::Blocking(stdin) => Pin::new(stdin).poll_read(cx, buffer),
        }
    }
}

impl StdioOutput {
    fn inner(&mut self) -> Pin<&mut (dyn AsyncWrite + Send + Unpin)> {
        match &mut self.0 {
            #[cfg(unix)]
            Sink::Pipe(pipe) => Pin::new(pipe),
            #[cfg(unix)]
            Sink::Socket(socket) => Pin::new(socket),
            #[cfg(unix)]
            Sink::File(file) => Pin::new(file),
            #[cfg(not(unix))]
            Sink::Blocking(stdout) => Pin::new(stdout),
        }
    }
}

impl AsyncWrite for StdioOutput {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.inner().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.inner().poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.0 {
            #[cfg(unix)]
            Sink::Pipe(pipe) => pipe.is_write_vectored(),
            #[cfg(unix)]
            Sink::Socket(socket) => socket.is_write_vectored(),
            #[cfg(unix)]
            Sink::File(file) => file.is_write_vectored(),
            #[cfg(not(unix))]
            Sink::Blocking(stdout) => stdout.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_shutdown(cx)
    }
}
