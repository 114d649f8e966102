//! The writing task. It writes many waiting messages at once.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use attache_rpc::{Chunk, Framing};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::driver::{EndOnDrop, Shared, State};
use crate::outgoing_translator::OutgoingTranslator;
use crate::tap::TapDirection;
use crate::{CloseReason, Tap};

pub(crate) async fn run<W: AsyncWrite + Unpin>(
    mut write: W,
    shared: Arc<Shared>,
    framing: Framing,
    tap: Option<Tap>,
) {
    let _ending = EndOnDrop::of(&shared, Shared::end_writing);
    let why = match write_all(&mut write, &shared, framing, tap.as_ref()).await {
        Ok(()) => {
            // A failure to close no longer matters to anyone.
            drop(within_grace(&shared, write.shutdown()).await);
            CloseReason::ClosedLocally
        }
        Err(error) => CloseReason::Io(error.kind()),
    };
    shared.end_writing(&why);
}

async fn write_all<W: AsyncWrite + Unpin>(
    write: &mut W,
    shared: &Shared,
    framing: Framing,
    tap: Option<&Tap>,
) -> io::Result<()> {
    let mut batch: Vec<Chunk> = Vec::new();
    let mut outgoing = OutgoingTranslator::new(framing);
    loop {
        let ending = {
            let mut state = shared.lock();
            let mut size = 0;
            while size < BATCH && batch.len() < SLICES {
                let Some(chunk) = state.endpoint.outbox().pop() else {
                    break;
                };
                size += chunk.as_ref().len();
                batch.push(chunk);
            }
            state.flushed &= batch.is_empty();
            state.closing
        };
        if batch.is_empty() {
            within_grace(shared, write.flush()).await?;
            shared.lock().flushed = true;
            shared.settled.notify_waiters();
            if ending {
                return Ok(());
            }
            poll_fn(|cx| poll_outbox(shared, cx)).await;
            continue;
        }
        let mut translated = false;
        shared.with_translator(|translator| {
            translated = true;
            let mut is_finished = false;
            for chunk in &batch {
                is_finished |= outgoing.translate(translator, chunk.as_ref());
            }
            is_finished
        });
        if translated {
            if let Some(tap) = tap {
                tap.show(TapDirection::Sent, outgoing.written.as_bytes());
            }
            write_slices(
                write,
                &mut [IoSlice::new(outgoing.written.as_bytes())],
                shared,
            )
            .await?;
            outgoing.written.clear();
            shared.receive_sent_back(outgoing.back.drain(..));
        } else {
            if let Some(tap) = tap {
                for chunk in &batch {
                    tap.show(TapDirection::Sent, chunk.as_ref());
                }
            }
            let mut slices: Vec<_> = batch.iter().map(|c| IoSlice::new(c.as_ref())).collect();
            write_slices(write, &mut slices, shared).await?;
        }
        let mut state = shared.lock();
        for chunk in batch.drain(..) {
            state.endpoint.outbox().mark_written(chunk);
        }
        drop(state);
        shared.room.notify_waiters();
    }
}

/// Ready when there are messages to write, or the connection is closing.
fn poll_outbox(shared: &Shared, cx: &mut Context<'_>) -> Poll<()> {
    let mut state = shared.lock();
    if state.closing || !state.endpoint.outbox().is_empty() {
        return Poll::Ready(());
    }
    state.writer = Some(cx.waker().clone());
    Poll::Pending
}

async fn write_slices<W: AsyncWrite + Unpin>(
    write: &mut W,
    mut rest: &mut [IoSlice<'_>],
    shared: &Shared,
) -> io::Result<()> {
    // Without this, empty slices (the translator sent everything back) would count as a failed write.
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match within_grace(shared, write.write_vectored(rest)).await {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                shared.write_count.fetch_add(1, Ordering::Relaxed);
                IoSlice::advance_slices(&mut rest, written);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits for an operation that a peer can block by not reading. Fails when the grace period after closing has expired.
async fn within_grace<T>(
    shared: &Shared,
    operation: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    tokio::select! {
        biased;
        done = operation => done,
        () = grace_expired(shared) => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// Waits until this side has closed the connection, and then for the grace period.
async fn grace_expired(shared: &Shared) {
    drop(shared.wait(&shared.room, State::closed_here).await);
    tokio::time::sleep(shared.grace).await;
}

const BATCH: usize = 64 << 10;
const SLICES: usize = 64;
