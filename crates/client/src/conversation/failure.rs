//! Failures of commands, in words for the user.

use attache::schema::error::ErrorCode;
use attache::{CallError, CallErrorKind, Error, v1};
use serde_json::Value;
use tokio::time::error::Elapsed;

use super::Conversation;
use crate::event::{CommandFailure, Event, FailureKind};

impl Conversation {
    pub(super) fn fail(&mut self, failure: CommandFailure) {
        let wants_login = failure.kind == FailureKind::LoginRequired;
        self.emit(Event::CommandFailed(failure));
        if wants_login {
            self.want_login();
        }
    }

    pub(super) fn want_login(&mut self) {
        if let Some(initialized) = &self.initialized {
            let methods = initialized.auth_methods.clone();
            self.emit(Event::LoginRequired(methods));
        }
    }
}

/// The outcome of a request with a time limit.
pub(super) fn from_outcome<T>(
    what: &str,
    outcome: Result<Result<T, CallError>, Elapsed>,
) -> Result<T, CommandFailure> {
    match outcome {
        Ok(answer) => answer.map_err(|error| from_error(what, &error)),
        Err(_) => {
            let why = "the agent did not respond in time; restart it if it hangs";
            Err(new(what, why, FailureKind::TimedOut))
        }
    }
}

pub(super) fn from_error(what: &str, error: &CallError) -> CommandFailure {
    let reason = error.kind();
    let kind = match reason {
        CallErrorKind::NotOffered { .. } => FailureKind::NotOffered,
        CallErrorKind::Refused(error) => kind_of(what, error),
        CallErrorKind::Closed(_) => return agent_exited(what),
        CallErrorKind::Stalled => FailureKind::TimedOut,
        CallErrorKind::TooLarge(_) => FailureKind::Local,
        _ => FailureKind::Refused,
    };
    let details = error.refusal().and_then(details);
    let why = match details {
        Some(details) => format!("{reason}: {details}"),
        None => reason.to_string(),
    };
    new(what, &why, kind)
}

/// The details in an error's data. Many agents have `Internal error` as the message, and the reason only here.
fn details(error: &Error) -> Option<String> {
    let data: Value = serde_json::from_str(error.data.as_ref()?.as_str()).ok()?;
    let mut places = DETAILS.iter().map(|name| &data[name]);
    let said = data.as_str().or_else(|| places.find_map(Value::as_str))?;
    let said: String = said.trim().chars().take(MOST_DETAILS).collect();
    let is_new = !said.is_empty() && !error.message.contains(&said);
    is_new.then_some(said)
}

pub(super) fn no_session(what: &str, session: &v1::SessionId) -> CommandFailure {
    let why = format!("no session `{session}` is open; open it first");
    new(what, &why, FailureKind::NoSession)
}

pub(super) fn not_offered(what: &str, why: &str) -> CommandFailure {
    new(what, why, FailureKind::NotOffered)
}

pub(super) fn local(what: &str, why: &str) -> CommandFailure {
    new(what, why, FailureKind::Local)
}

pub(super) fn agent_exited(what: &str) -> CommandFailure {
    new(
        what,
        "the agent is not running; restart it",
        FailureKind::AgentExited,
    )
}

pub(super) fn overloaded(what: &str) -> CommandFailure {
    local(
        what,
        "too many commands wait for the agent; try again later",
    )
}

pub(super) fn turn_hangs(seconds: u64) -> CommandFailure {
    let why = format!(
        "the agent has not ended the turn {seconds} s after it was cancelled; it may hang: restart it"
    );
    new("session/cancel", &why, FailureKind::TimedOut)
}

/// The kind of failure. Many agents report an unknown session only in the message's text.
fn kind_of(what: &str, error: &Error) -> FailureKind {
    let takes_up = matches!(what, "session/load" | "session/resume" | "session/fork");
    match ErrorCode::of(error) {
        ErrorCode::AuthRequired => FailureKind::LoginRequired,
        ErrorCode::ResourceNotFound => FailureKind::NoSession,
        _ if takes_up && says_not_found(error) => FailureKind::NoSession,
        _ => FailureKind::Refused,
    }
}

fn says_not_found(error: &Error) -> bool {
    let data = error.data.as_ref().map_or("", |data| data.as_str());
    let said = format!("{} {data}", error.message).to_lowercase();
    NOT_FOUND.iter().any(|words| said.contains(words))
}

fn new(what: &str, why: &str, kind: FailureKind) -> CommandFailure {
    CommandFailure {
        operation: what.to_owned(),
        reason: why.to_owned(),
        kind,
    }
}

const DETAILS: [&str; 3] = ["details", "message", "error"];
const MOST_DETAILS: usize = 500;
const NOT_FOUND: [&str; 5] = [
    "not found",
    "no such",
    "not exist",
    "unknown session",
    "no session",
];
