//! The interface of a translator between a peer's message shapes and ours.

/// Translates the messages of one connection, in the order in which they are received and sent.
pub trait Translator: Send {
    /// Translates a message received from the peer.
    fn incoming(&mut self, message: &str) -> Translation;

    /// Translates a message that is about to be sent to the peer.
    fn outgoing(&mut self, message: &str) -> Translation;
}

/// The result of translating one message with a [`Translator`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Translation {
    /// The message is forwarded unchanged.
    Unchanged,
    /// This message and all later ones are forwarded unchanged. The translator is dropped.
    Finished,
    /// Other messages replace this one.
    Replaced(MessageReplacement),
}

/// The messages that replace a translated message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageReplacement {
    /// Messages forwarded to the receiver of the original.
    pub forward: Vec<String>,
    /// Messages sent back to the sender of the original.
    pub send_back: Vec<String>,
}
