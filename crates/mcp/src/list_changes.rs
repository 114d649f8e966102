//! Counts the list changes that a server announces, before any later message is handled. Permissions are compared with
//! the lists, so no response may overtake the notification that a list has changed.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::sync::Notify;

use super::handler::Handler;

/// Counts the list changes that a server has announced.
#[derive(Debug, Default)]
pub(super) struct ListChanges {
    count: AtomicU64,
    news: Notify,
}

impl ListChanges {
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    pub(super) fn note(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.news.notify_one();
    }

    /// Waits until the server announces a change.
    pub(super) async fn next(&self) {
        self.news.notified().await;
    }
}

/// A transport that counts announced changes in the order of messages.
pub(super) struct ChangeCounter<T> {
    inner: T,
    handler: Handler,
}

impl<T> ChangeCounter<T> {
    pub(super) fn new(inner: T, handler: Handler) -> ChangeCounter<T> {
        ChangeCounter { inner, handler }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ChangeCounter<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        if message.as_ref().is_some_and(is_change) {
            self.handler.changes().note();
        }
        message
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

/// Whether a message announces a list change.
pub(super) fn is_change(message: &ServerJsonRpcMessage) -> bool {
    let ServerJsonRpcMessage::Notification(message) = message else {
        return false;
    };
    matches!(
        message.notification,
        ServerNotification::ToolListChangedNotification(_)
            | ServerNotification::PromptListChangedNotification(_)
            | ServerNotification::ResourceListChangedNotification(_)
    )
}
