//! Errors of turns and of opening sessions.

use attache::schema::error;
use attache::{CallError, Error, v1};
use attache_journal as journal;
use attache_model as model;

/// Why a turn, or opening a session, failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The client can't be reached.
    #[error("{0}")]
    Client(#[from] CallError),
    /// The journal can't be written or read.
    #[error("the session cannot be stored: {0}")]
    Store(#[from] journal::Error),
    /// The model failed.
    #[error("{0}")]
    Model(#[from] model::Error),
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl Failure {
    /// Whether images or audio may be the cause. If so, every later turn would fail while they stay in the conversation.
    pub(crate) fn is_about_media(&self) -> bool {
        use model::Error::{Media, TooLong};
        matches!(self, Failure::Model(Media { .. } | TooLong { .. }))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Model(model::Error::Media { .. }) => {
                error::internal(&format!("{failure}; it is left out from now on"))
            }
            Failure::Model(model::Error::Key { .. }) => login(&failure.to_string()),
            Failure::Cancelled => error::cancelled(),
            Failure::Store(fault) => of_store(fault),
            Failure::Client(_) | Failure::Model(_) => error::internal(&failure.to_string()),
        }
    }
}

/// The error for a missing login, with what to do about it.
fn login(reason: &str) -> Error {
    let plain = error::auth_required();
    Error::new(plain.code, format!("{}: {reason}", plain.message))
}

fn of_store(fault: journal::Error) -> Error {
    match fault {
        journal::Error::Cursor => error::unusable_params(&fault.to_string()),
        journal::Error::InUse { .. } => error::invalid_request("in_use", &fault.to_string()),
        fault => error::internal(&fault.to_string()),
    }
}

/// The error of the store for a session that the client named.
pub(crate) fn of_session(fault: journal::Error, id: &v1::SessionId) -> Error {
    match fault {
        journal::Error::NotFound => error::session_not_found(id),
        fault => of_store(fault),
    }
}
