//! The reading task. It never waits for the writing task, and pauses while the inbox is full.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use attache_rpc::{
    Event, Frame, InboundMessage, Limits, Malformed, NonJsonLines, Splitter, Translation,
};
use bytes::{Bytes, BytesMut};
use bytestring::ByteString;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::diagnostics::{self, SlownessCheck};
use crate::driver::{EndOnDrop, Routing, Shared};
use crate::tap::TapDirection;
use crate::{CloseReason, SessionEffect, SessionIndex, Tap};

pub(crate) async fn run<R: AsyncRead + Unpin>(
    mut read: R,
    shared: Arc<Shared>,
    limits: Limits,
    non_json_lines: NonJsonLines,
    session_index: Box<dyn SessionIndex>,
    tap: Option<Tap>,
    routing: Routing,
) {
    let mut reader = StreamReader {
        splitter: Splitter::new(limits.frame),
        buffer: BytesMut::new(),
        batch: Vec::new(),
        batched: 0,
        bytes_since_message: 0,
        got_request: false,
        shared,
        limits,
        non_json_lines,
        session_index,
        tap,
        routing,
        slowness: SlownessCheck::default(),
    };
    let shared = Arc::clone(&reader.shared);
    let _ending = EndOnDrop::of(&shared, Shared::end_reading);
    let why = match reader.read_all(&mut read).await {
        Ok(()) => CloseReason::PeerClosed,
        Err(why) => why,
    };
    shared.end_reading(&why);
    drop((reader, read));
    // A peer that has closed its side may still read responses.
    sleep(shared.grace).await;
    shared.cancel_all_requests();
}

struct StreamReader {
    splitter: Splitter,
    buffer: BytesMut,
    /// Messages read since the lock was last taken.
    batch: Vec<ReadItem>,
    batched: usize,
    /// Bytes of the stream since the last message.
    bytes_since_message: usize,
    /// Whether a request has been delivered since the last look.
    got_request: bool,
    shared: Arc<Shared>,
    limits: Limits,
    non_json_lines: NonJsonLines,
    session_index: Box<dyn SessionIndex>,
    tap: Option<Tap>,
    routing: Routing,
    slowness: SlownessCheck,
}

enum ReadItem {
    /// A message, with the bytes it keeps in memory: everything since the end of the previous message.
    Message(InboundMessage, SessionEffect, usize),
    /// A message of a kind that a proxy forwards as a whole line.
    WholeLine(InboundMessage, SessionEffect, usize, ByteString),
    TooLong(Malformed),
    /// The end of the stream, if it is not a whole message.
    CutOff(InboundMessage),
    /// A message that the translator sends back to the peer.
    SentBack(String),
}

impl StreamReader {
    async fn read_all(&mut self, read: &mut (impl AsyncRead + Unpin)) -> Result<(), CloseReason> {
        let shared = Arc::clone(&self.shared);
        let mut closing = pin!(shared.closing.notified());
        let mut stall_check: Option<Pin<Box<Sleep>>> = None;
        loop {
            self.split().await?;
            self.deliver_and_wait().await?;
            self.make_room();
            // One timer at a time, whatever the number of requests.
            if std::mem::take(&mut self.got_request) && stall_check.is_none() {
                let check = shared.has_unread_requests().then(|| sleep(shared.stall));
                stall_check = check.map(Box::pin);
            }
            let check = self.slowness.due();
            let got = tokio::select! {
                biased;
                got = read.read_buf(&mut self.buffer) => got,
                () = &mut closing => return Err(CloseReason::ClosedLocally),
                () = expired(&mut stall_check) => {
                    let next = shared.fail_calls_behind_requests();
                    stall_check = next.map(|next| Box::pin(sleep(next)));
                    continue;
                }
                () = sleep_until(check.unwrap_or_else(Instant::now)), if check.is_some() => {
                    self.slowness.check(&shared);
                    continue;
                }
            };
            match got {
                Ok(0) => return self.read_last().await,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(CloseReason::Io(error.kind())),
            }
        }
    }

    /// Keeps the same buffer as long as it has some room. Messages that were split off usually still use the buffer, so
    /// more room means a new buffer.
    fn make_room(&mut self) {
        if self.buffer.capacity() - self.buffer.len() < READ / 8 {
            self.buffer.reserve(READ);
        }
    }

