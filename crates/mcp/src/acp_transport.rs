//! MCP over the ACP connection: each MCP request is an `mcp/message` request to the client. There is no handshake, the
//! server sends no requests, and each of its notifications belongs to a pending request.

use std::collections::HashMap;
use std::convert::Infallible;

use attache::json::{Raw, RawObject};
use attache::{CallError, ClientHandle, v1};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::handler::Handler;
use super::list_changes::is_change;
use super::text;
use super::wire::PendingRequests;

/// The transport. Dropping it cancels the pending requests.
pub(super) struct AcpTransport {
    client: ClientHandle,
    server: v1::McpServerAcpId,
    pending: PendingRequests,
    running: JoinSet<()>,
    handles: HashMap<RequestId, AbortHandle>,
    answers: mpsc::Sender<ServerJsonRpcMessage>,
    arrived: mpsc::Receiver<ServerJsonRpcMessage>,
}

/// Receives the client's notifications for a server.
#[derive(Clone)]
pub(super) struct NotificationInbox {
    server: v1::McpServerAcpId,
    pending: PendingRequests,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    handler: Handler,
}

impl AcpTransport {
    pub(super) fn new(client: ClientHandle, server: v1::McpServerAcpId) -> AcpTransport {
        let (answers, arrived) = mpsc::channel(QUEUE);
        AcpTransport {
            client,
            server,
            pending: PendingRequests::default(),
            running: JoinSet::new(),
            handles: HashMap::new(),
            answers,
            arrived,
        }
    }

    pub(super) fn inbox(&self, handler: &Handler) -> NotificationInbox {
        NotificationInbox {
            server: self.server.clone(),
            pending: self.pending.clone(),
            sender: self.answers.clone(),
            handler: handler.clone(),
        }
    }

    fn ask(&mut self, id: RequestId, message: &ClientJsonRpcMessage) {
        let Some((method, params)) = parts(message) else {
            return;
        };
        let wire_id = id.to_string();
        let mut request = v1::MessageMcpRequest::new(self.server.clone(), wire_id, method);
        request.params = Some(RawObject::from(params));
        let client = self.client.clone();
        let answers = self.answers.clone();
        let pending = self.pending.clone();
        let handle = self.running.spawn({
            let id = id.clone();
            async move {
                let answer = answer(id, client.request(request).await);
                for message in pending.read(answer.to_string().as_bytes()) {
                    // Fails only if the transport is closed.
                    answers.send(message).await.ok();
                }
            }
        });
        while self.running.try_join_next().is_some() {}
        self.handles.retain(|_, handle| !handle.is_finished());
        self.handles.insert(id, handle);
    }

    fn cancel(&mut self, id: &RequestId) {
        if let Some(handle) = self.handles.remove(id) {
            handle.abort();
        }
    }
}

impl NotificationInbox {
    /// Delivers a notification for this server and a pending request. Dropped if the queue is full.
    pub(super) fn deliver(&self, notification: &v1::MessageMcpNotification) -> bool {
        if notification.server_id != self.server {
            return false;
        }
        let id = notification
            .request_id
            .as_str()
            .parse()
            .map(RequestId::Number);
        let told = told(notification).and_then(|told| serde_json::from_value(told).ok());
        if let Some(message) = told {
            // Count the change here, where it can be neither dropped nor overtaken.
            if is_change(&message) {
                self.handler.changes().note();
            }
            if id.is_ok_and(|id| self.pending.contains(&id)) {
                self.sender.try_send(message).ok();
            }
        }
        true
    }
}

impl Transport<RoleClient> for AcpTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.pending.note(&message);
        match &message {
            ClientJsonRpcMessage::Request(request) => self.ask(request.id.clone(), &message),
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.cancel(id);
                }
            }
            // Servers send no requests on this transport, so there are no responses to them.
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let client = self.client.clone();
        tokio::select! {
            biased;
            message = self.arrived.recv() => message,
            _ = client.closed() => None,
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.running.shutdown().await;
        Ok(())
    }
}

fn parts(message: &ClientJsonRpcMessage) -> Option<(String, Map<String, Value>)> {
    let Ok(Value::Object(mut members)) = serde_json::to_value(message) else {
        return None;
    };
    let Some(Value::String(method)) = members.remove("method") else {
        return None;
    };
    match members.remove("params") {
        Some(Value::Object(params)) => Some((method, params)),
        _ => Some((method, Map::new())),
    }
}

fn answer(id: RequestId, outcome: Result<v1::MessageMcpResponse, CallError>) -> Value {
    let id = id.into_json_value();
    let parsed = |raw: &str| serde_json::from_str::<Value>(raw).unwrap_or(Value::Null);
    match outcome {
        Ok(v1::MessageMcpResponse::Result { result, .. }) => {
            json!({"jsonrpc": "2.0", "id": id, "result": parsed(result.as_str())})
        }
        Ok(v1::MessageMcpResponse::Error { error, .. }) => {
            let error = Raw::of(&error);
            json!({"jsonrpc": "2.0", "id": id, "error": parsed(error.as_str())})
        }
        Err(error) => {
            let reason = text::one_line(
                &format!("the client did not pass it on: {}", error.kind()),
                REASON,
            );
            let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, reason, NOTHING_MORE);
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
    }
}

/// The notification as an MCP message. Request ids are numbers for us and strings for the client.
fn told(notification: &v1::MessageMcpNotification) -> Option<Value> {
    let params = notification.params.as_ref().map_or("{}", RawObject::as_str);
    let mut params: Value = serde_json::from_str(params).ok()?;
    if let Some(subscription) = params.pointer_mut("/_meta/io.modelcontextprotocol~1subscriptionId")
        && let Some(number) = subscription.as_str().and_then(|id| id.parse::<i64>().ok())
    {
        *subscription = number.into();
    }
    Some(json!({"jsonrpc": "2.0", "method": notification.method, "params": params}))
}

const QUEUE: usize = 256;
const REASON: usize = 400;
const NOTHING_MORE: Option<Value> = None;
