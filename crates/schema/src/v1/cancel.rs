//! Cancelling: a session's turn, or any one request.

use attache_rpc::Id;

use super::SessionId;

message! {
    /// Ends the running turn; the prompt is still answered, with `cancelled`.
    pub struct CancelNotification {
        /// Whose turn.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Asks the peer to give up a request, which it must still answer. Either side may send it, either may ignore it.
    pub struct CancelRequestNotification {
        /// Which request.
        request_id: Id = "requestId",
    }
}
