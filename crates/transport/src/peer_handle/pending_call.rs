//! Calls that wait for their response.

use attache_rpc::{CallId, Payload};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tracing::Span;

use super::{CallError, CloseReason, Delivery, PeerHandle};
use crate::diagnostics::RequestTrace;
use crate::driver::{ResponseWaiter, State};

/// A request that has been queued and waits for its response. Dropping it cancels the request.
pub struct PendingCall {
    link: PeerHandle,
    call: CallId,
    delivery: Delivery,
    answer: oneshot::Receiver<Result<Payload, CallError>>,
    answered: bool,
    /// The request in the log, if somebody reads it.
    trace: Option<RequestTrace>,
}

impl PendingCall {
    pub(super) fn new(
        link: &PeerHandle,
        state: &mut State,
        call: CallId,
        delivery: Delivery,
    ) -> Self {
        let (sender, answer) = oneshot::channel();
        let waiter = ResponseWaiter {
            delivery,
            answer: sender,
            started: Instant::now(),
            taken_count: link.shared().taken_count(),
            queued: None,
        };
        state.waiters.insert(call, waiter);
        PendingCall {
            link: link.clone(),
            call,
            delivery,
            answer,
            answered: false,
            trace: None,
        }
    }

    /// Begins the request's span. Must not be called under the connection's lock.
    pub(super) fn traced(mut self, method: &str) -> Self {
        self.trace = RequestTrace::sent(self.link.shared(), method, self.call.number());
        self
    }

    /// The span of the request. Without a subscriber that wants it, the span is disabled.
    pub fn span(&self) -> Span {
        let trace = self.trace.as_ref();
        trace.map_or_else(Span::none, |trace| trace.span().clone())
    }

    /// Waits for the response.
    pub async fn response(mut self) -> Result<Payload, CallError> {
        self.wait().await
    }

    /// Waits for the response. If `cancelled` completes first, cancels the request and continues to wait, because a
    /// cancelled request still gets a response.
    pub async fn response_or_cancel(
        mut self,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Payload, CallError> {
        tokio::select! {
            biased;
            answer = self.wait() => return answer,
            () = cancelled => {}
        }
        self.link.cancel_call(self.call);
        self.wait().await
    }

    async fn wait(&mut self) -> Result<Payload, CallError> {
        let answer = match self.delivery {
            Delivery::AtOnce => (&mut self.answer).await,
            Delivery::InOrder => self.wait_in_order().await,
        };
        // A stalled call is cancelled when it is dropped.
        self.answered = answer != Ok(Err(CallError::Stalled));
        let answer = answer.unwrap_or(Err(CallError::Closed(CloseReason::ClosedLocally)));
        if let Some(trace) = self.trace.take() {
            trace.ended(&answer);
        }
        answer
    }

    /// Waits for a response that is delivered in order, as long as the messages before it are being taken.
    async fn wait_in_order(
        &mut self,
    ) -> Result<Result<Payload, CallError>, oneshot::error::RecvError> {
        loop {
            let shared = self.link.shared();
            let taken_count = shared.taken_count();
            if let Ok(answer) = timeout(shared.stall, &mut self.answer).await {
                return answer;
            }
            if taken_count == shared.taken_count() && self.is_stalled() {
                return Ok(Err(CallError::Stalled));
            }
        }
    }

    /// Whether the response has been in the inbox for too long.
    fn is_stalled(&self) -> bool {
        let state = self.link.shared().lock();
        let queued = state.waiters.get(&self.call).and_then(|w| w.queued);
        queued.is_some_and(|since| since.elapsed() >= self.link.shared().stall)
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let mut state = self.link.shared().lock();
        state.waiters.remove(&self.call);
        if state.closed().is_none() {
            state.endpoint.cancel(self.call);
            state.wake_writer();
        }
        state.endpoint.forget(self.call);
        drop(state);
        self.link.shared().room.notify_waiters();
        if let Some(trace) = self.trace.take() {
            trace.finish("dropped", None);
        }
    }
}
