//! One end of a conversation as a value: it takes what has come in and gives events, and keeps what is to go out.
//!
//! Every request of the peer is answered once, every call of ours ends once, and what either costs is bounded.

mod inbound;
mod outbound;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::json::{Object, Raw};
use crate::{
    Call, Error, Framing, Id, InboundMessage, Limits, Malformed, Outbox, Payload, ProbableKind,
    SendOptions, SessionKey, Urgency,
};

/// One end of a conversation.
#[derive(Debug)]
pub struct Endpoint {
    limits: Limits,
    non_json_lines: NonJsonLines,
    outbox: Outbox,
    /// Our calls that have not been answered, with the session that each belongs to.
    calls: BTreeMap<u64, SessionKey>,
    next_call: u64,
    /// The peer's requests that have not been answered.
    requests: HashMap<Id, InboundRequest>,
    /// How many requests have come in.
    requests_received: u64,
    /// Bytes of refusals that have been queued since there was room last.
    refusals: usize,
    counts: EndpointCounts,
}

/// A request of the peer that has not been answered.
#[derive(Debug)]
struct InboundRequest {
    /// The session that it was found to belong to.
    session: Option<SessionKey>,
    cancelled: bool,
}

/// What to do with lines that are not messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NonJsonLines {
    /// Answer each with an error, as JSON-RPC asks of whoever is called.
    #[default]
    Reject,
    /// Step over text that is no JSON: programs print banners where they should not.
    Skip,
}

/// A call of ours that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub(crate) u64);

/// What has happened.
#[derive(Debug)]
pub enum Event {
    /// The peer asks.
    Request(Id, Call),
    /// The peer tells.
    Notification(Call),
    /// The peer takes back a request, which is still to be answered.
    Cancelled(Id),
    /// A call of ours has ended.
    Response(CallId, Result<Payload, CallFailure>),
    /// The conversation cannot go on.
    Fatal(FatalError),
}

/// How a call can end without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFailure {
    /// The peer answered with an error.
    Refused(Error),
    /// The peer's answer was no answer; why.
    Malformed(String),
}

/// Why a conversation is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FatalError {
    /// The peer has sent too many lines that are not messages.
    TooManyMalformed,
    /// The peer asks without end and does not read the answers.
    UnreadResponses,
}

/// How often things have happened that are no events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndpointCounts {
    /// Lines that were no message.
    pub malformed: usize,
    /// Answers to calls that nobody waits for.
    pub stray_responses: usize,
    /// Requests refused since too many were under way, or too many answers unread.
    pub overloaded: usize,
    /// Requests taken back that were not under way.
    pub stray_cancellations: usize,
}

impl Endpoint {
    /// An end of a conversation that has not begun.
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
        }
    }

    /// Takes a message in.
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

    /// A message has come in that is over the limit, and has been stepped over. A request is refused by its id, and the
    /// call that an answer belongs to ends, if [`Malformed::too_long`] could tell them.
    pub fn receive_too_long(&mut self, malformed: Malformed) -> Option<Event> {
        if malformed.probable_kind == ProbableKind::Response {
            return self.malformed(malformed);
        }
        let limit = Some(self.limits.frame);
        let error = fault(malformed.code, malformed.reason, "frame_too_large", limit);
        self.no_message(&malformed.id.unwrap_or_else(Id::null), &error)
    }

    /// The stream has ended with bytes that may be a whole message or a part of one.
    pub fn receive_last(&mut self, message: InboundMessage) -> Option<Event> {
        if let InboundMessage::Malformed(_) = message {
            self.counts.malformed += 1;
            return None;
        }
        self.receive(message)
    }

    /// Sends back a message that whoever stands between us and the peer has answered in our place.
    pub fn send_back(&mut self, message: &str) -> Option<Event> {
        self.send_unasked(|out| out.push_str(message))
    }

    /// What waits to be written.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Whether another message should be queued now.
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

    /// What has happened so far that was no event.
    pub fn counts(&self) -> EndpointCounts {
        self.counts
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn malformed(&mut self, malformed: Malformed) -> Option<Event> {
        let is_unknown = malformed.code == Error::PARSE && malformed.id.is_none();
        let banner = is_unknown && self.non_json_lines == NonJsonLines::Skip;
        if let Some((id, error)) = malformed.error_response().filter(|_| !banner) {
            return self.no_message(&id, &error);
        }
        let over = self.count_malformed();
        let id = malformed
            .id
            .filter(|_| malformed.probable_kind == ProbableKind::Response);
        let lost = CallFailure::Malformed(malformed.reason);
        over.or_else(|| self.receive_response(&id?, Err(lost)))
    }

    fn no_message(&mut self, id: &Id, error: &Error) -> Option<Event> {
        let flooded = self.refuse(id, error);
        self.count_malformed().or(flooded)
    }

    fn count_malformed(&mut self) -> Option<Event> {
        self.counts.malformed += 1;
        let over = self.counts.malformed > self.limits.malformed;
        over.then_some(Event::Fatal(FatalError::TooManyMalformed))
    }

    /// Answers a message that is not passed on as a request.
    fn refuse(&mut self, id: &Id, error: &Error) -> Option<Event> {
        self.send_unasked(|out| crate::write_failure(out, id, error))
    }

    /// Sends what the program has not been asked for. Whoever does not read it and goes on is not worth more memory.
    fn send_unasked(&mut self, encode: impl FnOnce(&mut String)) -> Option<Event> {
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

/// An error of the engine's own: a kind for programs, and the limit that was hit if it was one.
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
            CallFailure::Malformed(reason) => write!(f, "the answer is malformed: {reason}"),
        }
    }
}

impl fmt::Display for FatalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FatalError::TooManyMalformed => "the peer sends too many lines that are not messages",
            FatalError::UnreadResponses => {
                "the peer asks without end and does not read the answers"
            }
        })
    }
}

/// The notification that cancels a request.
pub(crate) const CANCEL: &str = "$/cancel_request";
/// Room for refusals where the limit is smaller than a message.
const SMALL: usize = 64 << 10;
/// A message of ours about one id is never longer, the id aside.
const SMALLEST: usize = 512;
