//! MCP over HTTP with server-sent events, the predecessor of Streamable HTTP: all messages arrive on one stream, whose first
//! event names the address to send to. Deprecated; for servers that support nothing newer.

use std::collections::VecDeque;

use attache::v1;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Url};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp_sse_stream::Sse;

use super::web::{self, HttpError};
use super::wire::{PendingRequests, WriteBacklog};

/// The transport.
pub(super) struct SseTransport {
    client: Client,
    target: Url,
    events: BoxStream<'static, Result<Sse, HttpError>>,
    ready: VecDeque<ServerJsonRpcMessage>,
    pending: PendingRequests,
    backlog: WriteBacklog,
}

impl SseTransport {
    /// Opens the stream and waits for the address to send to.
    pub(super) async fn open(server: &v1::McpServerSse) -> Result<SseTransport, HttpError> {
        let url = web::address(&server.url, &server.headers)?;
        let client = web::client(&server.headers)?;
        let request = client.get(url.clone()).header(ACCEPT, web::EVENTS);
        let response = request.send().await?;
        if let Some(error) = web::refusal(response.status()) {
            return Err(error);
        }
        if !web::is(&response, web::EVENTS) {
            return Err(HttpError::Kind);
        }
        let mut events = web::events(response);
        let target = target(&url, &mut events).await?;
        Ok(SseTransport {
            client,
            target,
            events,
            ready: VecDeque::new(),
            pending: PendingRequests::default(),
            backlog: WriteBacklog::new(),
        })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = HttpError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), HttpError>> + Send + 'static {
        self.pending.note(&message);
        let ticket = self.backlog.enter();
        let request = self.client.post(self.target.clone());
        async move {
            let body = serde_json::to_vec(&message).map_err(|_| HttpError::Unreadable)?;
            let request = request.header(CONTENT_TYPE, web::JSON).body(body);
            let status = request.send().await?.status();
            drop(ticket);
            web::refusal(status).map_or(Ok(()), Err)
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            self.backlog.short().await;
            let event = self.events.next().await?.ok()?;
            let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
            if is_message && let Some(data) = event.data {
                self.ready.extend(self.pending.read(data.as_bytes()));
            }
        }
    }

    async fn close(&mut self) -> Result<(), HttpError> {
        self.events = futures_util::stream::empty().boxed();
        Ok(())
    }
}

/// The address to send to. It must be on the same origin, or our headers would go to another party.
async fn target(
    url: &Url,
    events: &mut BoxStream<'static, Result<Sse, HttpError>>,
) -> Result<Url, HttpError> {
    while let Some(event) = events.next().await {
        let event = event?;
        if event.event.as_deref() == Some("endpoint") {
            let path = event.data.unwrap_or_default();
            let target = url.join(path.trim()).map_err(|_| HttpError::NoAddress)?;
            return match target.origin() == url.origin() {
                true => Ok(target),
                false => Err(HttpError::Elsewhere),
            };
        }
    }
    Err(HttpError::NoAddress)
}
