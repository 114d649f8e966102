//! How a turn ended, and what it cost.

use attache::schema::error;
use attache::{Error, v1};

use super::{Mapping, SessionAction};
use crate::frames::{TokenUsage, TurnResult};

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// Why the model stopped, or what went wrong.
    pub reason: Result<v1::StopReason, CliFailure>,
    /// What was used since the turn began, or since it ended before: it may have several ends.
    pub tokens: Option<TokenUsage>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CliFailure {
    /// Somebody has to log in first.
    #[error("log in with `attache claude --login`, or set ANTHROPIC_API_KEY")]
    LoggedOut,
    /// The CLI does not know the session.
    #[error("unknown session")]
    NoSession,
    /// Anything else, in the words of the CLI.
    #[error("{0}")]
    Other(String),
}

impl CliFailure {
    /// The error for the client.
    pub fn to_error(&self, session: &v1::SessionId) -> Error {
        match self {
            CliFailure::LoggedOut => auth_required(),
            CliFailure::NoSession => error::session_not_found(session),
            CliFailure::Other(words) => error::internal(words),
        }
    }
}

/// The error for whoever has to log in first.
pub fn auth_required() -> Error {
    let mut error = error::auth_required();
    error.message = format!("{}: {}", error.message, CliFailure::LoggedOut);
    error
}

impl Mapping {
    pub(super) fn end(&mut self, outcome: &TurnResult, actions: &mut Vec<SessionAction>) {
        if let (Some(context), Some(window)) = (self.context, outcome.window) {
            let mut update = v1::UsageUpdate::new(context.total(), window);
            if let Some(cost) = outcome.cost {
                update = update.cost(v1::Cost::new(cost, "USD"));
            }
            actions.push(SessionAction::Update(v1::SessionUpdate::UsageUpdate(
                update,
            )));
        }
        self.calls.fail_incomplete(self.display, actions);
        if outcome.is_local {
            actions.push(SessionAction::RefreshSettings);
        }
        actions.push(SessionAction::EndTurn(TurnEnd {
            reason: reason(outcome),
            tokens: outcome.tokens,
        }));
    }
}

fn reason(outcome: &TurnResult) -> Result<v1::StopReason, CliFailure> {
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
        return Err(CliFailure::LoggedOut);
    }
    match outcome.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => Ok(v1::StopReason::MaxTokens),
        Some("refusal") => Ok(v1::StopReason::Refusal),
        _ if outcome.is_error => Err(failure(outcome)),
        _ => Ok(v1::StopReason::EndTurn),
    }
}

fn is_logged_out(outcome: &TurnResult) -> bool {
    let says_so = |text: &str| text.contains("Please run /login");
    says_so(&outcome.result)
        || outcome.errors.iter().any(|error| says_so(error))
        || outcome.is_error && outcome.api_error.as_deref() == Some("authentication_error")
}

fn failure(outcome: &TurnResult) -> CliFailure {
    let words = match outcome.errors.is_empty() {
        true => outcome.result.clone(),
        false => outcome.errors.join("; "),
    };
    match words.is_empty() {
        _ if words.contains("No conversation found") => CliFailure::NoSession,
        true => CliFailure::Other(format!("the CLI ended the turn with {}", outcome.subtype)),
        false => CliFailure::Other(words),
    }
}

pub(crate) fn usage(tokens: TokenUsage) -> v1::Usage {
    v1::Usage::new(tokens.total(), tokens.input, tokens.output)
        .cached_read_tokens(tokens.cache_read)
        .cached_write_tokens(tokens.cache_written)
}
