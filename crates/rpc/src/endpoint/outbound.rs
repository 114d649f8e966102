//! Calls to the peer. Each of them ends once.

use super::{CallFailure, CallId, Endpoint, Event, inbound};
use crate::json::Encode;
use crate::message::write_call;
use crate::{Id, Payload, SendOptions, TooLarge, write_notification};

impl Endpoint {
    /// Whether the number of pending calls is below the limit.
    pub fn may_call(&self) -> bool {
        self.calls.len() < self.limits.in_flight
    }

    /// Queues a request to the peer. The response arrives as [`Event::Response`].
    pub fn call<T: Encode>(
        &mut self,
        method: &str,
        params: &T,
        options: SendOptions,
    ) -> Result<CallId, TooLarge> {
        let number = self.next_call;
        self.outbox.push(options, |out| {
            write_call(out, Some(&number), method, Some(params));
        })?;
        self.next_call += 1;
        self.calls.insert(number, options.session);
        Ok(CallId(number))
    }

    /// Queues a notification to the peer.
    pub fn notify<T: Encode>(
        &mut self,
        method: &str,
        params: &T,
        options: SendOptions,
    ) -> Result<(), TooLarge> {
        self.outbox
            .push(options, |out| write_notification(out, method, params))
    }

    /// Cancels a call. The peer still responds to the request, with a result or an error.
    pub fn cancel(&mut self, call: CallId) {
        if let Some(session) = self.calls.get(&call.0) {
            let options = SendOptions::urgent(*session);
            let id = Id::numbered(call.0);
            // A cancellation is shorter than any limit.
            let sent = self
                .outbox
                .push(options, |out| inbound::write_cancel(out, &id));
            debug_assert!(sent.is_ok());
        }
    }

    /// Stops waiting for the response to a call. If it still arrives, it is counted and dropped.
    pub fn forget(&mut self, call: CallId) {
        self.calls.remove(&call.0);
    }

    /// Ends the connection for reading. Returns the calls that will never get a response, in the order in which they
    /// were made.
    pub fn end(&mut self) -> Vec<CallId> {
        let calls = std::mem::take(&mut self.calls);
        calls.into_keys().map(CallId).collect()
    }

    pub(super) fn receive_response(
        &mut self,
        id: &Id,
        outcome: Result<Payload, CallFailure>,
    ) -> Option<Event> {
        let known = id
            .as_number()
            .filter(|number| self.calls.remove(number).is_some());
        if known.is_none() {
            self.counts.stray_responses += 1;
        }
        known.map(|number| Event::Response(CallId(number), outcome))
    }
}
