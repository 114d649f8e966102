//! What a connection reports to the program's log, through `tracing`. Method names and ids are all that it repeats of a
//! message.
//!
//! No event is sent and no span is created or dropped under the connection's lock, because a subscriber may use the
//! connection itself.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use attache_rpc::{EndpointCounts, Error, Framing, Id, Malformed, NonJsonLines, Payload, Urgency};
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Level, Span, debug, debug_span, enabled, error_span, info, warn};

use crate::driver::Shared;
use crate::{CallError, CloseReason, Options};

/// The span of a connection. It has the level of an error, so that every event of the connection has it.
pub(crate) fn connection_span(options: &Options) -> Span {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let framing = match options.framing {
        Framing::Lines => "lines",
        Framing::Headers => "headers",
        _ => "unknown",
    };
    error_span!(
        target: TARGET,
        "connection",
        connection = NUMBER.fetch_add(1, Ordering::Relaxed),
        peer = options.peer,
        transport = options.transport,
        framing,
        translated = options.translator.is_some(),
    )
}

pub(crate) fn connection_ended(span: &Span, direction: &'static str, why: &CloseReason) {
    let _entered = span.enter();
    match why {
        CloseReason::PeerClosed | CloseReason::ClosedLocally => {
            info!(target: TARGET, direction, reason = %why, "connection ended");
        }
        CloseReason::Io(_)
        | CloseReason::Framing(_)
        | CloseReason::Fatal(_)
        | CloseReason::TaskFailed => {
            warn!(target: TARGET, direction, reason = %why, "connection ended");
        }
    }
}

/// A line that is not a message. `lines` says whether the connection skips lines that are not JSON.
pub(crate) fn malformed(malformed: &Malformed, lines: NonJsonLines) {
    let is_banner = malformed.code == Error::PARSE && malformed.id.is_none();
    let id = malformed.id.as_ref();
    if is_banner && lines == NonJsonLines::Skip {
        debug!(target: TARGET, reason = malformed.reason, "a line that is not JSON is skipped");
    } else {
        warn!(
            target: TARGET,
            id = id.map(|id| tracing::field::display(ShortenedText(id.as_str()))),
            reason = malformed.reason,
            "a line is not a valid message",
        );
    }
}

/// Reports the messages that a batch added to the counters.
pub(crate) fn counted(before: EndpointCounts, after: EndpointCounts) {
    if before == after {
        return;
    }
    let overloaded = after.overloaded - before.overloaded;
    if overloaded > 0 {
        warn!(target: TARGET, count = overloaded, "requests are rejected: too many are in progress");
    }
    let stray_responses = after.stray_responses - before.stray_responses;
    if stray_responses > 0 {
        debug!(target: TARGET, count = stray_responses, "responses match no pending request");
    }
    let stray_cancellations = after.stray_cancellations - before.stray_cancellations;
    if stray_cancellations > 0 {
        debug!(target: TARGET, count = stray_cancellations, "cancellations match no pending request");
    }
}

/// The time at which a wait begins, if anybody wants to know how long it takes.
pub(crate) fn wait_begins() -> Option<Instant> {
    enabled!(target: TARGET, Level::DEBUG).then(Instant::now)
}

pub(crate) fn waited_for_outbox(shared: &Shared, since: Option<Instant>) {
    if let Some(waited) = notable(since) {
        let span = current_span(shared);
        let _entered = span.enter();
        debug!(
            target: TARGET,
            waited_ms = milliseconds(waited),
            "a message waited for room in the outgoing queue",
        );
    }
}

pub(crate) fn waited_for_inbox(since: Option<Instant>) {
    if let Some(waited) = notable(since) {
        debug!(
            target: TARGET,
            waited_ms = milliseconds(waited),
            "the connection was not read, because the inbox was full",
        );
    }
}

/// The length of a wait, if it was long enough to be reported.
fn notable(since: Option<Instant>) -> Option<Duration> {
    let waited = since?.elapsed();
    (waited >= NOTABLE).then_some(waited)
}

