//! Results in which the draft reports that a call has failed. In the protocol they are errors.

use attache_rpc::Error;
use attache_rpc::json::Object;
use attache_schema::error::{self, ErrorCode};

use crate::edit;

/// The error that a draft agent's result reports; `None` if the call succeeded.
pub(super) fn of(method: &str, result: &Object<'_>) -> Option<Error> {
    match method {
        "authenticate" if result.get("success") == Some("false") => {
            let reason = edit::string(result, "error");
            let reason = reason.unwrap_or_else(|| "authentication failed".to_owned());
            Some(Error::new(ErrorCode::AuthRequired.into(), reason))
        }
        "session/prompt" if edit::string(result, "stopReason").as_deref() == Some("error") => {
            Some(error::internal("the agent ended the turn with an error"))
        }
        _ => None,
    }
}
