//! A stream to a client that disappears as if its process were killed: once the client has closed its side, writes to
//! it fail too.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One direction of a stream to a client that disappears.
pub(super) struct DisconnectingStream<S> {
    stream: S,
    is_gone: Arc<AtomicBool>,
}

/// Wraps both directions of one stream.
pub(super) fn disconnecting<R, W>(
    read: R,
    write: W,
) -> (DisconnectingStream<R>, DisconnectingStream<W>) {
    let is_gone = Arc::new(AtomicBool::new(false));
    let read = DisconnectingStream {
        stream: read,
        is_gone: Arc::clone(&is_gone),
    };
    let write = DisconnectingStream {
        stream: write,
        is_gone,
    };
    (read, write)
}

impl<R: AsyncRead + Unpin> AsyncRead for DisconnectingStream<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        if buffer.filled().len() == before {
            self.is_gone.store(true, Ordering::Release);
        }
        Poll::Ready(read)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for DisconnectingStream<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.is_gone.load(Ordering::Acquire) {
            true => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            false => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
