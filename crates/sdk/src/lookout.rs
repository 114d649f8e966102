//! What has to be seen before its turn: a cancellation stands behind the very prompt that it cancels.

use attache_rpc::{Call, SessionKey};
use attache_transport::{Look, Lookout};

use crate::connection::session_named_in;

/// Looks out for the client's cancellations.
pub(crate) struct ForAgent;

/// Looks out for the agent's questions to a person, which a cancellation answers.
pub(crate) struct ForClient;

impl Lookout for ForAgent {
    fn look(&self, call: &Call) -> Look {
        let look = match call.method() {
            "session/prompt" => Look::BelongsTo,
            "session/cancel" => Look::TakesBack,
            _ => return Look::Plain,
        };
        session(call).map_or(Look::Plain, look)
    }
}

impl Lookout for ForClient {
    fn look(&self, call: &Call) -> Look {
        match call.method() {
            "session/request_permission" => session(call).map_or(Look::Plain, Look::BelongsTo),
            _ => Look::Plain,
        }
    }
}

/// A call without a session is about none, and cancels none.
fn session(call: &Call) -> Option<SessionKey> {
    call.params().and_then(session_named_in)
}
