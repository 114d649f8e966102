//! What the reading task, the writing task and their users share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use attache_rpc::{
    Call, CallFailure, CallId, Endpoint, Event, InboundMessage, Payload, SessionKey, Translator,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::peer_handle::CloseOnDrop;
use crate::{
    CallError, CloseReason, Delivery, Inbox, IncomingCall, Options, PeerHandle, reader, writer,
};

/// Starts a conversation over a stream of bytes each way. Must be called within a tokio runtime.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (PeerHandle, Inbox)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = options.limits.clone();
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            endpoint: Endpoint::new(limits.clone(), options.framing, options.non_json_lines),
            inbox: VecDeque::new(),
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
        inbound: limits.inbound.max(1),
        stall: options.stall,
        grace: options.grace,
        room: Notify::new(),
        taken: Notify::new(),
        closing: Notify::new(),
        cancelled: Notify::new(),
        settled: Notify::new(),
    });
    tokio::spawn(reader::run(
        read,
        Arc::clone(&shared),
        limits,
        options.session_index,
    ));
    tokio::spawn(writer::run(write, Arc::clone(&shared), options.framing));
    let owner = Arc::new(CloseOnDrop(Arc::clone(&shared)));
    let inbox = Inbox::new(Arc::clone(&owner), shared);
    (PeerHandle(owner), inbox)
}

pub(crate) struct Shared {
    state: Mutex<State>,
    has_translator: AtomicBool,
    translator: Mutex<Option<Box<dyn Translator>>>,
    /// Bytes that have been read and not been taken by the inbox's owner.
    pub(crate) unread: AtomicUsize,
    /// How often something has been taken.
    pub(crate) taken_count: AtomicUsize,
    pub(crate) inbound: usize,
    pub(crate) stall: Duration,
    pub(crate) grace: Duration,
    /// There is room for another message or call, or the end has come.
    pub(crate) room: Notify,
    /// Something has been taken from the inbox.
    pub(crate) taken: Notify,
    /// Nobody holds the connection any more.
    pub(crate) closing: Notify,
    /// A request of the peer has been taken back.
    pub(crate) cancelled: Notify,
    /// A request of the peer has been answered, or something has been written.
    pub(crate) settled: Notify,
}

pub(crate) struct State {
    pub(crate) endpoint: Endpoint,
    pub(crate) inbox: VecDeque<InboxItem>,
    /// Bytes that have come in since something was last put into the inbox.
    uncounted: usize,
    pub(crate) waiters: BTreeMap<CallId, ResponseWaiter>,
    pub(crate) inbox_dropped: bool,
    /// Why nothing more will come in.
    pub(crate) reading: Option<CloseReason>,
    /// Why nothing more can go out.
    pub(crate) writing: Option<CloseReason>,
    pub(crate) closing: bool,
    /// The sessions of messages that wait for room, one entry for each.
    pub(crate) waiting: Vec<SessionKey>,
    /// The task that writes, while it waits for something to write.
    pub(crate) writer: Option<Waker>,
    /// The inbox's owner, while it waits for something to come in.
    pub(crate) consumer: Option<Waker>,
    /// Whether the stream has been flushed since something was last written to it.
    pub(crate) flushed: bool,
}

/// Who waits for an answer, and how it is to be given.
pub(crate) struct ResponseWaiter {
    pub(crate) delivery: Delivery,
    pub(crate) answer: oneshot::Sender<Result<Payload, CallError>>,
    /// Since when the answer lies in the inbox.
    pub(crate) queued: Option<Instant>,
}

/// What lies in the inbox, with the bytes that it takes up.
pub(crate) enum InboxItem {
    Call(IncomingCall, usize),
    Response(CallId, Result<Payload, CallFailure>, usize),
}

