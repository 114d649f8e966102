//! How work beside the conversation does something with it: in the conversation's own turn, one after the other.

use tokio::sync::{mpsc, oneshot};

use super::{Desk, Then};

/// A way to do something with a [`Desk`] from anywhere. Nothing of it is borrowed while something is awaited.
#[derive(Debug, Clone)]
pub(super) struct Owner(mpsc::UnboundedSender<Then>);

impl Owner {
    /// The way, and where what is to be done arrives. It has no limit of its own: each permission request waits for what
    /// it has sent, and sends one thing more when it ends.
    pub(super) fn new() -> (Owner, mpsc::UnboundedReceiver<Then>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Owner(sender), receiver)
    }

    /// Does something with the desk and waits for what comes of it; `None` if the desk is gone. It is not done if nobody
    /// waits for it any more.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Desk) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.post(move |desk| {
            if !done.is_closed() {
                // The waiting task is polled after this.
                done.send(act(desk)).ok();
            }
        });
        outcome.await.ok()
    }

    /// Does something with the desk, sooner or later. Of a desk that is gone nothing is left to be done.
    pub(super) fn post(&self, act: impl FnOnce(&mut Desk) + Send + 'static) {
        self.0.send(Box::new(act)).ok();
    }
}
