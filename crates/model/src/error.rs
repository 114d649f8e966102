//! Errors of an answer.

/// Why an answer failed. Contains no secret, and at most one line from the provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is missing, or the provider rejects it.
    #[error("{provider} requires a valid key: {hint}")]
    Key {
        /// The name of the provider.
        provider: String,
        /// Advice for the user.
        hint: String,
    },
    /// The conversation does not fit into the model's context window.
    #[error("the conversation is too long for {model}")]
    TooLong {
        /// The id of the model.
        model: String,
    },
    /// The provider rejects an image or audio of the conversation.
    #[error("{provider} does not accept the attachment: {reason}")]
    Media {
        /// The name of the provider.
        provider: String,
        /// The provider's message, in one line.
        reason: String,
    },
    /// The provider rejects the request, or all attempts failed.
    #[error("{provider}: {reason}")]
    Provider {
        /// The name of the provider.
        provider: String,
        /// The provider's message, in one line.
        reason: String,
    },
    /// The provider cannot be reached.
    #[error("{provider} cannot be reached at {host}: {reason}")]
    Unreachable {
        /// The name of the provider.
        provider: String,
        /// The host of the provider.
        host: String,
        /// Why the connection failed.
        reason: String,
    },
    /// The answer was cut off after its start, so it is not requested again.
    #[error("the response of {provider} was cut off: {reason}")]
    CutOff {
        /// The name of the provider.
        provider: String,
        /// Why it was cut off.
        reason: String,
    },
}
