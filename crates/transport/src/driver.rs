//! The state shared by the reading task, the writing task, the inbox and the peer handles.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use attache_rpc::{
    Call, CallFailure, CallId, Endpoint, Event, Id, InboundMessage, Payload, SessionKey, Translator,
};
use bytestring::ByteString;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;
use tracing::{Instrument, Span};

use crate::diagnostics::{self, OpenTraces};
use crate::inbox::LONG;
use crate::peer_handle::CloseOnDrop;
use crate::{
    CallError, CloseReason, Delivery, Inbox, IncomingCall, Options, PeerHandle, RelayInbox,
    RelayedMessage, reader, writer,
};

/// Starts a JSON-RPC connection over a byte stream in each direction, for example [`stdio`](crate::stdio()). Spawns two
/// tasks, so it must be called within a tokio runtime. Keep handling calls from the [`Inbox`]: reading stops while the
/// inbox is full.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (PeerHandle, Inbox)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = options.limits.clone();
    let endpoint = Endpoint::new(limits, options.framing, options.non_json_lines);
    start(read, write, options, endpoint, Routing::Calls)
}

/// Starts one side of a proxy: a connection whose [`RelayInbox`] also yields cancellations, and responses to requests that
/// were forwarded to the peer with [`PeerHandle::relay_now`]. The ids of own calls start with `call_prefix`, so that they
/// differ from those of forwarded requests. Must be called within a tokio runtime.
pub fn connect_relay<R, W>(
    read: R,
    write: W,
    options: Options,
    call_prefix: &str,
) -> (PeerHandle, RelayInbox)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = options.limits.clone();
    let endpoint = Endpoint::new(limits, options.framing, options.non_json_lines);
    let endpoint = endpoint.forwarding(call_prefix);
    let (link, inbox) = start(read, write, options, endpoint, Routing::Everything);
    (link, RelayInbox::new(inbox))
}

fn start<R, W>(
    read: R,
    write: W,
    options: Options,
    endpoint: Endpoint,
    routing: Routing,
) -> (PeerHandle, Inbox)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = options.limits.clone();
    let span = diagnostics::connection_span(&options);
    let shared = Arc::new(Shared {
        span: span.clone(),
        traces: OpenTraces::default(),
        state: Mutex::new(State {
            endpoint,
            inbox: VecDeque::new(),
            requests: VecDeque::new(),
            received: HashMap::new(),
            uncounted: 0,
            waiters: BTreeMap::new(),
            inbox_dropped: false,
            reading: None,
            writing: None,
            closing: false,
            waiting: Vec::new(),
            writer: None,
            consumer: None,
            flushed: true,
        }),
        has_translator: AtomicBool::new(options.translator.is_some()),
        translator: Mutex::new(options.translator),
        unread: AtomicUsize::new(0),
        taken_count: AtomicUsize::new(0),
        write_count: AtomicUsize::new(0),
        inbound: limits.inbound.max(1),
        stall: options.stall.min(LONG),
        stalls_on_requests: options.stalls_on_requests,
        grace: options.grace,
        room: Notify::new(),
        taken: Notify::new(),
        closing: Notify::new(),
        cancelled: Notify::new(),
        settled: Notify::new(),
    });
    let reader = reader::run(
        read,
        Arc::clone(&shared),
        limits,
        options.non_json_lines,
        options.session_index,
        options.tap.clone(),
        routing,
    );
    tokio::spawn(reader.instrument(span.clone()));
    let writer = writer::run(write, Arc::clone(&shared), options.framing, options.tap);
    tokio::spawn(writer.instrument(span));
    let owner = Arc::new(CloseOnDrop(Arc::clone(&shared)));
    let inbox = Inbox::new(Arc::clone(&owner), shared);
    (PeerHandle(owner), inbox)
}

