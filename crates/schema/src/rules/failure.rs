//! Errors that a request must not be answered with, or not like this.

use attache_rpc::Error;

use super::{Findings, MessagePath};
use crate::call::ClientRequest;
use crate::error::ErrorCode;

/// An agent's error.
pub(super) fn of_agent(request: &ClientRequest, error: &Error, found: &mut Findings) {
    let at = MessagePath::error(request.method());
    match (request, ErrorCode::of(error)) {
        (ClientRequest::AuthStatus(_), ErrorCode::AuthRequired) => {
            let message = "the status can be asked without a login; answer with the state";
            found.add(rule!("49"), &at.member("code"), message);
        }
        (ClientRequest::DeleteSession(_), ErrorCode::ResourceNotFound) => {
            let message = "there is nothing to delete, which is fine; answer with success";
            found.add(rule!("87"), &at.member("code"), message);
        }
        (ClientRequest::SessionStatus(_), ErrorCode::ResourceNotFound) => {
            let data = error.data.as_ref();
            if data
                .and_then(|data| data.string_member("sessionId"))
                .is_none()
            {
                let message = "the session's id is missing; add it as sessionId";
                found.add(rule!("90"), &at.member("data"), message);
            }
        }
        _ => {}
    }
}
