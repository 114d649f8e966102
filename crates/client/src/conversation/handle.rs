//! How work beside the conversation does something with it: in the conversation's own turn, one after the other.

use tokio::sync::{mpsc, oneshot};

use super::{Conversation, Then};

/// A way to do something with a [`Conversation`] from anywhere. Nothing of it is borrowed while something is awaited.
#[derive(Debug, Clone)]
pub(super) struct ConversationHandle(mpsc::UnboundedSender<Then>);

impl ConversationHandle {
    /// The way, and where what is to be done arrives. It has no limit of its own: each permission request waits for what
    /// it has sent, and sends one thing more when it ends.
    pub(super) fn new() -> (ConversationHandle, mpsc::UnboundedReceiver<Then>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (ConversationHandle(sender), receiver)
    }

    /// Does something with the conversation and waits for what comes of it; `None` if the conversation is gone. It is not done if nobody
    /// waits for it any more.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Conversation) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.post(move |conversation| {
            if !done.is_closed() {
                // The waiting task is polled after this.
                done.send(act(conversation)).ok();
            }
        });
        outcome.await.ok()
    }

    /// Does something with the conversation, sooner or later. Of a conversation that is gone nothing is left to be done.
    pub(super) fn post(&self, act: impl FnOnce(&mut Conversation) + Send + 'static) {
        self.0.send(Box::new(act)).ok();
    }
}
