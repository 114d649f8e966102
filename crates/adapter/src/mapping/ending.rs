//! How a turn ended, and what it cost.

use attache::schema::error;
use attache::{Error, v1};

use super::{Act, Mapping};
use crate::frames::{Outcome, Tokens};

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Why the model stopped, or what went wrong.
    pub reason: Result<v1::StopReason, Failure>,
    /// What was used since the turn began, or since it ended before: it may have several ends.
    pub tokens: Option<Tokens>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Somebody has to log in first.
    #[error("log in with `attache claude --login`, or set ANTHROPIC_API_KEY")]
    LoggedOut,
    /// The CLI does not know the session.
    #[error("unknown session")]
    NoSession,
    /// Anything else, in the words of the CLI.
    #[error("{0}")]
    Told(String),
}

impl Failure {
    /// The error for the client.
    pub fn to_error(&self, session: &v1::SessionId) -> Error {
        match self {
            Failure::LoggedOut => logged_out(),
            Failure::NoSession => error::session_not_found(session),
            Failure::Told(words) => error::internal(words),
        }
    }
}

/// The error for whoever has to log in first.
pub fn logged_out() -> Error {
    let mut error = error::auth_required();
    error.message = format!("{}: {}", error.message, Failure::LoggedOut);
    error
}

impl Mapping {
    pub(super) fn end(&mut self, outcome: &Outcome, acts: &mut Vec<Act>) {
        if let (Some(context), Some(window)) = (self.context, outcome.window) {
            let mut update = v1::UsageUpdate::new(context.total(), window);
            if let Some(cost) = outcome.cost {
                update = update.cost(v1::Cost::new(cost, "USD"));
            }
            acts.push(Act::Tell(v1::SessionUpdate::UsageUpdate(update)));
        }
        self.calls.cut_off(self.shows, acts);
        if outcome.is_local {
            acts.push(Act::LookAgain);
        }
        acts.push(Act::Ended(Ended {
            reason: reason(outcome),
            tokens: outcome.tokens,
        }));
    }
}

fn reason(outcome: &Outcome) -> Result<v1::StopReason, Failure> {
    let terminal = outcome.terminal_reason.as_deref().unwrap_or_default();
    match outcome.subtype.as_str() {
        _ if terminal.starts_with("aborted") => return Ok(v1::StopReason::Cancelled),
        "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries" => {
            return Ok(v1::StopReason::MaxTurnRequests);
        }
        "cancelled" => return Ok(v1::StopReason::Cancelled),
        "max_tokens" => return Ok(v1::StopReason::MaxTokens),
        _ => {}
    }
    if is_logged_out(outcome) {
        return Err(Failure::LoggedOut);
    }
    match outcome.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => Ok(v1::StopReason::MaxTokens),
        Some("refusal") => Ok(v1::StopReason::Refusal),
        _ if outcome.is_error => Err(failure(outcome)),
        _ => Ok(v1::StopReason::EndTurn),
    }
}

fn is_logged_out(outcome: &Outcome) -> bool {
    let says_so = |text: &str| text.contains("Please run /login");
    says_so(&outcome.result)
        || outcome.errors.iter().any(|error| says_so(error))
        || outcome.is_error && outcome.api_error.as_deref() == Some("authentication_error")
}

fn failure(outcome: &Outcome) -> Failure {
    let words = match outcome.errors.is_empty() {
        true => outcome.result.clone(),
        false => outcome.errors.join("; "),
    };
    match words.is_empty() {
        _ if words.contains("No conversation found") => Failure::NoSession,
        true => Failure::Told(format!("the CLI ended the turn with {}", outcome.subtype)),
        false => Failure::Told(words),
    }
}

pub(crate) fn usage(tokens: Tokens) -> v1::Usage {
    v1::Usage::new(tokens.total(), tokens.input, tokens.output)
        .cached_read_tokens(tokens.cache_read)
        .cached_write_tokens(tokens.cache_written)
}