pub(crate) struct Shared {
    /// The span of the connection in the log.
    pub(crate) span: Span,
    pub(crate) traces: OpenTraces,
    state: Mutex<State>,
    has_translator: AtomicBool,
    translator: Mutex<Option<Box<dyn Translator>>>,
    /// Bytes of received messages that have not been taken from the inbox.
    pub(crate) unread: AtomicUsize,
    /// The number of items that have been taken from the inbox.
    pub(crate) taken_count: AtomicUsize,
    /// The number of writes to the stream.
    pub(crate) write_count: AtomicUsize,
    pub(crate) inbound: usize,
    pub(crate) stall: Duration,
    stalls_on_requests: bool,
    pub(crate) grace: Duration,
    /// Notified when there is room for another message or call, or the connection ends.
    pub(crate) room: Notify,
    /// Notified when items have been taken from the inbox.
    pub(crate) taken: Notify,
    /// Notified when this side closes the connection or drops its last handle.
    pub(crate) closing: Notify,
    /// Notified when a request from the peer has been cancelled.
    pub(crate) cancelled: Notify,
    /// Notified when a request from the peer has its response, or messages have been written.
    pub(crate) settled: Notify,
}

pub(crate) struct State {
    pub(crate) endpoint: Endpoint,
    pub(crate) inbox: VecDeque<InboxItem>,
    /// When the requests that have not been taken from the inbox were received.
    pub(crate) requests: VecDeque<Instant>,
    /// When the requests in the inbox were received, if that is logged.
    pub(crate) received: HashMap<Id, Instant>,
    /// Bytes received since the last item was put into the inbox.
    uncounted: usize,
    pub(crate) waiters: BTreeMap<CallId, ResponseWaiter>,
    pub(crate) inbox_dropped: bool,
    /// The reason why reading has ended; `None` while the connection is read.
    pub(crate) reading: Option<CloseReason>,
    /// The reason why writing has ended; `None` while the connection is written.
    pub(crate) writing: Option<CloseReason>,
    pub(crate) closing: bool,
    /// The sessions of messages that wait for room in the outbox, one entry per message.
    pub(crate) waiting: Vec<SessionKey>,
    /// Wakes the writing task while it waits for messages to write.
    pub(crate) writer: Option<Waker>,
    /// Wakes the task that waits in [`Inbox::next`].
    pub(crate) consumer: Option<Waker>,
    /// Whether the stream has been flushed since the last write.
    pub(crate) flushed: bool,
}

/// A pending call, and how its response is delivered.
pub(crate) struct ResponseWaiter {
    pub(crate) delivery: Delivery,
    pub(crate) answer: oneshot::Sender<Result<Payload, CallError>>,
    /// The time at which the call was started, and the number of items taken from the inbox until then.
    pub(crate) started: Instant,
    pub(crate) taken_count: usize,
    /// The time at which the response was put into the inbox.
    pub(crate) queued: Option<Instant>,
}

/// What a connection puts into its inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Routing {
    /// Calls of the peer, and responses that are delivered in order.
    Calls,
    /// Also cancellations and responses that belong to forwarded requests.
    Everything,
}

/// An item in the inbox, with the bytes that it occupies.
pub(crate) enum InboxItem {
    Call(IncomingCall, usize),
    Response(CallId, Result<Payload, CallFailure>, usize),
    /// A cancellation or response for the other side of a proxy.
    Relayed(RelayedMessage, usize),
}

/// Ends one direction of the connection when its task is dropped or panics.
pub(crate) struct EndOnDrop<'a> {
    shared: &'a Shared,
    end: fn(&Shared, &CloseReason),
}

