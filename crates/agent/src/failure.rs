//! How a turn, or the setting up of a session, fails.

use attache::schema::error;
use attache::{CallError, Error, v1};
use attache_journal as journal;
use attache_model as model;

/// How a turn, or the setting up of a session, fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The client cannot be told or asked any more.
    #[error("{0}")]
    Client(#[from] CallError),
    /// What happens cannot be kept.
    #[error("the session cannot be kept: {0}")]
    Store(#[from] journal::Error),
    /// The model does not answer.
    #[error("{0}")]
    Model(#[from] model::Error),
    /// The person has ended it.
    #[error("cancelled")]
    Cancelled,
}

impl Failure {
    /// Whether pictures and sounds are, or may be, the reason: it would come with every turn as long as they are there.
    pub(crate) fn is_about_media(&self) -> bool {
        use model::Error::{Media, TooLong};
        matches!(self, Failure::Model(Media { .. } | TooLong { .. }))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Model(model::Error::Media { .. }) => {
                error::internal(&format!("{failure}; from now on it is left out"))
            }
            Failure::Model(model::Error::Key { .. }) => login(&failure.to_string()),
            Failure::Cancelled => error::cancelled(),
            Failure::Store(fault) => of_store(fault),
            Failure::Client(_) | Failure::Model(_) => error::internal(&failure.to_string()),
        }
    }
}

/// A login is needed, and how to go about it.
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

/// The same for a session that the client named.
pub(crate) fn of_session(fault: journal::Error, id: &v1::SessionId) -> Error {
    match fault {
        journal::Error::NotFound => error::session_not_found(id),
        fault => of_store(fault),
    }
}
