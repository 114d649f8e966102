//! How an answer fails.

/// How an answer fails. No variant carries a secret or more than a line of what a provider wrote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no key, or the provider does not take it.
    #[error("{provider} requires a valid key: {hint}")]
    Key {
        /// Which provider.
        provider: String,
        /// What to do about it.
        hint: String,
    },
    /// The conversation is longer than the model's window.
    #[error("the conversation is too long for {model}")]
    TooLong {
        /// Which model.
        model: String,
    },
    /// The provider does not take a picture or a sound of the conversation: not this one, or none at all.
    #[error("{provider} does not accept the attachment: {reason}")]
    Media {
        /// Which provider.
        provider: String,
        /// What it said, in one line.
        reason: String,
    },
    /// The provider refuses, or fails, for good or after all attempts.
    #[error("{provider}: {reason}")]
    Provider {
        /// Which provider.
        provider: String,
        /// What it said, in one line.
        reason: String,
    },
    /// The provider cannot be reached.
    #[error("{provider} cannot be reached at {host}: {reason}")]
    Unreachable {
        /// Which provider.
        provider: String,
        /// Where it was looked for.
        host: String,
        /// How that ended.
        reason: String,
    },
    /// The answer breaks off after something of it was said, which is therefore not asked for again.
    #[error("the response of {provider} was cut off: {reason}")]
    Cut {
        /// Which provider.
        provider: String,
        /// How that came.
        reason: String,
    },
}
