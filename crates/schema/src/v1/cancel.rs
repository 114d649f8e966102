//! Cancellation of a turn, or of a single request.

use attache_rpc::Id;

use super::SessionId;

message! {
    /// Parameters of `session/cancel`: the client ends the running turn. The agent SHOULD stop its model requests and
    /// tools as soon as possible, and MUST then respond to `session/prompt` with
    /// [`StopReason::Cancelled`](super::StopReason::Cancelled). The client MUST respond to the pending permission
    /// requests of the session with `cancelled`.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation).
    pub struct CancelNotification {
        /// The session whose turn ends.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Parameters of `$/cancel_request`: the sender of a request no longer needs it. Either side MAY send it, and the
    /// receiver MAY ignore it. The receiver MUST still respond to the request, with a result or with "request
    /// cancelled" (-32800).
    ///
    /// See [Cancellation](https://agentclientprotocol.com/protocol/v1/cancellation).
    pub struct CancelRequestNotification {
        /// The JSON-RPC id of the request to cancel.
        request_id: Id = "requestId",
    }
}
