//! A turn: the person's prompt, and why the agent stopped.

use super::{ContentBlock, SessionId};

message! {
    /// The person's prompt; it is answered when the turn ends.
    pub struct PromptRequest {
        /// In which session.
        session_id: SessionId = "sessionId",
        /// What the person said and attached.
        prompt: Vec<ContentBlock> = "prompt",
    }
}

message! {
    /// The turn has ended.
    pub struct PromptResponse {
        /// Why.
        stop_reason: StopReason = "stopReason",
        ..
        /// What it cost in tokens (unstable).
        usage: Option<Usage> = "usage" lenient,
    }
}

open_enum! {
    /// Why a turn ended.
    pub enum StopReason {
        /// The model had nothing more to say or do.
        EndTurn = "end_turn",
        /// The model ran out of tokens.
        MaxTokens = "max_tokens",
        /// The turn took more requests to the model than it may.
        MaxTurnRequests = "max_turn_requests",
        /// The model would not go on; the prompt is not part of the history.
        Refusal = "refusal",
        /// The client cancelled the turn.
        Cancelled = "cancelled",
    }
}

message! {
    /// Tokens used (unstable).
    pub struct Usage {
        /// All of them.
        total_tokens: u64 = "totalTokens",
        /// Those sent to the model.
        input_tokens: u64 = "inputTokens",
        /// Those the model sent.
        output_tokens: u64 = "outputTokens",
        ..
        /// Those the model thought with.
        thought_tokens: Option<u64> = "thoughtTokens" lenient,
        /// Those read from a cache.
        cached_read_tokens: Option<u64> = "cachedReadTokens" lenient,
        /// Those written to a cache.
        cached_write_tokens: Option<u64> = "cachedWriteTokens" lenient,
    }
}
