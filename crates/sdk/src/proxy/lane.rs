//! The order of the messages in one direction of a proxy. A message that the program has taken keeps its place: later
//! messages of the same session wait until the program has decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use attache_rpc::json::Reader;
use attache_rpc::{Call, Error, Id, SessionKey};
use attache_schema::v1;
use bytestring::ByteString;
use tokio::sync::Notify;

/// One direction of a proxy.
pub(super) struct Lane {
    state: Mutex<LaneState>,
    /// Notified when messages have left the lane.
    left: Notify,
    limit: usize,
}

/// The number of a message that the program has taken, in the order of the lane.
type Number = u64;

#[derive(Default)]
pub(super) struct LaneState {
    last: Number,
    /// The message that the program has taken, if it is the only message in the lane.
    only: Option<(Number, SessionSource)>,
    /// Messages of the lane by session, if there are more.
    sessions: HashMap<SessionKey, SessionQueue>,
    /// The sessions of the messages in `sessions` that the program has taken.
    keys: HashMap<Number, SessionKey>,
    /// Bytes of all messages in the lane.
    bytes: usize,
    /// Whether somebody waits for messages to leave the lane.
    is_watched: bool,
    /// Requests that the program has taken, each with its cancellation if that has arrived.
    taken_requests: HashMap<Id, Option<ByteString>>,
    /// Requests that were forwarded and have no response yet.
    pub(super) forwarded: HashMap<Id, ForwardedRequest>,
}

/// The messages of a session in a lane.
#[derive(Default)]
struct SessionQueue {
    /// Messages that the program has taken.
    taken: BTreeSet<Number>,
    /// Messages that wait behind those.
    waiting: BTreeMap<Number, Outgoing>,
}

/// How the session of a message is found. Most messages leave the lane before anybody asks.
pub(super) enum SessionSource {
    Known(SessionKey),
    Call(Call),
}

/// A message that leaves the lane, with the size of the message that it replaces.
struct Outgoing {
    content: OutgoingContent,
    size: usize,
}

/// A message that leaves the lane.
pub(super) enum OutgoingContent {
    Request(Id, ByteString, ForwardedRequest),
    Notification(ByteString),
    /// A response as the line that was received.
    Response(Id, ByteString),
    /// A response of the program.
    Failure(Id, Error),
}

/// A request that was forwarded and has no response yet.
#[derive(Debug, Clone)]
pub(super) struct ForwardedRequest {
    pub(super) method: Box<str>,
    pub(super) session: Option<v1::SessionId>,
}

