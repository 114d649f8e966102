//! Our calls, each of which ends once.

use super::{CallFailure, CallId, Endpoint, Event, inbound};
use crate::json::Encode;
use crate::message::write_call;
use crate::{Id, Payload, SendOptions, TooLarge, write_notification};

impl Endpoint {
    /// Whether another call should be made now.
    pub fn may_call(&self) -> bool {
        self.calls.len() < self.limits.in_flight
    }

    /// Asks the peer.
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

    /// Tells the peer.
    pub fn notify<T: Encode>(
        &mut self,
        method: &str,
        params: &T,
        options: SendOptions,
    ) -> Result<(), TooLarge> {
        self.outbox
            .push(options, |out| write_notification(out, method, params))
    }

    /// Cancels a call. The peer still answers the request, with a result or an error.
    pub fn cancel(&mut self, call: CallId) {
        if let Some(session) = self.calls.get(&call.0) {
            let options = SendOptions::urgent(*session);
            let id = Id::numbered(call.0);
            // It is shorter than any limit.
            let sent = self
                .outbox
                .push(options, |out| inbound::write_cancel(out, &id));
            debug_assert!(sent.is_ok());
        }
    }

    /// Waits no longer for an answer; when it comes it is dropped.
    pub fn forget(&mut self, call: CallId) {
        self.calls.remove(&call.0);
    }

    /// Nothing more will come in: the calls that will never be answered, in the order in which they were made.
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
