//! A call that waits for its answer.

use std::sync::atomic::Ordering;

use attache_rpc::{CallId, Payload};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{CallError, Closed, Delivery, Link};
use crate::driver::{State, Waiter};

/// A request that has been queued and waits for its answer. Dropping it takes the request back.
pub struct Pending {
    link: Link,
    call: CallId,
    delivery: Delivery,
    answer: oneshot::Receiver<Result<Payload, CallError>>,
    answered: bool,
}

impl Pending {
    pub(super) fn new(link: &Link, state: &mut State, call: CallId, delivery: Delivery) -> Self {
        let (sender, answer) = oneshot::channel();
        let waiter = Waiter {
            delivery,
            answer: sender,
            queued: None,
        };
        state.waiters.insert(call, waiter);
        Pending {
            link: link.clone(),
            call,
            delivery,
            answer,
            answered: false,
        }
    }

    /// Waits for the answer.
    pub async fn answer(mut self) -> Result<Payload, CallError> {
        self.wait().await
    }

    /// Waits for the answer. When `cancelled` comes first the request is taken back, and its answer is still waited for.
    pub async fn answer_unless(
        mut self,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Payload, CallError> {
        tokio::select! {
            biased;
            answer = self.wait() => return answer,
            () = cancelled => {}
        }
        self.link.take_back(self.call);
        self.wait().await
    }

    async fn wait(&mut self) -> Result<Payload, CallError> {
        let answer = match self.delivery {
            Delivery::AtOnce => (&mut self.answer).await,
            Delivery::InOrder => self.in_turn().await,
        };
        // A call that is given up is taken back.
        self.answered = answer != Ok(Err(CallError::Stalled));
        answer.unwrap_or(Err(CallError::Closed(Closed::Here)))
    }

    /// Waits for an answer that comes after what was said before it, as long as somebody takes that.
    async fn in_turn(&mut self) -> Result<Result<Payload, CallError>, oneshot::error::RecvError> {
        let first = self.link.shared().takes();
        let mut is_asked = false;
        loop {
            let shared = self.link.shared();
            let takes = shared.takes();
            if let Ok(answer) = timeout(shared.stall, &mut self.answer).await {
                return answer;
            }
            let was_asked = std::mem::replace(&mut is_asked, self.is_asked());
            let unheard = was_asked && is_asked && first == shared.takes();
            if unheard || (takes == shared.takes() && self.is_stalled()) {
                return Ok(Err(CallError::Stalled));
            }
        }
    }

    /// Whether the answer has been lying in the inbox for too long.
    fn is_stalled(&self) -> bool {
        let state = self.link.shared().lock();
        let queued = state.waiters.get(&self.call).and_then(|w| w.queued);
        queued.is_some_and(|since| since.elapsed() >= self.link.shared().stall)
    }

    /// Whether the peer waits for an answer itself, to something that has not been taken.
    fn is_asked(&self) -> bool {
        let shared = self.link.shared();
        shared.unread.load(Ordering::Acquire) > 0 && shared.lock().endpoint.open_requests() > 0
    }
}

impl Drop for Pending {
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
    }
}
