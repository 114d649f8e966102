//! The sending side of a connection.

mod pending_call;

use std::fmt;
use std::io;
use std::sync::{Arc, MutexGuard};

use attache_rpc::json::Encode;
use attache_rpc::{
    CallFailure, CallId, Endpoint, EndpointCounts, Error, FatalError, FramingError, Id, Payload,
    SendOptions, SessionKey, TooLarge, Urgency,
};
use bytestring::ByteString;
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::Span;

use crate::diagnostics;
use crate::driver::{Shared, State};

pub use pending_call::PendingCall;

/// Sends requests, notifications and responses to the peer. Can be cloned and used from any task. The connection is closed
/// when the last handle and the [`Inbox`](crate::Inbox) have been dropped.
#[derive(Clone)]
pub struct PeerHandle(pub(crate) Arc<CloseOnDrop>);

/// Closes the connection when its last handle is dropped.
pub(crate) struct CloseOnDrop(pub(crate) Arc<Shared>);

/// When the response to a call is delivered, relative to other messages from the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delivery {
    /// As soon as it is received.
    AtOnce,
    /// After all messages received before it have been taken from the inbox.
    InOrder,
}

/// Why a call to the peer failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallError {
    /// The peer responded with an error.
    Refused(Error),
    /// The peer's response is not a valid JSON-RPC response.
    Malformed(String),
    /// The connection ended before the response arrived.
    Closed(CloseReason),
    /// The request is longer than [`Limits::frame`](attache_rpc::Limits::frame) and was not sent.
    TooLarge(TooLarge),
    /// The response cannot be delivered, because calls before it have waited in the inbox for longer than
    /// [`Options::stall`](crate::Options::stall).
    Stalled,
}

/// Why a connection has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer closed its side of the connection.
    PeerClosed,
    /// This side closed the connection.
    ClosedLocally,
    /// Reading from or writing to the stream failed.
    Io(io::ErrorKind),
    /// The stream cannot be split into messages any further.
    Framing(FramingError),
    /// The peer violated the protocol so badly that the connection was closed.
    Fatal(FatalError),
    /// A task of the connection has panicked, or its runtime has been shut down.
    TaskFailed,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Refused(error) => error.fmt(f),
            CallError::Malformed(reason) => {
                write!(f, "the peer's response is malformed: {reason}")
            }
            CallError::Closed(why) => why.fmt(f),
            CallError::TooLarge(TooLarge { size, limit, .. }) => {
                write!(f, "the message has {size} bytes, the limit is {limit}")
            }
            CallError::Stalled => f.write_str(
                "the response waits in the inbox behind calls that are not being handled; keep handling calls while you wait, for example in another task",
            ),
        }
    }
}

impl std::error::Error for CallError {}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::PeerClosed => f.write_str("the peer has closed the connection"),
            CloseReason::ClosedLocally => f.write_str("the connection is closed"),
            CloseReason::Io(kind) => write!(f, "the connection failed: {kind}"),
            CloseReason::Framing(error) => {
                write!(f, "the connection cannot be read any further: {error}")
            }
            CloseReason::Fatal(error) => error.fmt(f),
            CloseReason::TaskFailed => f.write_str("the connection's task has failed"),
        }
    }
}

impl std::error::Error for CloseReason {}

impl PeerHandle {
    /// Sends a request and waits for the response. Dropping the future cancels the request.
    pub async fn call<T: Encode>(
        &self,
        method: &str,
        params: &T,
        options: SendOptions,
        delivery: Delivery,
    ) -> Result<Payload, CallError> {
        let call = self.start(method, params, options, delivery).await?;
        call.response().await
    }

