//! The pipes to a child's standard input and from its standard output.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::platform;

/// The pipe to a child's standard input. Dropping it closes the pipe. Stopping the child closes the pipe too; writing then
/// fails with [`io::ErrorKind::BrokenPipe`].
pub struct Stdin {
    stdin_pipe: SharedStdin,
}

/// The pipe from a child's standard output.
pub struct Stdout {
    pipe: platform::Output,
}

/// The pipe behind a [`Stdin`]. Shared with [`Child`](super::Child), which closes it even while a task is writing.
#[derive(Clone)]
pub(super) struct SharedStdin(Arc<Mutex<StdinPipe>>);

struct StdinPipe {
    input: Option<platform::Input>,
    writer: Option<Waker>,
}

impl SharedStdin {
    pub(super) fn new(input: platform::Input) -> SharedStdin {
        let input = Some(input);
        SharedStdin(Arc::new(Mutex::new(StdinPipe {
            input,
            writer: None,
        })))
    }

    pub(super) fn closed() -> SharedStdin {
        SharedStdin(Arc::new(Mutex::new(StdinPipe {
            input: None,
            writer: None,
        })))
    }

    pub(super) fn close(&self) {
        let writer = {
            let mut pipe = self.lock();
            pipe.input = None;
            pipe.writer.take()
        };
        if let Some(writer) = writer {
            writer.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, StdinPipe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stdin {
    pub(super) fn new(stdin_pipe: SharedStdin) -> Stdin {
        Stdin { stdin_pipe }
    }

    fn poll<T>(
        &self,
        context: &mut Context<'_>,
        act: impl FnOnce(Pin<&mut platform::Input>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut pipe = self.stdin_pipe.lock();
        let Some(input) = pipe.input.as_mut() else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let result = act(Pin::new(input), context);
        pipe.writer = result.is_pending().then(|| context.waker().clone());
        result
    }
}

impl AsyncWrite for Stdin {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll(context, |input, context| input.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll(context, |input, context| {
            input.poll_write_vectored(context, slices)
        })
    }

    fn is_write_vectored(&self) -> bool {
        let pipe = self.stdin_pipe.lock();
        pipe.input
            .as_ref()
            .is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(context, |input, context| input.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.stdin_pipe.lock().input.is_some() {
            ready!(self.poll(context, |input, context| input.poll_shutdown(context)))?;
            self.stdin_pipe.close();
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Stdin {
    fn drop(&mut self) {
        self.stdin_pipe.close();
    }
}

impl Stdout {
    pub(super) fn new(pipe: platform::Output) -> Stdout {
        Stdout { pipe }
    }

    /// Whether nothing is left to read at this moment. Always `false` on systems that cannot tell.
    pub fn is_drained(&self) -> bool {
        platform::is_drained(&self.pipe)
    }
}

impl AsyncRead for Stdout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_read(context, buffer)
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Stdin").finish_non_exhaustive()
    }
}

impl fmt::Debug for Stdout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Stdout").finish_non_exhaustive()
    }
}