/// Ends one direction if its task ends in any other way than by coming to its end.
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

    /// Works with the translator, if there is one. If `work` returns `true`, the translator is dropped.
    pub(crate) fn with_translator(&self, work: impl FnOnce(&mut dyn Translator) -> bool) {
        if !self.has_translator() {
            return;
        }
        let mut translator = self
            .translator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let open = match translator.as_mut() {
            Some(translator) => work(translator.as_mut()),
            None => false,
        };
        if open {
            self.has_translator.store(false, Ordering::Release);
            *translator = None;
        }
    }

    /// Takes in messages that the translator has sent back to us, as if the peer had sent them.
    pub(crate) fn receive_sent_back(&self, messages: impl Iterator<Item = String>) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut size = 0;
        for message in messages {
            let bytes = message.len();
            let message = InboundMessage::read(message.into(), state.endpoint.limits());
            let event = state.endpoint.receive(message);
            size += state.route(event, bytes);
        }
        self.unread.fetch_add(size, Ordering::AcqRel);
        state.wake_consumer();
    }

    /// Nothing more will come in: calls fail, and whoever waits is told.
    pub(crate) fn end_reading(&self, why: &CloseReason) {
        let mut state = self.lock();
        if state.reading.is_none() {
            state.reading = Some(why.clone());
        }
        state.fail_unqueued(why);
        state.wake_writer();
        state.wake_consumer();
        drop(state);
        self.wake_all();
    }

    /// Nobody waits for the open requests of the peer any more.
    pub(crate) fn cancel_all_requests(&self) {
        self.lock().endpoint.cancel_requests(None);
        self.cancelled.notify_waiters();
    }

    /// Nothing more can go out: calls fail, since most of their requests have not.
    pub(crate) fn end_writing(&self, why: &CloseReason) {
        let mut state = self.lock();
        if state.writing.is_none() {
            state.writing = Some(why.clone());
        }
        state.endpoint.cancel_requests(None);
        state.fail_unqueued(why);
        state.wake_consumer();
        drop(state);
        self.wake_all();
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

    /// Fails every call that waits, since what came before its answer is not taken.
    pub(crate) fn fail_stalled(&self) {
        self.lock().fail_all(&CallError::Stalled);
        self.room.notify_waiters();
    }
}

impl State {
    /// There is something to write, or the end has come.
    pub(crate) fn wake_writer(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// Something has come in, or the end has come.
    pub(crate) fn wake_consumer(&mut self) {
        if let Some(consumer) = self.consumer.take() {
            consumer.wake();
        }
    }

    /// Whether our side has closed the connection.
    pub(crate) fn closed_here(&self) -> bool {
        self.closing
    }

    /// Whether nothing more will leave, because it cannot or because everything has.
    pub(crate) fn has_written_all(&self) -> bool {
        self.writing.is_some() || (self.flushed && self.endpoint.has_sent_all())
    }

    /// Why nothing can be sent, if nothing can.
    pub(crate) fn closed(&self) -> Option<&CloseReason> {
        self.writing.as_ref().or(self.reading.as_ref())
    }

    /// Puts what came of a message where it belongs; the bytes that it takes up in the inbox.
    pub(crate) fn route(&mut self, event: Option<Event>, size: usize) -> usize {
        let queued = match event {
            Some(Event::Request(id, call)) => {
                let call = self.detach_if_large(call, size, Call::detached);
                self.enqueue(IncomingCall::Request(id, call), size)
            }
            Some(Event::Notification(call)) => {
                let call = self.detach_if_large(call, size, Call::detached);
                self.enqueue(IncomingCall::Notification(call), size)
            }
            Some(Event::Response(call, outcome)) => self.route_response(call, outcome, size),
            Some(Event::Cancelled(_) | Event::Fatal(_)) | None => 0,
        };
        self.uncounted = match queued {
            0 => self.uncounted.saturating_add(size),
            _ => 0,
        };
        queued
    }

    /// What is about to be queued keeps in memory what was read together with it. If that is more than itself, and
    /// counted nowhere, it is taken out of there.
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
        self.inbox.push_back(InboxItem::Call(incoming, size));
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

    /// Hands an answer to whoever waits for it.
    pub(crate) fn deliver(&mut self, call: CallId, outcome: Result<Payload, CallFailure>) {
        if let Some(waiter) = self.waiters.remove(&call) {
            // Whoever has stopped waiting does not want it.
            drop(waiter.answer.send(outcome.map_err(CallError::from)));
        }
    }

    /// Fails every call whose answer will not come.
    fn fail_unqueued(&mut self, why: &CloseReason) {
        for call in self.endpoint.end() {
            if let Some(waiter) = self.waiters.remove(&call) {
                drop(waiter.answer.send(Err(CallError::Closed(why.clone()))));
            }
        }
    }

    fn fail_all(&mut self, why: &CallError) {
        for (call, waiter) in std::mem::take(&mut self.waiters) {
            // The peer need not go on working for nobody.
            self.endpoint.cancel(call);
            self.endpoint.forget(call);
            drop(waiter.answer.send(Err(why.clone())));
        }
        self.wake_writer();
    }
}

/// So many bytes may be kept in memory uncounted by what waits in the inbox.
const UNCOUNTED: usize = 4 << 10;
