//! Calls to the peer. Each of them ends once.

use super::{CallFailure, CallId, Endpoint, Event, inbound};
use crate::json::{Encode, write};
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
        let prefix = self.call_prefix.as_deref();
        let id = OwnCallId { prefix, number };
        self.outbox.push(options, |out| {
            write_call(out, Some(&id), method, Some(params));
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
            let prefix = self.call_prefix.as_deref();
            let id = OwnCallId {
                prefix,
                number: call.0,
            };
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
        let known = self
            .call_number(id)
            .filter(|number| self.calls.remove(number).is_some());
        match known {
            Some(number) => Some(Event::Response(CallId(number), outcome)),
            None if self.call_prefix.is_some() => {
                Some(Event::ForwardedResponse(id.clone(), outcome))
            }
            None => {
                self.counts.stray_responses += 1;
                None
            }
        }
    }

    /// The number of the own call with this id.
    fn call_number(&self, id: &Id) -> Option<u64> {
        match &self.call_prefix {
            Some(prefix) => {
                let text = id.as_str().strip_prefix('"')?.strip_suffix('"')?;
                text.strip_prefix(&**prefix)?.parse().ok()
            }
            None => id.as_number(),
        }
    }
}

/// The id of a call that this side makes: a number, or a string that starts with a prefix.
struct OwnCallId<'a> {
    prefix: Option<&'a str>,
    number: u64,
}

impl Encode for OwnCallId<'_> {
    fn encode(&self, out: &mut String) {
        match self.prefix {
            Some(prefix) => write::string(out, &format!("{prefix}{}", self.number)),
            None => self.number.encode(out),
        }
    }
}
