//! One end of a connection as a value: received messages go in, events come out, and outgoing messages are queued.
//!
//! Every request from the peer gets one response, every call to the peer ends once, and the memory for both is bounded.

mod inbound;
mod outbound;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::json::{Object, Raw};
use crate::{
    Call, Error, Framing, Id, InboundMessage, Limits, Malformed, Outbox, Payload, ProbableKind,
    SendOptions, SessionKey, Urgency,
};

/// One end of a JSON-RPC connection, without I/O: [`receive`](Self::receive) turns a message into an [`Event`], and
/// outgoing messages are queued in the [`outbox`](Self::outbox).
#[derive(Debug)]
pub struct Endpoint {
    limits: Limits,
    non_json_lines: NonJsonLines,
    outbox: Outbox,
    /// Calls to the peer that have no response yet, each with its session.
    calls: BTreeMap<u64, SessionKey>,
    next_call: u64,
    /// Requests from the peer that have no response yet.
    requests: HashMap<Id, InboundRequest>,
    /// The number of requests received so far.
    requests_received: u64,
    /// Bytes of rejections queued since the outbox last had room.
    refusals: usize,
    counts: EndpointCounts,
    /// Set on an endpoint that forwards messages: the text with which the ids of its own calls start.
    call_prefix: Option<Box<str>>,
}

/// A request from the peer that has no response yet.
#[derive(Debug)]
struct InboundRequest {
    /// The session that the request was assigned to.
    session: Option<SessionKey>,
    cancelled: bool,
}

/// How an [`Endpoint`] treats lines that are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum NonJsonLines {
    /// Send an error response to each line, as JSON-RPC requires of a server.
    #[default]
    Reject,
    /// Ignore the lines: some programs print a banner to standard output before their first message.
    Skip,
}

/// Identifies a call to the peer until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub(crate) u64);

impl CallId {
    /// The id of the request on the wire.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The result of receiving a message.
#[derive(Debug)]
pub enum Event {
    /// The peer sent a request. Respond with [`Endpoint::respond`].
    Request(Id, Call),
    /// The peer sent a notification.
    Notification(Call),
    /// The peer cancelled one of its requests. The request still needs a response.
    Cancelled(Id),
    /// A call to the peer has ended, with a result or a failure.
    Response(CallId, Result<Payload, CallFailure>),
    /// The peer responded to a request that was forwarded to it. See [`Endpoint::forwarding`].
    ForwardedResponse(Id, Result<Payload, CallFailure>),
    /// The connection must be closed.
    Fatal(FatalError),
}

/// Why a call ended without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFailure {
    /// The peer responded with an error.
    Refused(Error),
    /// The peer's response is not a valid JSON-RPC response; contains the reason.
    Malformed(String),
}

/// Why a connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FatalError {
    /// The peer sent more lines that are not messages than [`Limits::malformed`] allows.
    TooManyMalformed,
    /// The peer keeps sending requests but does not read the responses.
    UnreadResponses,
}

/// Counters of messages that were dropped or rejected without an [`Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EndpointCounts {
    /// Lines that were not messages.
    pub malformed: usize,
    /// Responses that match no pending call.
    pub stray_responses: usize,
    /// Requests rejected because too many were in progress or too many responses were unread.
    pub overloaded: usize,
    /// Cancellations that match no pending request.
    pub stray_cancellations: usize,
}

impl Endpoint {
    /// Creates the endpoint of a new connection.
    pub fn new(mut limits: Limits, framing: Framing, non_json_lines: NonJsonLines) -> Self {
        limits.frame = limits.frame.max(limits.id.saturating_add(SMALLEST));
        limits.outbound = limits.outbound.max(1);
        limits.in_flight = limits.in_flight.max(1);
        Endpoint {
            outbox: Outbox::new(framing, limits.frame, limits.outbound),
            limits,
            non_json_lines,
            calls: BTreeMap::new(),
            next_call: 1,
            requests: HashMap::new(),
            requests_received: 0,
            refusals: 0,
            counts: EndpointCounts::default(),
            call_prefix: None,
        }
    }

    /// Makes this the endpoint of a program that forwards requests of others to the peer, with their own ids. A response
    /// with the id of no own call becomes [`Event::ForwardedResponse`]. The ids of own calls are strings that start with
    /// `call_prefix`, so that they differ from those of forwarded requests.
    #[must_use]
    pub fn forwarding(mut self, call_prefix: &str) -> Self {
        self.call_prefix = Some(call_prefix.into());
        self
    }

    /// Processes a received message. Returns an event if the program has to act on it.
    pub fn receive(&mut self, message: InboundMessage) -> Option<Event> {
        match message {
            InboundMessage::Notification(call) if call.method() == CANCEL => {
                self.receive_cancellation(&call)
            }
            InboundMessage::Notification(call) => Some(Event::Notification(call)),
            InboundMessage::Request(id, call) => self.receive_request(id, call),
            InboundMessage::Response(id, outcome) => {
                self.receive_response(&id, outcome.map_err(CallFailure::Refused))
            }
            InboundMessage::Malformed(malformed) => self.malformed(malformed),
        }
    }