impl Lane {
    pub(super) fn new(limit: usize) -> Self {
        Lane {
            state: Mutex::default(),
            left: Notify::new(),
            limit,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LaneState> {
        // No user code runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another message may enter the lane.
    pub(super) fn has_room(&self) -> bool {
        self.lock().bytes < self.limit
    }

    /// Waits until another message may enter the lane.
    pub(super) async fn room(&self) {
        self.wait(|state| state.bytes < self.limit).await;
    }

    /// Waits until no message is in the lane.
    pub(super) async fn empty(&self) {
        self.wait(|state| state.only.is_none() && state.sessions.is_empty())
            .await;
    }

    async fn wait(&self, until: impl Fn(&LaneState) -> bool) {
        loop {
            let mut left = std::pin::pin!(self.left.notified());
            left.as_mut().enable();
            if self.is_or_watch(&until) {
                return;
            }
            left.await;
        }
    }

    fn is_or_watch(&self, until: &impl Fn(&LaneState) -> bool) -> bool {
        let mut state = self.lock();
        let is_reached = until(&state);
        state.is_watched |= !is_reached;
        is_reached
    }

    /// Gives the place of a message that the program has taken to `outgoing`, or gives the place up. `outgoing` leaves the
    /// lane as soon as all earlier messages of its session have left it. Calls `send` for each message that leaves now.
    pub(super) fn resolve(
        &self,
        number: Number,
        size: usize,
        outgoing: Option<OutgoingContent>,
        send: impl FnMut(&mut LaneState, OutgoingContent),
    ) {
        let mut state = self.lock();
        state.resolve(number, size, outgoing, send);
        if std::mem::take(&mut state.is_watched) {
            drop(state);
            self.left.notify_waiters();
        }
    }
}

impl LaneState {
    /// The program takes a message.
    pub(super) fn take(&mut self, session: SessionSource, size: usize) -> Number {
        self.last += 1;
        self.bytes += size;
        if self.only.is_none() && self.sessions.is_empty() {
            self.only = Some((self.last, session));
            return self.last;
        }
        if let Some((number, session)) = self.only.take() {
            self.enter(number, session.key());
        }
        self.enter(self.last, session.key());
        self.last
    }

    fn enter(&mut self, number: Number, session: SessionKey) {
        self.keys.insert(number, session);
        self.sessions
            .entry(session)
            .or_default()
            .taken
            .insert(number);
    }

    fn resolve(
        &mut self,
        number: Number,
        size: usize,
        outgoing: Option<OutgoingContent>,
        mut send: impl FnMut(&mut Self, OutgoingContent),
    ) {
        if outgoing.is_none() {
            self.bytes -= size;
        }
        let outgoing = outgoing.map(|content| Outgoing { content, size });
        if self.only.as_ref().is_some_and(|(only, _)| *only == number) {
            self.only = None;
            if let Some(outgoing) = outgoing {
                self.leave(outgoing, &mut send);
            }
            return;
        }
        let Some(session) = self.keys.remove(&number) else {
            return;
        };
        let Some(queue) = self.sessions.get_mut(&session) else {
            return;
        };
        queue.taken.remove(&number);
        if let Some(outgoing) = outgoing {
            queue.waiting.insert(number, outgoing);
        }
        let blocked_from = queue.taken.first().copied().unwrap_or(Number::MAX);
        let rest = queue.waiting.split_off(&blocked_from);
        let ready = std::mem::replace(&mut queue.waiting, rest);
        if queue.taken.is_empty() && queue.waiting.is_empty() {
            self.sessions.remove(&session);
        }
        for outgoing in ready.into_values() {
            self.leave(outgoing, &mut send);
        }
    }

    fn leave(&mut self, outgoing: Outgoing, send: &mut impl FnMut(&mut Self, OutgoingContent)) {
        self.bytes -= outgoing.size;
        send(self, outgoing.content);
    }

    /// The program takes a request.
    pub(super) fn take_request(&mut self, id: Id) {
        self.taken_requests.insert(id, None);
    }

    /// The request no longer waits for the program. Returns its cancellation if that has arrived.
    pub(super) fn release_request(&mut self, id: &Id) -> Option<ByteString> {
        self.taken_requests.remove(id).flatten()
    }

    /// The sender has cancelled a request. Returns the cancellation if it can be forwarded now.
    pub(super) fn cancel(&mut self, id: &Id, cancellation: ByteString) -> Option<ByteString> {
        if self.forwarded.contains_key(id) {
            return Some(cancellation);
        }
        if let Some(held) = self.taken_requests.get_mut(id) {
            *held = Some(cancellation);
        }
        None
    }
}

impl SessionSource {
    fn key(&self) -> SessionKey {
        match self {
            SessionSource::Known(key) => *key,
            SessionSource::Call(call) => {
                let named = call.params().and_then(session_named_in);
                session_key(named.as_ref())
            }
        }
    }
}

/// The session that params or a result name.
pub(super) fn session_named_in(json: &str) -> Option<v1::SessionId> {
    let id = Reader::new(json).tag("sessionId").ok()??;
    Some(v1::SessionId::from(&*id))
}

pub(super) fn session_key(session: Option<&v1::SessionId>) -> SessionKey {
    session.map_or(SessionKey::CONNECTION, |id| SessionKey::named(id.as_str()))
}