    /// Sends a request, and returns as soon as the request is queued. Messages sent afterwards come after it. Dropping the
    /// returned [`PendingCall`] cancels the request.
    pub async fn start<T: Encode>(
        &self,
        method: &str,
        params: &T,
        options: SendOptions,
        delivery: Delivery,
    ) -> Result<PendingCall, CallError> {
        let until = |state: &State| {
            let room = state.endpoint.has_room(options.urgency) && state.endpoint.may_call();
            room || state.closing || state.closed().is_some()
        };
        let (mut state, waiting) = self.wait_for_room(options, until).await;
        check_open(&state, state.closed())?;
        let call = state
            .endpoint
            .call(method, params, options)
            .map_err(CallError::TooLarge)?;
        state.wake_writer();
        let pending = PendingCall::new(self, &mut state, call, delivery);
        drop(state);
        diagnostics::waited_for_outbox(self.shared(), waiting);
        Ok(pending.traced(method))
    }

    /// Sends a notification. Waits until the outgoing queue has room.
    pub async fn notify<T: Encode>(
        &self,
        method: &str,
        params: &T,
        options: SendOptions,
    ) -> Result<(), CallError> {
        self.send(options, |state| {
            state.endpoint.notify(method, params, options)
        })
        .await
    }

    /// Sends a line that contains a whole message, unchanged and if possible without copying it. Waits until the outgoing
    /// queue has room.
    pub async fn relay(&self, line: ByteString, options: SendOptions) -> Result<(), CallError> {
        self.send(options, |state| {
            state.endpoint.outbox().push_line(options, line)
        })
        .await
    }

    /// Like [`relay`](Self::relay), but queues the line even if the queue is full. Wait for [`room`](Self::room) before
    /// you take a message that leads to this call.
    pub fn relay_now(&self, line: ByteString, options: SendOptions) -> Result<(), CallError> {
        let mut state = self.shared().lock();
        check_open(&state, state.writing.as_ref())?;
        let sent = state.endpoint.outbox().push_line(options, line);
        state.wake_writer();
        sent.map_err(CallError::TooLarge)
    }

    /// Whether the outgoing queue has room, or nothing can be sent any more.
    pub fn has_room(&self) -> bool {
        has_room_or_ended(&self.shared().lock())
    }

    /// Waits until the outgoing queue has room, or nothing can be sent any more.
    pub async fn room(&self) {
        let room = &self.shared().room;
        drop(self.shared().wait(room, has_room_or_ended).await);
    }

    /// Queues a line that contains the whole response to a request from the peer, unchanged and without waiting. Returns
    /// `false` if the request already has a response or the connection has ended.
    pub fn relay_response(&self, id: &Id, options: SendOptions, line: ByteString) -> bool {
        self.respond_by(|endpoint| endpoint.respond_with_line(id, options, line))
    }

    /// Responds to all open requests of the peer with an error.
    pub fn fail_requests(&self, options: SendOptions, error: &Error) {
        self.respond_by(|endpoint| {
            endpoint.fail_requests(options, error);
            true
        });
    }

    /// Queues the response to a request from the peer, without waiting. Returns `false` if the request already has a
    /// response or the connection has ended.
    pub fn respond<T: Encode>(
        &self,
        id: &Id,
        options: SendOptions,
        outcome: Result<&T, &Error>,
    ) -> bool {
        let sent = self.respond_by(|endpoint| endpoint.respond(id, options, outcome));
        let error_code = outcome.err().map(|error| error.code);
        self.shared().traces.responded(id, error_code);
        sent
    }

    fn respond_by(&self, respond: impl FnOnce(&mut Endpoint) -> bool) -> bool {
        let mut state = self.shared().lock();
        let sent = state.writing.is_none() && respond(&mut state.endpoint);
        state.wake_writer();
        drop(state);
        self.shared().settled.notify_waiters();
        self.shared().cancelled.notify_waiters();
        sent
    }

    /// Cancels the peer's pending requests that belong to a session, as if the peer had cancelled them.
    pub fn cancel_requests(&self, session: SessionKey) {
        self.shared().lock().endpoint.cancel_requests(Some(session));
        self.shared().cancelled.notify_waiters();
    }

