//! Shared by our transports: reads messages of a server, and fails requests whose response can't be read, so that no
//! caller waits forever.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::identity;

/// The requests that a server has not responded to.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingRequests(Arc<Mutex<Vec<RequestId>>>);

impl PendingRequests {
    /// Records an outgoing message.
    pub(super) fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.with(|pending| pending.push(request.id.clone()));
            }
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.forget(id);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
    }

    /// Reads what the server has sent. Ignores anything that is not an MCP message, because some servers print to standard
    /// output. A response that can't be read fails its request, or all requests if its id can't be read either.
    pub(super) fn read(&self, text: &[u8]) -> Vec<ServerJsonRpcMessage> {
        if let Some(message) = message(text) {
            self.settle(&message);
            return vec![message];
        }
        match serde_json::from_slice::<Value>(text) {
            Ok(Value::Object(members)) if members.contains_key("method") => Vec::new(),
            Ok(value) => match value.get("id").and_then(id_of) {
                Some(id) => self.fail_one(id),
                None => Vec::new(),
            },
            Err(_) => match readable_part(text) {
                Some(message) => {
                    self.settle(&message);
                    vec![message]
                }
                None if is_message(text) => self.fail(UNREADABLE),
                None => Vec::new(),
            },
        }
    }

    /// Fails all pending requests.
    pub(super) fn fail(&self, reason: &'static str) -> Vec<ServerJsonRpcMessage> {
        let ids = self.with(std::mem::take);
        ids.into_iter().map(|id| failure(id, reason)).collect()
    }

    /// Whether a request is pending.
    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.with(|pending| pending.contains(id))
    }

    pub(super) fn forget(&self, id: &RequestId) {
        self.with(|pending| pending.retain(|open| !same(open, id)));
    }

    fn settle(&self, message: &ServerJsonRpcMessage) {
        match message {
            ServerJsonRpcMessage::Response(answer) => self.forget(&answer.id),
            ServerJsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.forget(id);
                }
            }
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {}
        }
    }

    fn fail_one(&self, id: RequestId) -> Vec<ServerJsonRpcMessage> {
        self.forget(&id);
        vec![failure(id, UNREADABLE)]
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<RequestId>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A message of a server. Listed tools get the digest of their whole definition.
pub(super) fn message(text: &[u8]) -> Option<ServerJsonRpcMessage> {
    serde_json::from_slice(&with_definitions(text)).ok()
}

/// The text with the digest of the whole definition added to each listed tool, because `rmcp` drops unknown members.
pub(super) fn with_definitions(text: &[u8]) -> Cow<'_, [u8]> {
    if !contains(text, LIST) && !contains(text, ESCAPE) {
        return Cow::Borrowed(text);
    }
    let Ok(mut message) = serde_json::from_slice::<Value>(text) else {
        return Cow::Borrowed(text);
    };
    let tools = message.pointer_mut("/result/tools");
    let Some(tools) = tools.and_then(Value::as_array_mut) else {
        return Cow::Borrowed(text);
    };
    tools.iter_mut().for_each(identity::mark_definition);
    Cow::Owned(message.to_string().into_bytes())
}

/// A list of tools without those that can't be read, for example because they are nested too deep. Those count as left out.
fn readable_part(text: &[u8]) -> Option<ServerJsonRpcMessage> {
    #[derive(serde::Deserialize)]
    struct ToolsResponse<'a> {
        jsonrpc: String,
        id: Value,
        #[serde(borrow)]
        result: ToolsResult<'a>,
    }
    #[derive(serde::Deserialize)]
    struct ToolsResult<'a> {
        #[serde(borrow)]
        tools: Vec<&'a RawValue>,
        #[serde(rename = "nextCursor")]
        next: Option<String>,
    }
    let answer: ToolsResponse<'_> = serde_json::from_slice(text).ok()?;
    let tools = answer.result.tools.iter();
    // A placeholder for a tool that can't be read is not a valid tool, and so it is counted as left out.
    let tools = tools.map(|tool| {
        let mut tool = serde_json::from_str(tool.get()).unwrap_or(Value::Null);
        identity::mark_definition(&mut tool);
        tool
    });
    let mut result = serde_json::json!({ "tools": tools.collect::<Vec<Value>>() });
    if let Some(next) = answer.result.next {
        result["nextCursor"] = next.into();
    }
    let message =
        serde_json::json!({ "jsonrpc": answer.jsonrpc, "id": answer.id, "result": result });
    serde_json::from_value(message).ok()
}

/// An error response.
pub(super) fn failure(id: RequestId, reason: &'static str) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, reason, NOTHING_MORE);
    ServerJsonRpcMessage::error(error, Some(id))
}

/// Counts the messages that wait to be written. While there are many, nothing is read, so a server that sends requests
/// without reading the responses is held up.
#[derive(Debug, Clone)]
pub(super) struct WriteBacklog(Arc<watch::Sender<usize>>);

impl WriteBacklog {
    pub(super) fn new() -> WriteBacklog {
        WriteBacklog(Arc::new(watch::Sender::new(0)))
    }

    /// Counts a message until the returned ticket is dropped.
    pub(super) fn enter(&self) -> BacklogTicket {
        self.0.send_modify(|waiting| *waiting += 1);
        BacklogTicket(self.clone())
    }

    /// Waits until few are left.
    pub(super) async fn short(&self) {
        let mut waiting = self.0.subscribe();
        // The sender lives as long as we do, so this cannot fail.
        waiting
            .wait_for(|waiting| *waiting < MOST_WAITING)
            .await
            .ok();
    }
}

/// A message that waits to be written.
#[derive(Debug)]
pub(super) struct BacklogTicket(WriteBacklog);

impl Drop for BacklogTicket {
    fn drop(&mut self) {
        self.0.0.send_modify(|waiting| *waiting -= 1);
    }
}

fn same(open: &RequestId, id: &RequestId) -> bool {
    open == id || open.to_string() == id.to_string()
}

fn id_of(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    }
}

fn is_message(text: &[u8]) -> bool {
    contains(text, MARK)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|found| found == part)
}

/// The longest message of a server.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;
pub(super) const TOO_LONG: &str = "the answer is longer than 16 MiB";
pub(super) const UNREADABLE: &str = "the answer cannot be read";
const MARK: &[u8] = b"\"jsonrpc\"";
/// Every response that lists tools contains one of these.
const LIST: &[u8] = b"tools";
const ESCAPE: &[u8] = b"\\u";
const MOST_WAITING: usize = 64;
const NOTHING_MORE: Option<Value> = None;
