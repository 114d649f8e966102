//! A turn: the user's prompt, and why the agent stopped.

use super::{ContentBlock, SessionId};

message! {
    /// Parameters of `session/prompt`, which starts a turn. The agent responds when the turn ends; everything it does
    /// until then arrives as `session/update` notifications before the response.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message).
    pub struct PromptRequest {
        /// The session to prompt.
        session_id: SessionId = "sessionId",
        /// The user's message. Text and resource links are always allowed. The client MUST send other kinds only if the
        /// agent advertises them in `promptCapabilities`.
        prompt: Vec<ContentBlock> = "prompt",
    }
}

message! {
    /// Response to `session/prompt`: the turn has ended.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#4-check-for-completion).
    pub struct PromptResponse {
        /// Reason why the turn ended.
        stop_reason: StopReason = "stopReason",
        ..
        /// Tokens used (unstable). Default: not reported.
        usage: Option<Usage> = "usage" lenient,
    }
}

open_enum! {
    /// Why a turn ended.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons).
    pub enum StopReason {
        /// The model finished without asking for another tool.
        EndTurn = "end_turn",
        /// The maximum number of tokens was reached.
        MaxTokens = "max_tokens",
        /// The maximum number of model requests in one turn was reached.
        MaxTurnRequests = "max_turn_requests",
        /// The agent refuses to continue. The prompt and everything after it will not be part of the next prompt, and
        /// the client should show that.
        Refusal = "refusal",
        /// The client cancelled the turn with `session/cancel`. The agent MUST send this reason then, even if stopping
        /// made something fail.
        Cancelled = "cancelled",
    }
}

message! {
    /// Tokens used, reported when a turn ends.
    ///
    /// Unstable: may change or be removed. See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn).
    pub struct Usage {
        /// Sum of all kinds of tokens.
        total_tokens: u64 = "totalTokens",
        /// Tokens sent to the model.
        input_tokens: u64 = "inputTokens",
        /// Tokens that the model produced.
        output_tokens: u64 = "outputTokens",
        ..
        /// Tokens that the model used for reasoning. Default: not reported.
        thought_tokens: Option<u64> = "thoughtTokens" lenient,
        /// Tokens read from a cache. Default: not reported.
        cached_read_tokens: Option<u64> = "cachedReadTokens" lenient,
        /// Tokens written to a cache. Default: not reported.
        cached_write_tokens: Option<u64> = "cachedWriteTokens" lenient,
    }
}
