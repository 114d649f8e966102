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
#[non_exhaustive]
pub struct MessageReplacement {
    /// Messages forwarded to the receiver of the original.
    pub forward: Vec<String>,
    /// Messages sent back to the sender of the original.
    pub send_back: Vec<String>,
}

impl MessageReplacement {
    /// These messages go to the receiver of the original, and nothing to its sender.
    pub fn forward(messages: impl IntoIterator<Item = String>) -> Self {
        MessageReplacement {
            forward: messages.into_iter().collect(),
            send_back: Vec::new(),
        }
    }

    /// Sets [`send_back`](MessageReplacement#structfield.send_back).
    #[must_use]
    pub fn send_back(mut self, messages: impl IntoIterator<Item = String>) -> Self {
        self.send_back = messages.into_iter().collect();
        self
    }
}
