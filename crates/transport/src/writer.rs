//! The task that writes: as many messages at once as wait, and nothing between them.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::task::{Context, Poll};

use attache_rpc::Chunk;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::Closed;
use crate::driver::Shared;

pub(crate) async fn run<W: AsyncWrite + Unpin>(mut write: W, shared: Arc<Shared>) {
    let why = match write_all(&mut write, &shared).await {
        Ok(()) => {
            // Nobody is left to whom a failure to close would matter.
            drop(write.shutdown().await);
            Closed::Here
        }
        Err(error) => Closed::Io(error.kind()),
    };
    shared.end_writing(&why);
}

async fn write_all<W: AsyncWrite + Unpin>(write: &mut W, shared: &Shared) -> io::Result<()> {
    let mut batch: Vec<Chunk> = Vec::new();
    loop {
        let ending = {
            let mut state = shared.lock();
            let mut size = 0;
            while size < BATCH && batch.len() < SLICES {
                let Some(chunk) = state.peer.outbox().take() else {
                    break;
                };
                size += chunk.as_ref().len();
                batch.push(chunk);
            }
            state.closing
        };
        if batch.is_empty() {
            write.flush().await?;
            shared.settled.notify_waiters();
            if ending {
                return Ok(());
            }
            poll_fn(|cx| waiting(shared, cx)).await;
            continue;
        }
        write_batch(write, &batch).await?;
        let mut state = shared.lock();
        for chunk in batch.drain(..) {
            state.peer.outbox().written(chunk);
        }
        drop(state);
        shared.room.notify_waiters();
    }
}

/// Waits until there is something to write, or the end has come.
fn waiting(shared: &Shared, cx: &mut Context<'_>) -> Poll<()> {
    let mut state = shared.lock();
    if state.closing || !state.peer.outbox().is_empty() {
        return Poll::Ready(());
    }
    state.writer = Some(cx.waker().clone());
    Poll::Pending
}

async fn write_batch<W: AsyncWrite + Unpin>(write: &mut W, batch: &[Chunk]) -> io::Result<()> {
    if let [chunk] = batch {
        return write.write_all(chunk.as_ref()).await;
    }
    let mut slices: Vec<IoSlice<'_>> = batch.iter().map(|c| IoSlice::new(c.as_ref())).collect();
    let mut rest = slices.as_mut_slice();
    while !rest.is_empty() {
        let written = write.write_vectored(rest).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut rest, written);
    }
    Ok(())
}

const BATCH: usize = 64 << 10;
const SLICES: usize = 64;
