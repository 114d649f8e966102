//! The receiving side of a connection.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use attache_rpc::{Call, Id};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use crate::driver::{InboxItem, Shared, State};
use crate::peer_handle::{CloseOnDrop, refuse_unread};

/// Requests and notifications from the peer, in the order in which they were sent. Dropping the inbox rejects all
/// requests from then on; responses to calls still arrive.
pub struct Inbox {
    /// Items that have been fetched from the shared queue and not been returned yet.
    pub(crate) fetched: VecDeque<InboxItem>,
    /// The time at which `next` found that the peer had closed its side.
    ended: Option<Instant>,
    /// What has to end before the next item is returned.
    pause: Option<Pause>,
    pub(crate) shared: Arc<Shared>,
    _owner: Arc<CloseOnDrop>,
}

/// A request or notification from the peer.
#[derive(Debug)]
pub enum IncomingCall {
    /// A request. Respond with [`PeerHandle::respond`](crate::PeerHandle::respond).
    Request(Id, Call),
    /// A notification, which has no response.
    Notification(Call),
}

/// A reason not to return the next item yet.
struct Pause {
    until: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
    /// Whether the inbox ends after it.
    is_last: bool,
}

pub(crate) enum FetchResult {
    Items,
    /// The inbox is empty, and reading has ended.
    Ended,
}

impl Inbox {
    pub(crate) fn new(owner: Arc<CloseOnDrop>, shared: Arc<Shared>) -> Self {
        Inbox {
            fetched: VecDeque::new(),
            ended: None,
            pause: None,
            shared,
            _owner: owner,
        }
    }

    /// Waits for the next request or notification. Returns `None` after the peer has closed its side, the program had
    /// time to respond to open requests ([`Options::grace`](crate::Options::grace)), and all queued messages have been
    /// written.
    ///
    /// This method is cancel safe: dropping the future loses no message.
    pub async fn next(&mut self) -> Option<IncomingCall> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Polls for the next request or notification, like [`next`](Self::next).
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<IncomingCall>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.until.as_mut().poll(cx));
                let is_last = pause.is_last;
                self.pause = None;
                if is_last {
                    return Poll::Ready(None);
                }
            }
            match self.fetched.pop_front() {
                Some(InboxItem::Call(incoming, size)) => {
                    self.note_taken(size);
                    if let IncomingCall::Request(id, call) = &incoming {
                        self.shared.lock().requests.pop_front();
                        let traces = &self.shared.traces;
                        traces.taken(&self.shared, call.method(), id);
                    }
                    return Poll::Ready(Some(incoming));
                }
                Some(InboxItem::Response(call, outcome, size)) => {
                    self.note_taken(size);
                    self.shared.lock().deliver(call, outcome);
                    // Lets the caller continue before the messages behind the response are returned.
                    self.pause = Some(Pause {
                        until: Box::pin(yield_now()),
                        is_last: false,
                    });
                    continue;
                }
                Some(InboxItem::Relayed(_, size)) => {
                    // Only a `RelayInbox` gets these.
                    self.note_taken(size);
                    continue;
                }
                None => {}
            }
            if let FetchResult::Ended = ready!(self.fetch(cx)) {
                let since = *self.ended.get_or_insert_with(Instant::now);
                self.pause = Some(Pause {
                    until: Box::pin(wind_down(Arc::clone(&self.shared), since)),
                    is_last: true,
                });
            }
        }
    }

    /// Fetches everything that has been received.
    pub(crate) fn fetch(&mut self, cx: &mut Context<'_>) -> Poll<FetchResult> {
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

    pub(crate) fn note_taken(&self, size: usize) {
        self.shared.taken_count.fetch_add(1, Ordering::Relaxed);
        let before = self.shared.unread.fetch_sub(size, Ordering::AcqRel);
        if before >= self.shared.inbound && before - size < self.shared.inbound {
            self.shared.taken.notify_one();
        }
    }
}

/// Gives the program time to respond to open requests, and responses time to be written.
async fn wind_down(shared: Arc<Shared>, since: Instant) {
    let answered = |state: &State| state.writing.is_some() || state.endpoint.open_requests() == 0;
    let answered = shared.wait(&shared.settled, answered);
    let grace = shared.grace.min(LONG);
    if timeout_at(since + 2 * grace, answered).await.is_err() {
        // Handlers that are still running can see that their requests are cancelled.
    }
    let written = shared.wait(&shared.settled, State::has_written_all);
    if timeout_at(since + 3 * grace, written).await.is_err() {
        // The peer does not read, so the remaining messages are dropped.
    }
}

impl IncomingCall {
    /// The method and the params, whether this is a request or a notification.
    pub fn call(&self) -> &Call {
        match self {
            IncomingCall::Request(_, call) | IncomingCall::Notification(call) => call,
        }
    }
}

/// Rejects the requests in the inbox, and delivers the responses that waited behind them.
impl Drop for Inbox {
    fn drop(&mut self) {
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        state.inbox_dropped = true;
        state.requests.clear();
        let mut left = std::mem::take(&mut self.fetched);
        left.append(&mut state.inbox);
        for queued in left {
            match queued {
                InboxItem::Call(IncomingCall::Request(id, _), _) => {
                    refuse_unread(&mut state.endpoint, &id)
                }
                InboxItem::Call(IncomingCall::Notification(_), ..) | InboxItem::Relayed(..) => {}
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

/// Upper bound for timeouts; larger values overflow `Instant`.
pub(crate) const LONG: Duration = Duration::from_secs(60 * 60 * 24 * 365);
