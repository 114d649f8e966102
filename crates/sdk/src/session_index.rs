//! Finds the session of a call before the call is queued: a cancellation arrives after the prompt that it cancels and
//! must overtake it.

use attache_rpc::Call;
use attache_schema::call::{AgentRequest, ClientNotification, ClientRequest};
use attache_schema::method::Order;
use attache_transport::{SessionEffect, SessionIndex};

use crate::connection::session_named_in;

/// An agent's index: prompts, and the notification that cancels them.
pub(crate) struct AgentSessionIndex;

/// A client's index: permission requests, which end when the client cancels the turn.
pub(crate) struct ClientSessionIndex;

impl SessionIndex for AgentSessionIndex {
    fn session_effect(&self, call: &Call) -> SessionEffect {
        let request = ClientRequest::order(call.method());
        session_effect(call, request, ClientNotification::order(call.method()))
    }
}

impl SessionIndex for ClientSessionIndex {
    fn session_effect(&self, call: &Call) -> SessionEffect {
        session_effect(call, AgentRequest::order(call.method()), Order::NONE)
    }
}

fn session_effect(call: &Call, request: Order, notification: Order) -> SessionEffect {
    let effect = if request.ends_with_cancel {
        SessionEffect::BelongsTo
    } else if notification.cancels_session {
        SessionEffect::Cancels
    } else {
        return SessionEffect::None;
    };
    // Most calls do not need their parameters scanned.
    let session = call.params().and_then(session_named_in);
    session.map_or(SessionEffect::None, effect)
}