pub(crate) fn stalled(stall: Duration) {
    warn!(
        target: TARGET,
        waited_ms = milliseconds(stall),
        "the inbox is full and the program takes nothing from it; pending calls fail",
    );
}

/// A request in the log, from when it is sent or taken from the inbox until its response.
#[derive(Debug)]
pub(crate) struct RequestTrace {
    span: Span,
    begun: Instant,
    is_reported: AtomicBool,
}

impl RequestTrace {
    /// A request of ours. It belongs to whatever the caller is doing, or else to the connection.
    pub(crate) fn sent(shared: &Shared, method: &str, id: u64) -> Option<RequestTrace> {
        if !enabled!(target: TARGET, Level::DEBUG) {
            return None;
        }
        let span = debug_span!(
            target: TARGET,
            parent: &current_span(shared),
            "request",
            direction = "sent",
            method = %ShortenedText(method),
            id,
            session = Empty,
            trace_id = Empty,
            result = Empty,
            error_code = Empty,
            duration_ms = Empty,
        );
        Some(RequestTrace::begin(span))
    }

    /// A request of the peer, which has just been taken from the inbox.
    fn received(shared: &Shared, method: &str, id: &Id, queued: Option<Instant>) -> RequestTrace {
        let queued = queued.map_or(Duration::ZERO, |since| since.elapsed());
        RequestTrace::begin(debug_span!(
            target: TARGET,
            parent: &shared.span,
            "request",
            direction = "received",
            method = %ShortenedText(method),
            id = %ShortenedText(id.as_str()),
            queued_ms = milliseconds(queued),
            session = Empty,
            trace_id = Empty,
            result = Empty,
            error_code = Empty,
            duration_ms = Empty,
        ))
    }

    fn begin(span: Span) -> RequestTrace {
        RequestTrace {
            span,
            begun: Instant::now(),
            is_reported: AtomicBool::new(false),
        }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// The response to a request of ours, or why there is none.
    pub(crate) fn ended(&self, outcome: &Result<Payload, CallError>) {
        match outcome {
            Ok(_) => self.finish("ok", None),
            Err(CallError::Refused(error)) => self.finish("error", Some(error.code)),
            Err(CallError::Malformed(_)) => self.finish("malformed", None),
            Err(CallError::Closed(_)) => self.finish("closed", None),
            Err(CallError::TooLarge(_)) => self.finish("too_large", None),
            Err(CallError::Stalled) => self.finish("stalled", None),
        }
    }

    pub(crate) fn finish(&self, result: &'static str, error_code: Option<i32>) {
        let duration_ms = milliseconds(self.begun.elapsed());
        self.span.record("result", result);
        self.span.record("error_code", error_code);
        self.span.record("duration_ms", duration_ms);
        let _entered = self.span.enter();
        debug!(target: TARGET, "request finished");
    }
}

/// The peer's requests that have been taken from the inbox and have no response yet. Empty unless they are logged.
#[derive(Debug, Default)]
pub(crate) struct OpenTraces {
    requests: Mutex<HashMap<Id, Arc<RequestTrace>>>,
    count: AtomicUsize,
}

impl OpenTraces {
    pub(crate) fn taken(&self, shared: &Shared, method: &str, id: &Id) {
        if !enabled!(target: TARGET, Level::DEBUG) {
            return;
        }
        let queued = shared.lock().received.remove(id);
        let trace = Arc::new(RequestTrace::received(shared, method, id, queued));
        let mut requests = self.lock();
        let earlier = requests.insert(id.clone(), trace);
        self.count.store(requests.len(), Ordering::Release);
        drop(requests);
        drop(earlier);
    }

    pub(crate) fn span_of(&self, id: &Id) -> Span {
        if self.count.load(Ordering::Acquire) == 0 {
            return Span::none();
        }
        let trace = self.lock().get(id).cloned();
        trace.map_or_else(Span::none, |trace| trace.span.clone())
    }

    pub(crate) fn responded(&self, id: &Id, error_code: Option<i32>) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut requests = self.lock();
        let trace = requests.remove(id);
        self.count.store(requests.len(), Ordering::Release);
        drop(requests);
        if let Some(trace) = trace {
            let result = if error_code.is_some() { "error" } else { "ok" };
            trace.finish(result, error_code);
        }
    }