impl<'a> EndOnDrop<'a> {
    pub(crate) fn of(shared: &'a Shared, end: fn(&Shared, &CloseReason)) -> Self {
        EndOnDrop { shared, end }
    }
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        (self.end)(self.shared, &CloseReason::TaskFailed);
    }
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under the lock, and ours leaves the state whole at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has_translator(&self) -> bool {
        self.has_translator.load(Ordering::Acquire)
    }

    /// Calls `work` with the translator, if there is one. If `work` returns `true`, the translator is finished and is
    /// dropped.
    pub(crate) fn with_translator(&self, work: impl FnOnce(&mut dyn Translator) -> bool) {
        if !self.has_translator() {
            return;
        }
        let mut translator = self
            .translator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_finished = match translator.as_mut() {
            Some(translator) => work(translator.as_mut()),
            None => false,
        };
        if is_finished {
            self.has_translator.store(false, Ordering::Release);
            *translator = None;
        }
    }

    /// Receives messages that the translator has sent back to this side, as if the peer had sent them.
    pub(crate) fn receive_sent_back(&self, messages: impl Iterator<Item = String>) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut size = 0;
        let received = None;
        for message in messages {
            let bytes = message.len();
            let message = InboundMessage::read(message.into(), state.endpoint.limits());
            let event = state.endpoint.receive(message);
            size += state.route(event, bytes, received, None);
        }
        self.unread.fetch_add(size, Ordering::AcqRel);
        state.wake_consumer();
    }

    /// Ends reading: pending calls fail, and waiting tasks are woken.
    pub(crate) fn end_reading(&self, why: &CloseReason) {
        let mut state = self.lock();
        let is_first = state.reading.is_none();
        if is_first {
            state.reading = Some(why.clone());
        }
        state.fail_unqueued(why);
        state.wake_writer();
        state.wake_consumer();
        drop(state);
        self.wake_all();
        if is_first {
            diagnostics::connection_ended(&self.span, "incoming", why);
        }
    }

    /// Cancels all pending requests from the peer.
    pub(crate) fn cancel_all_requests(&self) {
        self.lock().endpoint.cancel_requests(None);
        self.cancelled.notify_waiters();
    }

    /// Ends writing: pending calls fail, because most of their requests were not sent.
    pub(crate) fn end_writing(&self, why: &CloseReason) {
        let mut state = self.lock();
        let is_first = state.writing.is_none();
        if is_first {
            state.writing = Some(why.clone());
        }
        state.endpoint.cancel_requests(None);
        state.fail_unqueued(why);
        state.wake_consumer();
        drop(state);
        self.wake_all();
        if is_first {
            diagnostics::connection_ended(&self.span, "outgoing", why);
        }
    }

    fn wake_all(&self) {
        self.taken.notify_one();
        self.room.notify_waiters();
        self.cancelled.notify_waiters();
        self.settled.notify_waiters();
    }

    pub(crate) fn has_inbox_room(&self) -> bool {
        self.unread.load(Ordering::Acquire) < self.inbound
    }

    pub(crate) fn taken_count(&self) -> usize {
        self.taken_count.load(Ordering::Relaxed)
    }

    /// Fails every pending call, because the messages before its response are not taken from the inbox.
    pub(crate) fn fail_stalled(&self) {
        self.lock().fail_all(&CallError::Stalled);
        self.room.notify_waiters();
        diagnostics::stalled(self.stall);
    }
}

/// Requests that wait in the inbox.
impl Shared {
    /// Whether calls stall because of requests, and some wait in the inbox.
    pub(crate) fn has_unread_requests(&self) -> bool {
        self.stalls_on_requests && !self.lock().requests.is_empty()
    }

    /// Fails the calls of a program that has taken nothing from the inbox since it started them, although a request waits
    /// there: the peer may need its response before it responds. Returns the time until the next check, if any.
    pub(crate) fn fail_calls_behind_requests(&self) -> Option<Duration> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let unread = state.requests.front()?.elapsed();
        let taken_count = self.taken_count();
        let mut next = self.stall;
        let mut stalled = Vec::new();
        for (call, waiter) in &state.waiters {
            let waited = unread.min(waiter.started.elapsed());
            match self.stall.checked_sub(waited) {
                _ if waiter.taken_count != taken_count => {}
                None | Some(Duration::ZERO) => stalled.push(*call),
                Some(left) => next = next.min(left),
            }
        }
        for call in stalled {
            state.fail(call, CallError::Stalled);
        }
        state.wake_writer();
        drop(guard);
        self.room.notify_waiters();
        Some(next)
    }
}

