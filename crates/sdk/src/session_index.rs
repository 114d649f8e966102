//! Which session a call belongs to, read before the call is queued: a cancellation arrives after the prompt that it
//! cancels and must overtake it.

use attache_rpc::{Call, SessionKey};
use attache_transport::{SessionEffect, SessionIndex};

use crate::connection::session_named_in;

/// An agent's index: prompts, and `session/cancel`, which cancels them.
pub(crate) struct AgentSessionIndex;

/// A client's index: permission requests, which end with `cancelled` when the client cancels the turn.
pub(crate) struct ClientSessionIndex;

impl SessionIndex for AgentSessionIndex {
    fn session_effect(&self, call: &Call) -> SessionEffect {
        let effect = match call.method() {
            "session/prompt" => SessionEffect::BelongsTo,
            "session/cancel" => SessionEffect::Cancels,
            _ => return SessionEffect::None,
        };
        session(call).map_or(SessionEffect::None, effect)
    }
}

impl SessionIndex for ClientSessionIndex {
    fn session_effect(&self, call: &Call) -> SessionEffect {
        match call.method() {
            "session/request_permission" => {
                session(call).map_or(SessionEffect::None, SessionEffect::BelongsTo)
            }
            _ => SessionEffect::None,
        }
    }
}

/// The session that the params name, if they name one.
fn session(call: &Call) -> Option<SessionKey> {
    call.params().and_then(session_named_in)
}