    /// Reports each request once that has had no response for too long.
    fn report_slow(&self) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let slow = |trace: &&Arc<RequestTrace>| trace.begun.elapsed() >= SLOW;
        let slow: Vec<_> = self.lock().values().filter(slow).cloned().collect();
        for trace in slow {
            if !trace.is_reported.swap(true, Ordering::Relaxed) {
                let _entered = trace.span.enter();
                debug!(
                    target: TARGET,
                    waited_ms = milliseconds(trace.begun.elapsed()),
                    "the program has not responded to a request yet",
                );
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Arc<RequestTrace>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at a connection every few seconds, if somebody reads its warnings, for queues that do not move.
#[derive(Debug, Default)]
pub(crate) struct SlownessCheck {
    next: Option<Instant>,
    taken_count: usize,
    write_count: usize,
    unread: QueueStatus,
    outbox: QueueStatus,
}

/// A queue, as of the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum QueueStatus {
    #[default]
    Moving,
    Stuck,
    Reported,
}

impl QueueStatus {
    /// Returns `true` the first time that the queue has been stuck since the check before.
    fn next(&mut self, is_stuck: bool) -> bool {
        let before = *self;
        *self = match (is_stuck, before) {
            (false, _) => QueueStatus::Moving,
            (true, QueueStatus::Moving) => QueueStatus::Stuck,
            (true, QueueStatus::Stuck | QueueStatus::Reported) => QueueStatus::Reported,
        };
        before == QueueStatus::Stuck && *self == QueueStatus::Reported
    }
}

impl SlownessCheck {
    /// The time of the next check; `None` if nobody reads warnings.
    pub(crate) fn due(&mut self) -> Option<Instant> {
        if !enabled!(target: TARGET, Level::WARN) {
            return None;
        }
        Some(*self.next.get_or_insert_with(|| Instant::now() + SLOW))
    }

    pub(crate) fn check(&mut self, shared: &Shared) {
        self.next = None;
        let unread = shared.unread.load(Ordering::Acquire);
        let taken_count = shared.taken_count();
        let is_untaken = unread > 0 && taken_count == self.taken_count;
        self.taken_count = taken_count;
        let mut state = shared.lock();
        let is_full = !state.endpoint.has_room(Urgency::Ordinary);
        let unwritten = state.endpoint.outbox().unwritten();
        drop(state);
        let write_count = shared.write_count.load(Ordering::Relaxed);
        let is_unwritten = is_full && write_count == self.write_count;
        self.write_count = write_count;
        if self.unread.next(is_untaken) {
            warn!(
                target: TARGET,
                waited_ms = milliseconds(SLOW),
                bytes = unread,
                "the program takes no calls from the inbox",
            );
        }
        if self.outbox.next(is_unwritten) {
            warn!(
                target: TARGET,
                waited_ms = milliseconds(SLOW),
                bytes = unwritten,
                "the outgoing queue is full, because the peer does not read",
            );
        }
        shared.traces.report_slow();
    }
}

/// What the caller is doing, or else the connection.
fn current_span(shared: &Shared) -> Span {
    let current = Span::current();
    if current.is_disabled() {
        return shared.span.clone();
    }
    current
}

/// A name or an id from the peer for the log: the first 80 characters, without control characters.
#[derive(Debug, Clone, Copy)]
pub struct ShortenedText<'a>(pub &'a str);

impl fmt::Display for ShortenedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, char) in self.0.chars().enumerate() {
            match char {
                _ if index == LONGEST => return f.write_char('…'),
                '"' | '\'' | '\\' => f.write_char(char)?,
                _ => char.escape_debug().fmt(f)?,
            }
        }
        Ok(())
    }
}

/// Milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

const TARGET: &str = "attache_transport";
/// A queue or a request that has not moved for this long is reported.
const SLOW: Duration = Duration::from_secs(10);
/// A wait for room is reported from this length.
const NOTABLE: Duration = Duration::from_secs(1);
/// Characters of a method or an id that the log contains.
const LONGEST: usize = 80;