    /// Waits until no request of the peer is open, or nothing can be sent any more.
    pub async fn all_answered(&self) {
        let until = |state: &State| state.writing.is_some() || state.endpoint.open_requests() == 0;
        drop(self.shared().wait(&self.shared().settled, until).await);
    }

    /// Waits until nothing can be sent any more, and returns the reason.
    pub async fn writing_ended(&self) -> CloseReason {
        let until = |state: &State| state.writing.is_some();
        let state = self.shared().wait(&self.shared().settled, until).await;
        let why = state.writing.clone();
        why.unwrap_or(CloseReason::ClosedLocally)
    }

    /// The span of a request from the peer that has been taken from the inbox and has no response yet. Without a
    /// subscriber that wants it, the span is disabled.
    pub fn request_span(&self, id: &Id) -> Span {
        self.shared().traces.span_of(id)
    }

    /// The span of the connection. Without a subscriber that wants it, the span is disabled.
    pub fn span(&self) -> &Span {
        &self.shared().span
    }

    /// The peer's pending requests that belong to a session.
    pub fn open_requests(&self, session: SessionKey) -> Vec<Id> {
        self.shared().lock().endpoint.requests_of(session)
    }

    /// Whether a request from the peer no longer needs work: it was cancelled, it has a response, or the connection has
    /// ended.
    pub fn is_cancelled(&self, id: &Id) -> bool {
        self.shared().lock().endpoint.is_cancelled(id)
    }

    /// Waits until a request from the peer no longer needs work: it was cancelled, it has a response, or the connection
    /// has ended.
    pub async fn cancelled(&self, id: &Id) {
        let until = |state: &State| state.endpoint.is_cancelled(id);
        let cancelled = &self.shared().cancelled;
        drop(self.shared().wait(cancelled, until).await);
    }

    /// Waits until all queued messages have been written, or the connection has ended.
    pub async fn flush(&self) {
        let settled = &self.shared().settled;
        drop(self.shared().wait(settled, State::has_written_all).await);
    }

    /// Waits until the peer has closed its side or the connection has failed.
    pub async fn closed(&self) -> CloseReason {
        let until = |state: &State| state.closed().is_some();
        let state = self.shared().wait(&self.shared().settled, until).await;
        state
            .closed()
            .cloned()
            .unwrap_or(CloseReason::ClosedLocally)
    }

    /// Closes the connection after all queued messages have been written. Pending calls fail.
    pub fn close(&self) {
        self.0.close();
    }

    /// Counters of messages that were dropped or rejected so far.
    pub fn counts(&self) -> EndpointCounts {
        self.shared().lock().endpoint.counts()
    }

    fn cancel_call(&self, call: CallId) {
        let mut state = self.shared().lock();
        state.endpoint.cancel(call);
        state.wake_writer();
    }

    fn shared(&self) -> &Shared {
        &self.0.0
    }

    async fn send(
        &self,
        options: SendOptions,
        push: impl FnOnce(&mut State) -> Result<(), TooLarge>,
    ) -> Result<(), CallError> {
        let until = |state: &State| {
            let ended = state.closing || state.writing.is_some();
            ended || state.endpoint.has_room(options.urgency)
        };
        let (mut state, waiting) = self.wait_for_room(options, until).await;
        check_open(&state, state.writing.as_ref())?;
        push(&mut state).map_err(CallError::TooLarge)?;
        state.wake_writer();
        drop(state);
        diagnostics::waited_for_outbox(self.shared(), waiting);
        Ok(())
    }

