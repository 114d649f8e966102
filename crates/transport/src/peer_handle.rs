//! What is said to the peer. A link can be cloned and used from any task; when the last one and the inbox are gone the
//! connection is closed.

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
use thiserror::Error as ThisError;
use tokio::sync::Notify;

use crate::driver::{Shared, State};

pub use pending_call::PendingCall;

/// The way to the peer.
#[derive(Clone)]
pub struct PeerHandle(pub(crate) Arc<CloseOnDrop>);

/// Closes the connection when nobody holds it any more.
pub(crate) struct CloseOnDrop(pub(crate) Arc<Shared>);

/// When an answer is given to whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// As soon as it has come in.
    AtOnce,
    /// After everything that came in before it has been taken from the inbox.
    InOrder,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum CallError {
    /// The peer answered with an error.
    #[error("{0}")]
    Refused(Error),
    /// The peer's answer was no answer.
    #[error("the peer's response is malformed: {0}")]
    Malformed(String),
    /// The connection ended before the answer came.
    #[error("{0}")]
    Closed(CloseReason),
    /// The call is longer than the limit and was not sent.
    #[error("the message has {} bytes, the limit is {}", .0.size, .0.limit)]
    TooLarge(TooLarge),
    /// The answer cannot be given: nobody takes what came before it.
    #[error(
        "the response waits behind calls that nobody takes; take calls while you wait, or in another task"
    )]
    Stalled,
}

/// Why a connection has ended.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum CloseReason {
    /// The peer has closed its side.
    #[error("the peer has closed the connection")]
    PeerClosed,
    /// Our side has closed it.
    #[error("the connection is closed")]
    ClosedLocally,
    /// The stream failed.
    #[error("the connection failed: {0}")]
    Io(io::ErrorKind),
    /// The stream cannot be read any further.
    #[error("the connection cannot be read any further: {0}")]
    Framing(FramingError),
    /// The peer was given up.
    #[error("{0}")]
    Fatal(FatalError),
    /// The task that drives it has failed, or its runtime has been shut down.
    #[error("the connection's task has failed")]
    TaskFailed,
}

impl PeerHandle {
    /// Asks the peer and waits for the answer. Dropping the future takes the request back.
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

    /// Asks the peer, and returns when the request has its place in the queue: what is said afterwards comes after it.
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
        let mut state = self.room(options, until).await;
        open(&state, state.closed())?;
        let call = state
            .endpoint
            .call(method, params, options)
            .map_err(CallError::TooLarge)?;
        state.wake_writer();
        Ok(PendingCall::new(self, &mut state, call, delivery))
    }

    /// Tells the peer something, and waits until there is room for it in the queue.
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

    /// Passes a line on as it is, without a copy, and waits until there is room for it in the queue.
    pub async fn relay(&self, line: ByteString, options: SendOptions) -> Result<(), CallError> {
        self.send(options, |state| {
            state.endpoint.outbox().push_line(options, line)
        })
        .await
    }

    /// Answers a request of the peer, at once. `false` if it has been answered already or the connection has ended.
    pub fn respond<T: Encode>(
        &self,
        id: &Id,
        options: SendOptions,
        outcome: Result<&T, &Error>,
    ) -> bool {
        let mut state = self.shared().lock();
        let sent = state.writing.is_none() && state.endpoint.respond(id, options, outcome);
        state.wake_writer();
        drop(state);
        self.shared().settled.notify_waiters();
        self.shared().cancelled.notify_waiters();
        sent
    }

    /// The peer's open requests that belong to a session.
    pub fn open_requests(&self, session: SessionKey) -> Vec<Id> {
        self.shared().lock().endpoint.requests_of(session)
    }

    /// Whether a request of the peer has been taken back, answered, or lost its asker.
    pub fn is_cancelled(&self, id: &Id) -> bool {
        self.shared().lock().endpoint.is_cancelled(id)
    }

    /// Waits until a request of the peer is taken back, answered, or has lost its asker.
    pub async fn cancelled(&self, id: &Id) {
        let until = |state: &State| state.endpoint.is_cancelled(id);
        let cancelled = &self.shared().cancelled;
        drop(self.shared().wait(cancelled, until).await);
    }

    /// Waits until everything that has been said is written, or cannot be.
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

    /// Closes the connection after everything that has been said is written. Calls that wait fail.
    pub fn close(&self) {
        self.0.close();
    }

    /// What has happened so far that nobody was told of.
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
        let mut state = self.room(options, until).await;
        open(&state, state.writing.as_ref())?;
        push(&mut state).map_err(CallError::TooLarge)?;
        state.wake_writer();
        Ok(())
    }

    /// Waits for room in the queue, which nobody else can take before the state is let go. Every sender lets others
    /// run now and then, so that what it says leaves.
    async fn room(
        &self,
        options: SendOptions,
        until: impl Fn(&State) -> bool,
    ) -> MutexGuard<'_, State> {
        tokio::task::consume_budget().await;
        let shared = self.shared();
        match options.urgency {
            Urgency::Ordinary => {
                if let Some(state) = shared.lock_if(&until) {
                    return state;
                }
                let mut place = RoomWaiter::new(shared, options.session);
                let mut state = shared.wait(&shared.room, until).await;
                place.leave(&mut state);
                state
            }
            // What is urgent does not overtake its own session, not even where that still waits for room.
            Urgency::Urgent => {
                let until =
                    |state: &State| until(state) && !state.waiting.contains(&options.session);
                shared.wait(&shared.room, until).await
            }
        }
    }
}

/// A message that waits for room.
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
    /// Waits until something holds, looking again whenever it is notified.
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

    fn lock_if(&self, holds: impl Fn(&State) -> bool) -> Option<MutexGuard<'_, State>> {
        let state = self.lock();
        holds(&state).then_some(state)
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

/// Answers a request that nobody will ever take.
pub(crate) fn refuse_unread(endpoint: &mut Endpoint, id: &Id) {
    let error = Error::new(Error::METHOD_NOT_FOUND, "nobody here takes calls");
    endpoint.respond::<u64>(id, SendOptions::of(SessionKey::CONNECTION), Err(&error));
}

/// A peer that has closed its side may still read, but it answers nothing.
fn open(state: &State, closed: Option<&CloseReason>) -> Result<(), CallError> {
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
