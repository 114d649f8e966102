//! What the peer says, in the order in which it was said.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use attache_rpc::{Call, Id};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use crate::driver::{InboxItem, Shared, State};
use crate::peer_handle::{CloseOnDrop, refuse_unread};

/// The calls of the peer, to be taken one by one.
pub struct Inbox {
    /// What has been fetched from the shared queue, in one go.
    fetched: VecDeque<InboxItem>,
    /// When the peer's side was found to be closed.
    ended: Option<Instant>,
    shared: Arc<Shared>,
    _owner: Arc<CloseOnDrop>,
}

/// A call of the peer.
#[derive(Debug)]
pub enum IncomingCall {
    /// One that has to be answered.
    Request(Id, Call),
    /// One that has not.
    Notification(Call),
}

enum FetchResult {
    Items,
    /// Nothing, and nothing will come.
    Ended,
}

impl Inbox {
    pub(crate) fn new(owner: Arc<CloseOnDrop>, shared: Arc<Shared>) -> Self {
        Inbox {
            fetched: VecDeque::new(),
            ended: None,
            shared,
            _owner: owner,
        }
    }

    /// Takes the next call, or `None` when the peer has closed its side and everything has been said to it.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<IncomingCall> {
        loop {
            match self.fetched.pop_front() {
                Some(InboxItem::Call(incoming, size)) => {
                    self.note_taken(size);
                    return Some(incoming);
                }
                Some(InboxItem::Response(call, outcome, size)) => {
                    self.note_taken(size);
                    self.shared.lock().deliver(call, outcome);
                    // Whoever waits for the answer goes on before anybody sees what came after it.
                    yield_now().await;
                    continue;
                }
                None => {}
            }
            if let FetchResult::Ended = poll_fn(|cx| self.fetch(cx)).await {
                let since = *self.ended.get_or_insert_with(Instant::now);
                self.wind_down(since).await;
                return None;
            }
        }
    }

    /// Takes over what has come in.
    fn fetch(&mut self, cx: &mut Context<'_>) -> Poll<FetchResult> {
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        std::mem::swap(&mut self.fetched, &mut state.inbox);
        if !self.fetched.is_empty() {
            return Poll::Ready(FetchResult::Items);
        }
        if state.reading.is_some() {
            return Poll::Ready(FetchResult::Ended);
        }
        state.consumer = Some(cx.waker().clone());
        Poll::Pending
    }

    fn note_taken(&self, size: usize) {
        self.shared.taken_count.fetch_add(1, Ordering::Relaxed);
        let before = self.shared.unread.fetch_sub(size, Ordering::AcqRel);
        if before >= self.shared.inbound && before - size < self.shared.inbound {
            self.shared.taken.notify_one();
        }
    }

    /// Gives open requests time to be answered, and answers time to be written.
    async fn wind_down(&self, since: Instant) {
        let answered =
            |state: &State| state.writing.is_some() || state.endpoint.open_requests() == 0;
        let answered = self.shared.wait(&self.shared.settled, answered);
        let grace = self.shared.grace.min(LONG);
        if timeout_at(since + 2 * grace, answered).await.is_err() {
            // Whoever still works on an answer has been told that nobody wants it.
        }
        let written = self
            .shared
            .wait(&self.shared.settled, State::has_written_all);
        if timeout_at(since + 3 * grace, written).await.is_err() {
            // A peer that does not read does not get the rest.
        }
    }
}

impl IncomingCall {
    /// The call.
    pub fn call(&self) -> &Call {
        match self {
            IncomingCall::Request(_, call) | IncomingCall::Notification(call) => call,
        }
    }
}

/// Requests that nobody will take are refused, and answers no longer wait for them.
impl Drop for Inbox {
    fn drop(&mut self) {
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        state.inbox_dropped = true;
        let mut left = std::mem::take(&mut self.fetched);
        left.append(&mut state.inbox);
        for queued in left {
            match queued {
                InboxItem::Call(IncomingCall::Request(id, _), _) => {
                    refuse_unread(&mut state.endpoint, &id)
                }
                InboxItem::Call(IncomingCall::Notification(_), _) => {}
                InboxItem::Response(call, outcome, _) => state.deliver(call, outcome),
            }
        }
        self.shared.unread.store(0, Ordering::Release);
        state.wake_writer();
        drop(guard);
        self.shared.taken.notify_one();
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}

/// As long as nobody waits; more would not fit a clock.
const LONG: Duration = Duration::from_secs(60 * 60 * 24 * 365);