    /// Waits for room in the outgoing queue. The returned guard keeps others from taking the room. Yields now and then, so
    /// that the writing task gets to run. Also returns when the wait began, for the log.
    async fn wait_for_room(
        &self,
        options: SendOptions,
        until: impl Fn(&State) -> bool,
    ) -> (MutexGuard<'_, State>, Option<Instant>) {
        tokio::task::consume_budget().await;
        let shared = self.shared();
        match options.urgency {
            Urgency::Ordinary => {
                if let Some(state) = shared.lock_if(&until) {
                    return (state, None);
                }
                let waiting = diagnostics::wait_begins();
                let mut place = RoomWaiter::new(shared, options.session);
                let mut state = shared.wait(&shared.room, until).await;
                place.leave(&mut state);
                (state, waiting)
            }
            // An urgent message does not overtake its own session, even if that session still waits for room.
            Urgency::Urgent => {
                let until =
                    |state: &State| until(state) && !state.waiting.contains(&options.session);
                (shared.wait(&shared.room, until).await, None)
            }
        }
    }
}

/// A message that waits for room in the outgoing queue.
struct RoomWaiter<'a> {
    shared: &'a Shared,
    session: Option<SessionKey>,
}

impl<'a> RoomWaiter<'a> {
    fn new(shared: &'a Shared, session: SessionKey) -> Self {
        shared.lock().waiting.push(session);
        let session = Some(session);
        RoomWaiter { shared, session }
    }

    fn leave(&mut self, state: &mut State) {
        let session = self.session.take();
        let at = state.waiting.iter().position(|it| Some(*it) == session);
        if let Some(at) = at {
            state.waiting.swap_remove(at);
        }
        self.shared.room.notify_waiters();
    }
}

impl Drop for RoomWaiter<'_> {
    fn drop(&mut self) {
        if self.session.is_some() {
            let shared = self.shared;
            self.leave(&mut shared.lock());
        }
    }
}

impl Shared {
    /// Waits until a condition is true. Checks the condition whenever `notify` is notified.
    pub(crate) async fn wait(
        &self,
        notify: &Notify,
        until: impl Fn(&State) -> bool,
    ) -> MutexGuard<'_, State> {
        if let Some(state) = self.lock_if(&until) {
            return state;
        }
        loop {
            let mut notified = std::pin::pin!(notify.notified());
            notified.as_mut().enable();
            if let Some(state) = self.lock_if(&until) {
                return state;
            }
            notified.await;
        }
    }

    fn lock_if(&self, condition: impl Fn(&State) -> bool) -> Option<MutexGuard<'_, State>> {
        let state = self.lock();
        condition(&state).then_some(state)
    }
}

impl CloseOnDrop {
    fn close(&self) {
        let mut state = self.0.lock();
        state.closing = true;
        state.wake_writer();
        drop(state);
        self.0.taken.notify_one();
        self.0.closing.notify_one();
        self.0.room.notify_waiters();
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.close();
    }
}

/// Rejects a request, because the inbox has been dropped.
pub(crate) fn refuse_unread(endpoint: &mut Endpoint, id: &Id) {
    let error = Error::new(Error::METHOD_NOT_FOUND, "this side handles no requests");
    endpoint.respond::<u64>(id, SendOptions::of(SessionKey::CONNECTION), Err(&error));
}

fn has_room_or_ended(state: &State) -> bool {
    state.closing || state.writing.is_some() || state.endpoint.has_room(Urgency::Ordinary)
}

/// Fails if the connection is closed. The caller says which direction matters: a peer that has closed its side may still
/// read, but sends no responses.
fn check_open(state: &State, closed: Option<&CloseReason>) -> Result<(), CallError> {
    match closed {
        Some(why) => Err(CallError::Closed(why.clone())),
        None if state.closing => Err(CallError::Closed(CloseReason::ClosedLocally)),
        None => Ok(()),
    }
}

impl From<CallFailure> for CallError {
    fn from(lost: CallFailure) -> Self {
        match lost {
            CallFailure::Refused(error) => CallError::Refused(error),
            CallFailure::Malformed(reason) => CallError::Malformed(reason),
        }
    }
}

impl fmt::Debug for PeerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerHandle").finish_non_exhaustive()
    }
}
