//! The response to a request of the peer. Every request gets exactly one response, even if its [`Reply`] is dropped.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use attache_rpc::json::{self, Encode, Raw};
use attache_rpc::{Error, Id, SendOptions, SessionKey};
use attache_schema::method::ExtensionRequest;
use attache_schema::v1::{PromptResponse, StopReason};
use attache_schema::{Meta, error};

use serde_core::Serialize;
use tracing::{Instrument, Span};

use crate::connection::Connection;
use crate::{TraceContext, diagnostics, trace_context};

/// Sends the response to one request of the peer. Every method that sends the response consumes the reply, so a request
/// cannot get two responses.
///
/// Dropping a reply sends an internal error, or the error for a cancelled request if the peer has cancelled it. A
/// cancelled `session/prompt` always ends with the stop reason `cancelled`.
#[must_use = "the peer waits for this response"]
pub struct Reply<T> {
    target: Option<ReplyTarget>,
    result: PhantomData<fn(T)>,
}

/// The request that a [`Reply`] answers.
struct ReplyTarget {
    connection: Arc<Connection>,
    id: Id,
    session: SessionKey,
    kind: RequestKind,
    span: Span,
    trace_context: Option<TraceContext>,
}

/// How the response to a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Ordinary,
    /// `initialize`: if it fails, the client may send it again.
    Initialize,
    /// `session/prompt`: a cancelled turn ends with a stop reason, never with an error.
    Prompt,
    /// The response goes out before messages of other sessions that are waiting.
    Urgent,
}

impl<T: Encode + 'static> Reply<T> {
    pub(crate) fn new(
        connection: &Arc<Connection>,
        id: Id,
        session: SessionKey,
        kind: RequestKind,
        meta: Option<&Meta>,
    ) -> Self {
        let span = connection.link.request_span(&id);
        let trace_context = meta.and_then(TraceContext::from_meta);
        if let Some(context) = &trace_context {
            diagnostics::in_trace(&span, context);
        }
        let connection = Arc::clone(connection);
        let target = Some(ReplyTarget {
            connection,
            id,
            session,
            kind,
            span,
            trace_context,
        });
        Reply {
            target,
            result: PhantomData,
        }
    }

    /// Sends a result.
    pub fn ok(mut self, result: T) {
        if let Some(target) = self.target.take() {
            let session = target.connection.note_response(&result);
            target.answer(session, Ok(&result));
        }
    }

    /// Sends an error. If the request is a `session/prompt` that the client has cancelled, sends the stop reason
    /// `cancelled` instead.
    pub fn fail(mut self, error: impl Into<Error>) {
        if let Some(target) = self.target.take() {
            target.fail(&error.into());
        }
    }

    /// Sends a result or an error.
    pub fn with(self, outcome: Result<T, impl Into<Error>>) {
        match outcome {
            Ok(result) => self.ok(result),
            Err(error) => self.fail(error),
        }
    }
}

impl<T: Encode + 'static> Reply<T> {
    /// Awaits `work` and sends its outcome. If the peer cancels the request first, drops `work` and responds that the
    /// request was cancelled. `work` runs in the request's [`span`](Self::span) and passes on its
    /// [trace context](Self::trace_context).
    pub async fn run<E: Into<Error>>(self, work: impl Future<Output = Result<T, E>>) {
        self.run_or_clean_up(work, std::future::ready(())).await;
    }

    /// Like [`run`](Self::run), but if the peer cancels the request or `work` fails, awaits `clean_up` before it
    /// responds: for example, to end the tool calls that `work` leaves. If the request is cancelled before `work`
    /// starts, runs neither.
    pub async fn run_or_clean_up<E: Into<Error>, C>(
        self,
        work: impl Future<Output = Result<T, E>>,
        clean_up: impl Future<Output = C>,
    ) {
        if self.is_cancelled() {
            return;
        }
        let (context, span) = (self.trace_context().cloned(), self.span());
        let exchange = async {
            let outcome = tokio::select! {
                biased;
                () = self.cancelled() => None,
                outcome = work => Some(outcome),
            };
            if !matches!(outcome, Some(Ok(_))) {
                clean_up.await;
            }
            if let Some(outcome) = outcome {
                self.with(outcome);
            }
        };
        trace_context::within(context, exchange)
            .instrument(span)
            .await;
    }
}

impl Reply<Raw> {
    /// Sends the result of a typed extension request. A result that cannot be written as JSON becomes an internal error.
    pub fn ok_for<R: ExtensionRequest<Response: Serialize>>(self, result: &R::Response) {
        let result = json::encode_serde(result);
        self.with(result.map_err(|fault| error::internal(&fault.to_string())));
    }
}

impl<T> Reply<T> {
    /// The span of the request in the program's log. Without a subscriber that wants it, the span is disabled.
    /// [`run`](Self::run) enters it; in code of your own, use `tracing::Instrument`.
    pub fn span(&self) -> Span {
        let target = self.target.as_ref();
        target.map_or_else(Span::none, |target| target.span.clone())
    }

    /// The trace context in the request's `_meta`. [`run`](Self::run) passes it on.
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.target.as_ref()?.trace_context.as_ref()
    }

    /// Waits until the peer has cancelled the request or its turn, or has disconnected.
    pub async fn cancelled(&self) {
        if let Some(target) = &self.target {
            target.connection.link.cancelled(&target.id).await;
        }
    }

    /// Whether the peer has cancelled the request or its turn, or has disconnected.
    pub fn is_cancelled(&self) -> bool {
        let target = self.target.as_ref();
        target.is_none_or(|target| target.is_cancelled())
    }
}

impl ReplyTarget {
    fn is_cancelled(&self) -> bool {
        self.connection.link.is_cancelled(&self.id)
    }

    fn fail(&self, error: &Error) {
        if self.kind == RequestKind::Initialize {
            self.connection.discard_proposal();
        }
        if self.kind == RequestKind::Prompt && self.is_cancelled() {
            let ended = PromptResponse::new(StopReason::Cancelled);
            self.answer(None, Ok(&ended));
        } else {
            self.answer::<PromptResponse>(None, Err(error));
        }
    }

    fn answer<T: Encode>(&self, session: Option<SessionKey>, outcome: Result<&T, &Error>) {
        let session = session.unwrap_or(self.session);
        let options = match self.kind {
            RequestKind::Urgent => SendOptions::urgent(session),
            RequestKind::Ordinary | RequestKind::Initialize | RequestKind::Prompt => {
                SendOptions::of(session)
            }
        };
        self.connection.link.respond(&self.id, options, outcome);
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(target) = self.target.take() {
            if target.is_cancelled() {
                target.fail(&error::cancelled());
            } else {
                target.fail(&error::internal(
                    "the request was dropped without a response",
                ));
            }
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.target.as_ref().map(|target| &target.id);
        f.debug_struct("Reply").field("id", &id).finish()
    }
}
