//! A transport without a pipe, and an executor without a runtime.

use std::future;
use std::hint::black_box;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use futures_io::{AsyncRead, AsyncWrite};

/// The incoming half: `left` bytes, `stream` over and over.
pub(crate) struct Feed {
    stream: Arc<[u8]>,
    at: usize,
    left: usize,
    before_pause: usize,
}

impl Feed {
    pub(crate) fn new(stream: Arc<[u8]>, left: usize) -> Self {
        Self {
            stream,
            at: 0,
            left,
            before_pause: PIPE,
        }
    }
}

impl AsyncRead for Feed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        if self.before_pause == 0 {
            self.before_pause = PIPE;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let wanted = buffer.len().min(self.left).min(self.before_pause);
        let mut filled = 0;
        while filled < wanted {
            let part = (self.stream.len() - self.at).min(wanted - filled);
            buffer[filled..filled + part].copy_from_slice(&self.stream[self.at..self.at + part]);
            filled += part;
            self.at = (self.at + part) % self.stream.len();
        }
        self.left -= filled;
        self.before_pause -= filled;
        Poll::Ready(Ok(filled))
    }
}

/// The outgoing half: takes everything at once and remembers how much it was.
#[derive(Default)]
pub(crate) struct Counter {
    pub(crate) written: Arc<AtomicUsize>,
}

impl AsyncWrite for Counter {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.written
            .fetch_add(black_box(bytes).len(), Ordering::Relaxed);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A peer that never sends anything and never disconnects.
pub(crate) struct Silence;

impl AsyncRead for Silence {
    fn poll_read(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        _buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Pending
    }
}

/// Nothing here waits for another thread, so polling again is all there is to waking up.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
    }
}

/// Lets the other futures of the task have a turn.
pub(crate) async fn pause() {
    let mut paused = false;
    future::poll_fn(|cx| {
        if paused {
            return Poll::Ready(());
        }
        paused = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Capacity of a Linux pipe.
const PIPE: usize = 64 * 1024;