    /// Releases the buffer of a long message, by copying the bytes behind the message.
    fn release_buffer(&mut self, size: usize) {
        if size > READ && self.buffer.len() < READ {
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
    }

    /// Splits whole messages off the buffer.
    async fn split(&mut self) -> Result<(), CloseReason> {
        loop {
            let before = self.buffer.len();
            let frame = self.splitter.next(&mut self.buffer);
            self.bytes_since_message += before.saturating_sub(self.buffer.len());
            match frame {
                Ok(Some(Frame::Message(line))) => {
                    let size = std::mem::take(&mut self.bytes_since_message);
                    self.batched += size;
                    self.translate(line, size);
                    self.release_buffer(size);
                }
                Ok(Some(Frame::TooLong(head))) => {
                    let malformed = Malformed::too_long(&head, &self.limits);
                    diagnostics::malformed(&malformed, NonJsonLines::Reject);
                    self.batch.push(ReadItem::TooLong(malformed));
                    self.release_buffer(self.limits.frame);
                }
                Ok(None) => return Ok(()),
                Err(broken) => {
                    self.deliver()?;
                    return Err(CloseReason::Framing(broken));
                }
            }
            let unread = self.shared.unread.load(Ordering::Acquire);
            if self.batched + unread >= self.shared.inbound {
                self.deliver_and_wait().await?;
            }
        }
    }

    async fn read_last(&mut self) -> Result<(), CloseReason> {
        let rest = self.splitter.end(&mut self.buffer);
        if let Some(line) = rest.map_err(CloseReason::Framing)? {
            let size = line.len();
            match InboundMessage::read(line.clone(), &self.limits) {
                InboundMessage::Malformed(malformed) => {
                    diagnostics::malformed(&malformed, self.non_json_lines);
                    let malformed = InboundMessage::Malformed(malformed);
                    self.batch.push(ReadItem::CutOff(malformed));
                }
                InboundMessage::Request(..)
                | InboundMessage::Notification(_)
                | InboundMessage::Response(..) => self.translate(line, size),
            }
        }
        self.deliver_and_wait().await
    }

    /// Adds a message to the batch, after translating it if there is a translator.
    fn translate(&mut self, line: Bytes, size: usize) {
        if let Some(tap) = &self.tap {
            tap.show(TapDirection::Received, &line);
        }
        let mut translation = Translation::Unchanged;
        self.shared.with_translator(|translator| {
            if let Ok(text) = std::str::from_utf8(&line) {
                translation = translator.incoming(text.trim_end());
            }
            translation == Translation::Finished
        });
        match translation {
            Translation::Unchanged | Translation::Finished => {
                let item = self.read(line, size);
                self.batch.push(item);
            }
            Translation::Replaced(replacement) => {
                for message in replacement.forward {
                    let size = message.len();
                    let item = self.read(message.into(), size);
                    self.batch.push(item);
                }
                self.batch
                    .extend(replacement.send_back.into_iter().map(ReadItem::SentBack));
            }
        }
    }

    fn read(&self, line: Bytes, size: usize) -> ReadItem {
        let whole = (self.routing == Routing::Everything).then(|| line.clone());
        let mut message = InboundMessage::read(line, &self.limits);
        let effect = match &mut message {
            InboundMessage::Request(_, call) | InboundMessage::Notification(call) => {
                let effect = self.session_index.session_effect(call);
                if let SessionEffect::BelongsTo(session) | SessionEffect::Cancels(session) = effect
                {
                    call.set_session(session);
                }
                effect
            }
            InboundMessage::Malformed(malformed) => {
                diagnostics::malformed(malformed, self.non_json_lines);
                SessionEffect::None
            }
            InboundMessage::Response(..) => SessionEffect::None,
        };
        match whole.and_then(|line| whole_line(&message, line)) {
            Some(line) => ReadItem::WholeLine(message, effect, size, line),
            None => ReadItem::Message(message, effect, size),
        }
    }

    /// Delivers the messages of the batch, then waits until the inbox has room for more.
    async fn deliver_and_wait(&mut self) -> Result<(), CloseReason> {
        self.batched = 0;
        if !self.batch.is_empty() {
            self.deliver()?;
        }
        if self.shared.has_inbox_room() {
            return Ok(());
        }
        let since = diagnostics::wait_begins();
        while !self.shared.has_inbox_room() {
            let taken = self.shared.taken.notified();
            if self.shared.lock().closed_here() {
                return Err(CloseReason::ClosedLocally);
            }
            let taken_count = self.shared.taken_count();
            let taken = tokio::time::timeout(self.shared.stall, taken).await;
            if taken.is_err() && self.shared.taken_count() == taken_count {
                self.shared.fail_stalled();
            }
        }
        diagnostics::waited_for_inbox(since);
        Ok(())
    }

    fn deliver(&mut self) -> Result<(), CloseReason> {
        let received = diagnostics::wait_begins();
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        let counts = state.endpoint.counts();
        let mut size = 0;
        let mut cancelled = false;
        let mut fatal = None;
        for read in self.batch.drain(..) {
            let mut line = None;
            let (event, effect, bytes) = match read {
                ReadItem::Message(message, effect, bytes) => {
                    (state.endpoint.receive(message), effect, bytes)
                }
                ReadItem::WholeLine(message, effect, bytes, whole) => {
                    line = Some(whole);
                    (state.endpoint.receive(message), effect, bytes)
                }
                ReadItem::TooLong(malformed) => {
                    let event = state.endpoint.receive_too_long(malformed);
                    (event, SessionEffect::None, 0)
                }
                ReadItem::CutOff(message) => {
                    (state.endpoint.receive_last(message), SessionEffect::None, 0)
                }
                ReadItem::SentBack(message) => {
                    (state.endpoint.send_back(&message), SessionEffect::None, 0)
                }
            };
            match (&event, effect) {
                (Some(Event::Fatal(why)), _) => fatal = Some(*why),
                (Some(Event::Cancelled(_)), _) => cancelled = true,
                (Some(Event::Request(id, _)), SessionEffect::BelongsTo(session)) => {
                    state.endpoint.assign(id, session);
                }
                (Some(Event::Notification(_)), SessionEffect::Cancels(session)) => {
                    state.endpoint.cancel_requests(Some(session));
                    cancelled = true;
                }
                // An effect on a session matters for requests and cancellations only.
                (Some(Event::Request(..)), SessionEffect::None | SessionEffect::Cancels(_))
                | (
                    Some(Event::Notification(_)),
                    SessionEffect::None | SessionEffect::BelongsTo(_),
                )
                | (Some(Event::Response(..) | Event::ForwardedResponse(..)) | None, _) => {}
            }
            self.got_request |= matches!(event, Some(Event::Request(..)));
            size += state.route(event, bytes, received, line);
        }
        self.shared.unread.fetch_add(size, Ordering::AcqRel);
        if !state.inbox.is_empty() {
            state.wake_consumer();
        }
        if !state.endpoint.outbox().is_empty() {
            state.wake_writer();
        }
        let counts_after = state.endpoint.counts();
        drop(guard);
        diagnostics::counted(counts, counts_after);
        if cancelled {
            self.shared.cancelled.notify_waiters();
        }
        // A response makes room for another call.
        self.shared.room.notify_waiters();
        match fatal {
            Some(why) => Err(CloseReason::Fatal(why)),
            None => Ok(()),
        }
    }
}

/// Waits for a timer; for ever, if there is none.
async fn expired(timer: &mut Option<Pin<Box<Sleep>>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}

/// The line of a message that a proxy forwards although [`Endpoint::receive`](attache_rpc::Endpoint::receive) consumes it:
/// a response, or what may be a cancellation. Protocol-level methods start with `$/`.
fn whole_line(message: &InboundMessage, line: Bytes) -> Option<ByteString> {
    match message {
        InboundMessage::Response(_, Ok(result)) => Some(result.line().clone()),
        InboundMessage::Response(_, Err(_)) => ByteString::try_from(line).ok(),
        InboundMessage::Notification(call) if call.method().starts_with("$/") => {
            Some(call.line().clone())
        }
        InboundMessage::Request(..)
        | InboundMessage::Notification(_)
        | InboundMessage::Malformed(_) => None,
    }
}

const READ: usize = 64 << 10;
