//! What the SDK writes to the program's log, through `tracing`, in the spans that the transport creates. Positions and
//! reasons are ours; nothing repeats the params or the result of a message.

use attache_rpc::{Call, Error, Id};
use attache_transport::{PeerHandle, PendingCall, ShortenedText};
use tracing::{Span, debug, warn};

use crate::TraceContext;
use crate::connection::session_in;

/// A notification that is unknown or invalid.
pub(crate) fn ignored_notification(link: &PeerHandle, call: &Call, error: &Error) {
    let _entered = link.span().enter();
    let method = call.method();
    if error.code == Error::METHOD_NOT_FOUND {
        debug!(target: TARGET, method = %ShortenedText(method), "an unknown notification is ignored");
    } else {
        warn!(
            target: TARGET,
            method = %ShortenedText(method),
            reason = error.message,
            "an invalid notification is ignored",
        );
    }
}

/// A request that is unknown, invalid or not allowed now.
pub(crate) fn rejected_request(link: &PeerHandle, id: &Id, call: &Call, error: &Error) {
    let span = link.request_span(id);
    let _entered = if span.is_disabled() {
        link.span()
    } else {
        &span
    }
    .enter();
    let method = call.method();
    if error.code == Error::METHOD_NOT_FOUND {
        debug!(target: TARGET, method = %ShortenedText(method), "an unknown request is rejected");
    } else {
        warn!(
            target: TARGET,
            method = %ShortenedText(method),
            reason = error.message,
            "an invalid request is rejected",
        );
    }
}

/// A result that does not match its method.
pub(crate) fn unreadable_result(link: &PeerHandle, method: &str, reason: &dyn std::fmt::Display) {
    let current = Span::current();
    let _entered = if current.is_disabled() {
        link.span()
    } else {
        &current
    }
    .enter();
    warn!(target: TARGET, method = %ShortenedText(method), %reason, "a response cannot be read");
}

/// Notes the session of a request of ours in its span.
pub(crate) fn sent(pending: &PendingCall, params: &str, context: Option<&TraceContext>) {
    let span = pending.span();
    if !span.is_disabled() {
        note(&span, params, context);
    }
}

/// The span of a request that has just been taken, with its session.
pub(crate) fn received(link: &PeerHandle, id: &Id, call: &Call) {
    let span = link.request_span(id);
    if !span.is_disabled() {
        note(&span, call.params().unwrap_or_default(), None);
    }
}

/// Notes the trace context of a request of the peer in its span.
pub(crate) fn in_trace(span: &Span, context: &TraceContext) {
    span.record("trace_id", context.trace_id());
}

fn note(span: &Span, params: &str, context: Option<&TraceContext>) {
    if let Some(session) = session_in(params) {
        span.record("session", tracing::field::display(ShortenedText(&session)));
    }
    if let Some(context) = context {
        in_trace(span, context);
    }
}

const TARGET: &str = "attache";