impl State {
    /// Wakes the writing task: there are messages to write, or the connection ends.
    pub(crate) fn wake_writer(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// Wakes the task that waits in [`Inbox::next`]: there are new items, or the connection has ended.
    pub(crate) fn wake_consumer(&mut self) {
        if let Some(consumer) = self.consumer.take() {
            consumer.wake();
        }
    }

    /// Whether this side has closed the connection.
    pub(crate) fn closed_here(&self) -> bool {
        self.closing
    }

    /// Whether no message is left to write, or writing has ended.
    pub(crate) fn has_written_all(&self) -> bool {
        self.writing.is_some() || (self.flushed && self.endpoint.has_sent_all())
    }

    /// The reason why the connection has ended; `None` while it is open.
    pub(crate) fn closed(&self) -> Option<&CloseReason> {
        self.writing.as_ref().or(self.reading.as_ref())
    }

    /// Delivers an event to the inbox or to a pending call. Returns the bytes that it occupies in the inbox. `line` is the
    /// whole message, if [`Routing::Everything`] needs it.
    pub(crate) fn route(
        &mut self,
        event: Option<Event>,
        size: usize,
        received: Option<Instant>,
        line: Option<ByteString>,
    ) -> usize {
        let queued = match event {
            Some(Event::Request(id, call)) => {
                let call = self.detach_if_large(call, size, Call::detached);
                self.received
                    .extend(received.map(|received| (id.clone(), received)));
                self.enqueue(IncomingCall::Request(id, call), size)
            }
            Some(Event::Notification(call)) => {
                let call = self.detach_if_large(call, size, Call::detached);
                self.enqueue(IncomingCall::Notification(call), size)
            }
            Some(Event::Response(call, outcome)) => self.route_response(call, outcome, size),
            Some(Event::Cancelled(id)) => line.map_or(0, |line| {
                let line = self.detach_if_large(line, size, |line| ByteString::from(&*line));
                self.enqueue_relayed(RelayedMessage::Cancellation(id, line), size)
            }),
            Some(Event::ForwardedResponse(id, outcome)) => {
                let line = line.unwrap_or_default();
                let line = self.detach_if_large(line, size, |line| ByteString::from(&*line));
                self.enqueue_relayed(RelayedMessage::Response { id, outcome, line }, size)
            }
            Some(Event::Fatal(_)) | None => 0,
        };
        self.uncounted = match queued {
            0 => self.uncounted.saturating_add(size),
            _ => 0,
        };
        queued
    }

    /// A queued message keeps its whole read buffer alive. Copies the message out if the rest of the buffer is larger and
    /// not counted.
    fn detach_if_large<T>(&self, value: T, size: usize, detached: impl FnOnce(T) -> T) -> T {
        match self.uncounted > size.max(UNCOUNTED) {
            true => detached(value),
            false => value,
        }
    }

    fn enqueue(&mut self, incoming: IncomingCall, size: usize) -> usize {
        if self.inbox_dropped {
            if let IncomingCall::Request(id, _) = &incoming {
                crate::peer_handle::refuse_unread(&mut self.endpoint, id);
            }
            return 0;
        }
        if let IncomingCall::Request(..) = &incoming {
            self.requests.push_back(Instant::now());
        }
        self.inbox.push_back(InboxItem::Call(incoming, size));
        size
    }

    fn enqueue_relayed(&mut self, message: RelayedMessage, size: usize) -> usize {
        if self.inbox_dropped {
            return 0;
        }
        self.inbox.push_back(InboxItem::Relayed(message, size));
        size
    }

    fn route_response(
        &mut self,
        call: CallId,
        outcome: Result<Payload, CallFailure>,
        size: usize,
    ) -> usize {
        match self.waiters.get_mut(&call) {
            Some(waiter) if waiter.delivery == Delivery::InOrder && !self.inbox_dropped => {
                waiter.queued = Some(Instant::now());
                let outcome =
                    outcome.map(|result| self.detach_if_large(result, size, Payload::detached));
                self.inbox
                    .push_back(InboxItem::Response(call, outcome, size));
                size
            }
            _ => {
                self.deliver(call, outcome);
                0
            }
        }
    }

    /// Delivers a response to its pending call.
    pub(crate) fn deliver(&mut self, call: CallId, outcome: Result<Payload, CallFailure>) {
        if let Some(waiter) = self.waiters.remove(&call) {
            // Fails if the caller has stopped waiting.
            drop(waiter.answer.send(outcome.map_err(CallError::from)));
        }
    }

    /// Fails every call whose response has not been received.
    fn fail_unqueued(&mut self, why: &CloseReason) {
        for call in self.endpoint.end() {
            if let Some(waiter) = self.waiters.remove(&call) {
                drop(waiter.answer.send(Err(CallError::Closed(why.clone()))));
            }
        }
    }

    fn fail_all(&mut self, why: &CallError) {
        let calls: Vec<CallId> = self.waiters.keys().copied().collect();
        for call in calls {
            self.fail(call, why.clone());
        }
        self.wake_writer();
    }

    /// Fails a call, and cancels it, so that the peer does not continue to work in vain.
    fn fail(&mut self, call: CallId, why: CallError) {
        if let Some(waiter) = self.waiters.remove(&call) {
            self.endpoint.cancel(call);
            self.endpoint.forget(call);
            drop(waiter.answer.send(Err(why)));
        }
    }
}

/// Bytes that items in the inbox may keep in memory without being counted.
const UNCOUNTED: usize = 4 << 10;
