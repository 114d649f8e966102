//! One end of a conversation as a value: it takes what has come in and gives events, and keeps what is to go out.
//!
//! Every request of the peer is answered once, every call of ours ends once, and what either costs is bounded.

mod inbound;
mod outbound;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::json::{Object, Raw};
use crate::{
    Arrival, Call, Error, Framing, Guess, Id, Limits, Malformed, Outbox, Payload, SendOptions,
    SessionKey, Urgency,
};

/// One end of a conversation.
#[derive(Debug)]
pub struct Endpoint {
    limits: Limits,
    garbage: Garbage,
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
    counts: Counts,
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
pub enum Garbage {
    /// Answer each with an error, as JSON-RPC asks of whoever is called.
    #[default]
    Answer,
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
    Answered(CallId, Result<Payload, Lost>),
    /// The conversation cannot go on.
    Fatal(Fatal),
}

/// How a call can end without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The peer answered with an error.
    Refused(Error),
    /// The peer's answer was no answer; why.
    Malformed(String),
}

/// Why a conversation is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fatal {
    /// The peer has sent too many lines that are not messages.
    Garbage,
    /// The peer asks without end and does not read the answers.
    Flooded,
}

/// How often things have happened that are no events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Lines that were no message.
    pub malformed: usize,
    /// Answers to calls that nobody waits for.
    pub stray_answers: usize,
    /// Requests refused since too many were under way, or too many answers unread.
    pub overloaded: usize,
    /// Requests taken back that were not under way.
    pub stray_cancels: usize,
}

impl Endpoint {
    /// An end of a conversation that has not begun.
    pub fn new(mut limits: Limits, framing: Framing, garbage: Garbage) -> Self {
        limits.frame = limits.frame.max(limits.id.saturating_add(SMALLEST));
        limits.outbound = limits.outbound.max(1);
        limits.in_flight = limits.in_flight.max(1);
        Endpoint {
            outbox: Outbox::new(framing, limits.frame, limits.outbound),
            limits,
            garbage,
            calls: BTreeMap::new(),
            next_call: 1,
            requests: HashMap::new(),
            requests_received: 0,
            refusals: 0,
            counts: Counts::default(),
        }
    }

    /// Takes a message in.
    pub fn receive(&mut self, arrival: Arrival) -> Option<Event> {
        match arrival {
            Arrival::Notification(call) if call.method() == CANCEL => {
                self.receive_cancellation(&call)
            }
            Arrival::Notification(call) => Some(Event::Notification(call)),
            Arrival::Request(id, call) => self.receive_request(id, call),
            Arrival::Answer(id, outcome) => {
                self.receive_response(&id, outcome.map_err(Lost::Refused))
            }
            Arrival::Malformed(malformed) => self.malformed(malformed),
        }
    }

    /// A message has come in that is over the limit, and has been stepped over. A request is refused by its id, and the
    /// call that an answer belongs to ends, if [`Malformed::too_long`] could tell them.
    pub fn receive_too_long(&mut self, malformed: Malformed) -> Option<Event> {
        if malformed.guess == Guess::Answer {
            return self.malformed(malformed);
        }
        let limit = Some(self.limits.frame);
        let error = fault(malformed.code, malformed.reason, "frame_too_large", limit);
        self.no_message(&malformed.id.unwrap_or_else(Id::null), &error)
    }

    /// The stream has ended with bytes that may be a whole message or a part of one.
    pub fn receive_last(&mut self, arrival: Arrival) -> Option<Event> {
        if let Arrival::Malformed(_) = arrival {
            self.counts.malformed += 1;
            return None;
        }
        self.receive(arrival)
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
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn malformed(&mut self, malformed: Malformed) -> Option<Event> {
        let is_unknown = malformed.code == Error::PARSE && malformed.id.is_none();
        let banner = is_unknown && self.garbage == Garbage::Skip;
        if let Some((id, error)) = malformed.answer().filter(|_| !banner) {
            return self.no_message(&id, &error);
        }
        let over = self.count_malformed();
        let id = malformed.id.filter(|_| malformed.guess == Guess::Answer);
        let lost = Lost::Malformed(malformed.reason);
        over.or_else(|| self.receive_response(&id?, Err(lost)))
    }

    fn no_message(&mut self, id: &Id, error: &Error) -> Option<Event> {
        let flooded = self.refuse(id, error);
        self.count_malformed().or(flooded)
    }

    fn count_malformed(&mut self) -> Option<Event> {
        self.counts.malformed += 1;
        let over = self.counts.malformed > self.limits.malformed;
        over.then_some(Event::Fatal(Fatal::Garbage))
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
            return Some(Event::Fatal(Fatal::Flooded));
        }
        let before = self.outbox.unwritten();
        let sent = self
            .outbox
            .push(SendOptions::of(SessionKey::CONNECTION), encode);
        self.refusals += self.outbox.unwritten() - before;
        sent.is_err().then_some(Event::Fatal(Fatal::Flooded))
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

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Refused(error) => error.fmt(f),
            Lost::Malformed(reason) => write!(f, "the answer is malformed: {reason}"),
        }
    }
}

impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fatal::Garbage => "the peer sends too many lines that are not messages",
            Fatal::Flooded => "the peer asks without end and does not read the answers",
        })
    }
}

/// The notification that cancels a request.
pub(crate) const CANCEL: &str = "$/cancel_request";
/// Room for refusals where the limit is smaller than a message.
const SMALL: usize = 64 << 10;
/// A message of ours about one id is never longer, the id aside.
const SMALLEST: usize = 512;
