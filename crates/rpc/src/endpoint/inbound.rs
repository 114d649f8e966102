//! Requests from the peer. Each of them gets one response.

use std::collections::hash_map::Entry;

use bytestring::ByteString;

use super::{CANCEL, Endpoint, Event, InboundRequest, fault};
use crate::json::{Encode, Object, Raw};
use crate::{Call, Error, Id, SendOptions, SessionKey, TooLarge, write_failure, write_response};

impl Endpoint {
    /// Queues the response to a request. Returns `false`, and sends nothing, if the request is not pending, for example
    /// because it already has a response. A result over the size limit is replaced by an error response.
    pub fn respond<T: Encode>(
        &mut self,
        id: &Id,
        options: SendOptions,
        outcome: Result<&T, &Error>,
    ) -> bool {
        if !self.take_request(id) {
            return false;
        }
        let limit = self.answer_limit();
        let sent = self
            .outbox
            .push_within(limit, options, |out| match outcome {
                Ok(result) => write_response(out, id, result),
                Err(error) => write_failure(out, id, error),
            });
        match sent {
            Ok(()) => true,
            Err(too_large) => self.respond_too_large(id, options, too_large),
        }
    }

    /// Queues a line that contains the whole response to a request, unchanged. Returns `false`, and sends nothing, if the
    /// request is not pending. A response over the size limit is replaced by an error response.
    pub fn respond_with_line(&mut self, id: &Id, options: SendOptions, line: ByteString) -> bool {
        if !self.take_request(id) {
            return false;
        }
        let (size, limit) = (line.len(), self.answer_limit());
        if size > limit {
            return self.respond_too_large(id, options, TooLarge { size, limit });
        }
        match self.outbox.push_line(options, line) {
            Ok(()) => true,
            Err(too_large) => self.respond_too_large(id, options, too_large),
        }
    }

    /// Responds to all pending requests with an error.
    pub fn fail_requests(&mut self, options: SendOptions, error: &Error) {
        let pending: Vec<Id> = self.requests.keys().cloned().collect();
        for id in pending {
            self.respond::<u64>(&id, options, Err(error));
        }
    }

    /// Removes a pending request. Returns `false` if there is none with this id.
    fn take_request(&mut self, id: &Id) -> bool {
        let known = self.requests.get_key_value(id);
        known.is_some_and(|(known, _)| known.may_match(id)) && self.requests.remove(id).is_some()
    }

    fn respond_too_large(&mut self, id: &Id, options: SendOptions, too_large: TooLarge) -> bool {
        let reason = if too_large.limit < self.limits.frame {
            "responses to earlier requests have not been read, and this one is too long"
        } else {
            "the response is longer than the limit"
        };
        let limit = Some(too_large.limit);
        let error = fault(Error::INTERNAL, reason, "frame_too_large", limit);
        self.outbox
            .push(options, |out| write_failure(out, id, &error))
            .is_ok()
    }

    /// Maximum bytes of a response. A peer that leaves many responses unread gets only short responses.
    fn answer_limit(&self) -> usize {
        let unread = self.limits.outbound.saturating_mul(4);
        if self.outbox.unwritten() <= unread.saturating_add(self.limits.frame) {
            return self.limits.frame;
        }
        self.limits.frame.min(SHORT_ANSWER)
    }

    /// Whether the peer has cancelled a request, or the request already has a response.
    pub fn is_cancelled(&self, id: &Id) -> bool {
        match self.requests.get_key_value(id) {
            Some((known, request)) => request.cancelled || !known.may_match(id),
            None => true,
        }
    }

    /// Assigns a request to a session, for [`requests_of`](Self::requests_of) and
    /// [`cancel_requests`](Self::cancel_requests).
    pub fn assign(&mut self, id: &Id, session: SessionKey) {
        if let Some(request) = self.requests.get_mut(id) {
            request.session = Some(session);
        }
    }

    /// The pending requests of a session.
    pub fn requests_of(&self, session: SessionKey) -> Vec<Id> {
        let requests = self.requests.iter();
        let of_session = requests.filter(|(_, request)| request.session == Some(session));
        of_session.map(|(id, _)| id.clone()).collect()
    }

    /// Cancels the open requests of one session, or of all sessions, as if the peer had cancelled each of them.
    pub fn cancel_requests(&mut self, session: Option<SessionKey>) {
        for request in self.requests.values_mut() {
            if session.is_none() || request.session == session {
                request.cancelled = true;
            }
        }
    }

    /// The number of requests from the peer that wait for a response.
    pub fn open_requests(&self) -> usize {
        self.requests.len()
    }

    pub(super) fn receive_request(&mut self, id: Id, call: Call) -> Option<Event> {
        self.requests_received += 1;
        let id = id.with_number(self.requests_received);
        let full = self.requests.len() >= self.limits.in_flight;
        let behind = self.is_behind();
        let Entry::Vacant(place) = self.requests.entry(id.clone()) else {
            let reason = "a request with this id is still in progress";
            let error = fault(Error::INVALID_REQUEST, reason, "duplicate_id", None);
            return self.reject(&id, &error);
        };
        if full {
            let limit = Some(self.limits.in_flight);
            return self.overloaded(&id, "too many requests are in progress", limit);
        }
        if behind {
            return self.overloaded(
                &id,
                "responses to earlier requests have not been read",
                None,
            );
        }
        place.insert(InboundRequest {
            session: None,
            cancelled: false,
        });
        Some(Event::Request(id, call))
    }

    fn overloaded(&mut self, id: &Id, reason: &str, limit: Option<usize>) -> Option<Event> {
        self.counts.overloaded += 1;
        let error = fault(Error::INTERNAL, reason, "overloaded", limit);
        self.reject(id, &error)
    }

    /// Whether more responses wait to be written than the limits allow: the peer sends requests faster than it reads.
    fn is_behind(&self) -> bool {
        let most = self.limits.outbound.saturating_add(self.limits.frame);
        self.outbox.unwritten() > most
    }

    pub(super) fn receive_cancellation(&mut self, call: &Call) -> Option<Event> {
        let id = call.params().and_then(request_id);
        match id.as_ref().and_then(|id| self.requests.get_mut(id)) {
            Some(request) => {
                request.cancelled = true;
                id.map(Event::Cancelled)
            }
            None => {
                self.counts.stray_cancellations += 1;
                None
            }
        }
    }
}

/// Writes `$/cancel_request` for a request.
pub(super) fn write_cancel<I: Encode>(out: &mut String, id: &I) {
    let mut params = Object::default();
    params.put("requestId", id);
    crate::write_notification(out, CANCEL, &Raw::of(&params));
}

fn request_id(params: &str) -> Option<Id> {
    let params = Object::parse(params).ok()?;
    crate::json::from_str(params.get("requestId")?).ok()
}

const SHORT_ANSWER: usize = 64 << 10;
