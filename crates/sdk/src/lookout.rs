//! What has to be seen before its turn: a cancellation stands behind the very prompt that it cancels.

use attache_rpc::Call;
use attache_transport::{Look, Lookout};

use crate::core::stream;

/// Looks out for the client's cancellations.
pub(crate) struct ForAgent;

/// Looks out for the agent's questions to a person, which a cancellation answers.
pub(crate) struct ForClient;

impl Lookout for ForAgent {
    fn look(&self, call: &Call) -> Look {
        match (call.method(), call.params()) {
            ("session/prompt", Some(params)) => Look::BelongsTo(stream(params)),
            ("session/cancel", Some(params)) => Look::TakesBack(stream(params)),
            _ => Look::Plain,
        }
    }
}

impl Lookout for ForClient {
    fn look(&self, call: &Call) -> Look {
        match (call.method(), call.params()) {
            ("session/request_permission", Some(params)) => Look::BelongsTo(stream(params)),
            _ => Look::Plain,
        }
    }
}