    /// Processes a message that was longer than the limit and was skipped. If [`Malformed::too_long`] found its id, a
    /// request is rejected with that id, and a response ends its call.
    pub fn receive_too_long(&mut self, malformed: Malformed) -> Option<Event> {
        if malformed.probable_kind == ProbableKind::Response {
            return self.malformed(malformed);
        }
        let limit = Some(self.limits.frame);
        let error = fault(malformed.code, malformed.reason, "frame_too_large", limit);
        self.reject_malformed(&malformed.id.unwrap_or_else(Id::null), &error)
    }

    /// Processes the bytes after the last line break of a stream that has ended. They may be a whole message or only
    /// the beginning of one, which is counted and dropped.
    pub fn receive_last(&mut self, message: InboundMessage) -> Option<Event> {
        if let InboundMessage::Malformed(_) = message {
            self.counts.malformed += 1;
            return None;
        }
        self.receive(message)
    }

    /// Queues a message that a [`Translator`](crate::Translator) sends back to the peer on its own.
    pub fn send_back(&mut self, message: &str) -> Option<Event> {
        self.send_automatic(|out| out.push_str(message))
    }

    /// The queue of outgoing messages.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Whether the outbox has room for another message of this urgency.
    pub fn has_room(&self, urgency: Urgency) -> bool {
        match urgency {
            Urgency::Ordinary => self.outbox.has_room(),
            Urgency::Urgent => self.outbox.has_urgent_room(),
        }
    }

    /// Whether every queued message has been written.
    pub fn has_sent_all(&self) -> bool {
        self.outbox.unwritten() == 0
    }

    /// Counters of messages that were dropped or rejected so far.
    pub fn counts(&self) -> EndpointCounts {
        self.counts
    }

    /// The limits of this connection.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn malformed(&mut self, malformed: Malformed) -> Option<Event> {
        let is_unknown = malformed.code == Error::PARSE && malformed.id.is_none();
        let banner = is_unknown && self.non_json_lines == NonJsonLines::Skip;
        if let Some((id, error)) = malformed.error_response().filter(|_| !banner) {
            return self.reject_malformed(&id, &error);
        }
        let over = self.count_malformed();
        let id = malformed
            .id
            .filter(|_| malformed.probable_kind == ProbableKind::Response);
        let lost = CallFailure::Malformed(malformed.reason);
        over.or_else(|| self.receive_response(&id?, Err(lost)))
    }

    fn reject_malformed(&mut self, id: &Id, error: &Error) -> Option<Event> {
        let flooded = self.reject(id, error);
        self.count_malformed().or(flooded)
    }

    fn count_malformed(&mut self) -> Option<Event> {
        self.counts.malformed += 1;
        let over = self.counts.malformed > self.limits.malformed;
        over.then_some(Event::Fatal(FatalError::TooManyMalformed))
    }

    /// Sends an error response to a message that does not become an event.
    fn reject(&mut self, id: &Id, error: &Error) -> Option<Event> {
        self.send_automatic(|out| crate::write_failure(out, id, error))
    }

    /// Queues a message that the program did not send itself. A peer that causes many of them without reading them is
    /// disconnected, so that they do not use up memory.
    fn send_automatic(&mut self, encode: impl FnOnce(&mut String)) -> Option<Event> {
        if self.outbox.has_room() {
            self.refusals = 0;
        }
        if self.refusals > self.limits.outbound.saturating_add(SMALL) {
            return Some(Event::Fatal(FatalError::UnreadResponses));
        }
        let before = self.outbox.unwritten();
        let sent = self
            .outbox
            .push(SendOptions::of(SessionKey::CONNECTION), encode);
        self.refusals += self.outbox.unwritten() - before;
        sent.is_err()
            .then_some(Event::Fatal(FatalError::UnreadResponses))
    }
}

/// An error response made by the endpoint itself. Its data contains a kind for programs and the limit that was exceeded.
fn fault(code: i32, reason: impl Into<String>, kind: &str, limit: Option<usize>) -> Error {
    let mut data = Object::default();
    data.put("kind", kind);
    if let Some(limit) = limit {
        data.put("limit", &(limit as u64));
    }
    Error::new(code, reason).data(Raw::of(&data))
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallFailure::Refused(error) => error.fmt(f),
            CallFailure::Malformed(reason) => write!(f, "the response is malformed: {reason}"),
        }
    }
}

impl fmt::Display for FatalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FatalError::TooManyMalformed => "the peer sends too many lines that are not messages",
            FatalError::UnreadResponses => {
                "the peer keeps sending requests but does not read the responses"
            }
        })
    }
}

/// The notification that cancels a request.
pub(crate) const CANCEL: &str = "$/cancel_request";
/// Bytes of rejections that may wait even if the outbound limit is smaller than a message.
const SMALL: usize = 64 << 10;
/// Maximum bytes, without the id, of a message that the endpoint itself sends about a request.
const SMALLEST: usize = 512;
