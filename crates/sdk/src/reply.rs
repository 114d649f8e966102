//! The answer to a request, which is given once: by whoever handles the request, or when nobody does.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use attache_rpc::json::Encode;
use attache_rpc::{Error, Id, SendOptions, SessionKey};
use attache_schema::error;
use attache_schema::v1::{PromptResponse, StopReason};

use crate::connection::Connection;

/// The answer that a request of the peer waits for.
///
/// Dropped without an answer it answers that the request failed, or that it was cancelled if the peer has taken it
/// back, so that nobody waits for ever.
#[must_use = "the peer waits for this answer"]
pub struct Reply<T> {
    question: Option<Question>,
    result: PhantomData<fn(T)>,
}

struct Question {
    connection: Arc<Connection>,
    id: Id,
    session: SessionKey,
    sort: Sort,
}

/// What is special about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Plain,
    /// If it fails, the peer may try again.
    Initialize,
    /// A turn that is cancelled ends with a stop reason, never with an error.
    Prompt,
    /// Somebody waits for a person's decision.
    Permission,
}

impl<T: Encode + 'static> Reply<T> {
    pub(crate) fn new(
        connection: &Arc<Connection>,
        id: Id,
        session: SessionKey,
        sort: Sort,
    ) -> Self {
        let connection = Arc::clone(connection);
        let question = Some(Question {
            connection,
            id,
            session,
            sort,
        });
        Reply {
            question,
            result: PhantomData,
        }
    }

    /// Answers with a result.
    pub fn ok(mut self, result: T) {
        if let Some(question) = self.question.take() {
            let session = question.connection.learn(&result);
            question.answer(session, Ok(&result));
        }
    }

    /// Answers with an error. A turn that the peer has cancelled is answered with `cancelled` instead.
    pub fn fail(mut self, error: impl Into<Error>) {
        if let Some(question) = self.question.take() {
            question.fail(&error.into());
        }
    }

    /// Answers with whatever came of it.
    pub fn with(self, outcome: Result<T, impl Into<Error>>) {
        match outcome {
            Ok(result) => self.ok(result),
            Err(error) => self.fail(error),
        }
    }
}

impl<T: Encode + 'static> Reply<T> {
    /// Does some work and answers with what comes of it. When the peer no longer wants the answer the work is dropped.
    pub async fn run<E: Into<Error>>(self, work: impl Future<Output = Result<T, E>>) {
        tokio::select! {
            outcome = work => self.with(outcome),
            () = self.cancelled() => {}
        }
    }
}

impl<T> Reply<T> {
    /// Waits until the peer no longer wants the answer: it has cancelled the request or its turn, or is gone.
    pub async fn cancelled(&self) {
        if let Some(question) = &self.question {
            question.connection.link.cancelled(&question.id).await;
        }
    }

    /// Whether the peer no longer wants the answer.
    pub fn is_cancelled(&self) -> bool {
        let question = self.question.as_ref();
        question.is_none_or(|question| question.is_cancelled())
    }
}

impl Question {
    fn is_cancelled(&self) -> bool {
        self.connection.link.is_cancelled(&self.id)
    }

    fn fail(&self, error: &Error) {
        if self.sort == Sort::Initialize {
            self.connection.forget_proposal();
        }
        if self.sort == Sort::Prompt && self.is_cancelled() {
            let ended = PromptResponse::new(StopReason::Cancelled);
            self.answer(None, Ok(&ended));
        } else {
            self.answer::<PromptResponse>(None, Err(error));
        }
    }

    fn answer<T: Encode>(&self, session: Option<SessionKey>, outcome: Result<&T, &Error>) {
        let session = session.unwrap_or(self.session);
        let options = match self.sort {
            Sort::Permission => SendOptions::urgent(session),
            Sort::Plain | Sort::Initialize | Sort::Prompt => SendOptions::of(session),
        };
        self.connection.link.answer(&self.id, options, outcome);
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(question) = self.question.take() {
            if question.is_cancelled() {
                question.fail(&error::cancelled());
            } else {
                question.fail(&error::internal(
                    "the request was dropped without an answer",
                ));
            }
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.question.as_ref().map(|question| &question.id);
        f.debug_struct("Reply").field("id", &id).finish()
    }
}
