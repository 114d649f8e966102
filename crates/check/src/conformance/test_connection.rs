//! One JSON-RPC connection with the program under test. Requests are matched with their responses; a
//! [`RequestHandler`] answers the requests of the other side meanwhile.

use std::collections::HashMap;
use std::time::Duration;

use attache_testkit::Side;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::json::{self, MessageKind};
use super::wire::{Wire, WireEvent};
use super::{Conversation, PeerStreams};

/// Answers the requests of the program under test.
pub(crate) trait RequestHandler: Send {
    fn handle(&mut self, method: &str, params: &Value) -> HandlerReply;

    /// The reply to a request that was deferred, if it can be answered now.
    fn retry(&mut self, _method: &str, _params: &Value) -> Option<HandlerReply> {
        None
    }
}

/// A handler's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HandlerReply {
    Ok(Value),
    Error(i64, &'static str),
    /// The request stays open until the test case answers it.
    Defer,
}

/// A connection with the program under test.
pub(crate) struct TestConnection<H> {
    wire: Wire,
    pub(crate) handler: H,
    next_id: i64,
    pub(crate) response_timeout: Duration,
    responses: HashMap<String, usize>,
    /// Open requests of the program under test: their entry and their id.
    pub(crate) deferred: Vec<(usize, Value)>,
    closed: bool,
}

/// A request that we have sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentRequest {
    pub(crate) entry: usize,
    id: Value,
}

/// How a request of ours ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallResult {
    pub(crate) request: usize,
    pub(crate) outcome: CallOutcome,
}

/// The kinds of end that a request can have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallOutcome {
    /// A result, and the entry of the response.
    Ok(Value, usize),
    /// An error response with its code.
    Error(i64, usize),
    /// No response came in time.
    TimedOut,
    /// The other side closed the connection first.
    Closed,
}

impl<H: RequestHandler> TestConnection<H> {
    pub(crate) fn new(
        us: Side,
        case: &'static str,
        streams: PeerStreams,
        handler: H,
        response_timeout: Duration,
    ) -> Self {
        TestConnection {
            wire: Wire::new(us, case, streams),
            handler,
            next_id: 1,
            response_timeout,
            responses: HashMap::new(),
            deferred: Vec::new(),
            closed: false,
        }
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        &self.wire.conversation
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Sends a request and waits for its response.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> CallResult {
        let request = self.send_request(method, params).await;
        self.wait_for_response(request).await
    }

    /// Sends a request.
    pub(crate) async fn send_request(&mut self, method: &str, params: Value) -> SentRequest {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.send_request_with_id(id, method, params).await
    }

    /// Sends a request with this id.
    pub(crate) async fn send_request_with_id(
        &mut self,
        id: Value,
        method: &str,
        params: Value,
    ) -> SentRequest {
        self.responses.remove(&id.to_string());
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let entry = self.send(&request).await;
        SentRequest { entry, id }
    }

    /// The request with this id that was sent as a raw line.
    pub(crate) fn request_at(&mut self, entry: usize, id: Value) -> SentRequest {
        SentRequest { entry, id }
    }

    /// Waits for the response to a request.
    pub(crate) async fn wait_for_response(&mut self, request: SentRequest) -> CallResult {
        let key = request.id.to_string();
        let deadline = Instant::now() + self.response_timeout;
        loop {
            if let Some(entry) = self.responses.get(&key) {
                return self.result_of(&request, *entry);
            }
            match self.read_next(deadline).await {
                WireEvent::Entry(_) => {}
                WireEvent::End => return request.with(CallOutcome::Closed),
                WireEvent::TimedOut => return request.with(CallOutcome::TimedOut),
            }
        }
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) -> usize {
        let sent = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(&sent).await
    }

    /// Answers a request that was deferred.
    pub(crate) async fn respond(&mut self, id: &Value, result: Value) -> usize {
        self.deferred.retain(|(_, held)| held != id);
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.send(&answer).await
    }

    pub(crate) async fn respond_with_error(
        &mut self,
        id: &Value,
        code: i64,
        message: &str,
    ) -> usize {
        self.deferred.retain(|(_, held)| held != id);
        let error = json!({ "code": code, "message": message });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        self.send(&answer).await
    }

    pub(crate) async fn send(&mut self, message: &Value) -> usize {
        self.send_bytes(format!("{message}\n").as_bytes()).await
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> usize {
        // The connection counts as closed when the stream of the other side has ended.
        self.wire.send(bytes, self.response_timeout).await.0
    }

    pub(crate) async fn send_in_pieces(&mut self, message: &Value) -> usize {
        let line = format!("{message}\n");
        self.wire
            .send_in_pieces(line.as_bytes(), self.response_timeout)
            .await
    }

    /// Waits for a message that matches, and answers requests meanwhile. Returns its entry.
    pub(crate) async fn wait_for(&mut self, matches: impl Fn(&Value) -> bool) -> Option<usize> {
        let deadline = Instant::now() + self.response_timeout;
        loop {
            match self.read_next(deadline).await {
                WireEvent::Entry(entry) => {
                    if self.conversation().json(entry).is_some_and(&matches) {
                        return Some(entry);
                    }
                }
                WireEvent::End | WireEvent::TimedOut => return None,
            }
        }
    }

    /// Waits until the other side closes its stream. Returns `false` if that takes too long.
    pub(crate) async fn wait_for_end(&mut self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            match self.read_next(deadline).await {
                WireEvent::Entry(_) => {}
                WireEvent::End => return true,
                WireEvent::TimedOut => return false,
            }
        }
    }

    pub(crate) async fn close(&mut self) {
        self.wire.close(self.response_timeout).await;
    }

    pub(crate) async fn stop(self) -> Conversation {
        self.wire.finish().await
    }

    async fn read_next(&mut self, deadline: Instant) -> WireEvent {
        let within = deadline.saturating_duration_since(Instant::now());
        let messages = self.wire.receive(within).await;
        match messages {
            WireEvent::Entry(entry) => self.handle_message(entry).await,
            WireEvent::End => self.closed = true,
            WireEvent::TimedOut => {}
        }
        messages
    }

    async fn handle_message(&mut self, entry: usize) {
        let Some(message) = self.conversation().json(entry) else {
            return;
        };
        let id = message.get("id").cloned().unwrap_or(Value::Null);
        match json::message_kind(message) {
            MessageKind::Response => {
                self.responses.insert(id.to_string(), entry);
            }
            MessageKind::Request => {
                let (method, params) = request(message);
                let reply = self.handler.handle(&method, &params);
                self.send_reply(entry, &id, reply).await;
                self.retry_deferred().await;
            }
            MessageKind::Notification | MessageKind::Other => {}
        }
    }

    async fn send_reply(&mut self, entry: usize, id: &Value, reply: HandlerReply) {
        match reply {
            HandlerReply::Ok(result) => {
                self.respond(id, result).await;
            }
            HandlerReply::Error(code, text) => {
                self.respond_with_error(id, code, text).await;
            }
            HandlerReply::Defer => self.deferred.push((entry, id.clone())),
        }
    }

    async fn retry_deferred(&mut self) {
        for (entry, id) in self.deferred.clone() {
            let Some(message) = self.conversation().json(entry) else {
                continue;
            };
            let (method, params) = request(message);
            match self.handler.retry(&method, &params) {
                None | Some(HandlerReply::Defer) => {}
                Some(reply) => self.send_reply(entry, &id, reply).await,
            }
        }
    }

    fn result_of(&self, request: &SentRequest, entry: usize) -> CallResult {
        let message = self.conversation().json(entry);
        let outcome = match message.and_then(|message| message.get("error")) {
            Some(error) => {
                let code = error.get("code").and_then(Value::as_i64);
                CallOutcome::Error(code.unwrap_or(0), entry)
            }
            None => {
                let result = message.and_then(|message| message.get("result"));
                CallOutcome::Ok(result.cloned().unwrap_or(Value::Null), entry)
            }
        };
        request.with(outcome)
    }
}

fn request(message: &Value) -> (String, Value) {
    let params = message.get("params").cloned().unwrap_or(Value::Null);
    (json::method(message).to_owned(), params)
}

impl SentRequest {
    pub(crate) fn id(&self) -> &Value {
        &self.id
    }

    fn with(&self, outcome: CallOutcome) -> CallResult {
        CallResult {
            request: self.entry,
            outcome,
        }
    }
}

impl CallResult {
    /// The entries of the request and its response.
    pub(crate) fn entries(&self) -> Vec<usize> {
        match self.outcome {
            CallOutcome::Ok(_, entry) | CallOutcome::Error(_, entry) => vec![self.request, entry],
            CallOutcome::TimedOut | CallOutcome::Closed => vec![self.request],
        }
    }

    pub(crate) fn result(&self) -> Option<&Value> {
        match &self.outcome {
            CallOutcome::Ok(result, _) => Some(result),
            _ => None,
        }
    }

    /// Fails unless the response is a result.
    pub(crate) fn expect_result(&self) -> Result<(), String> {
        match &self.outcome {
            CallOutcome::Ok(..) => Ok(()),
            other => Err(other.describe()),
        }
    }

    /// Fails unless the response is an error with one of these codes; no codes means any error.
    pub(crate) fn expect_error(&self, codes: &[i64]) -> Result<(), String> {
        match &self.outcome {
            CallOutcome::Error(code, _) if codes.is_empty() || codes.contains(code) => Ok(()),
            CallOutcome::Error(code, _) => Err(format!(
                "the error code is {code} instead of {}",
                codes
                    .iter()
                    .map(i64::to_string)
                    .collect::<Vec<_>>()
                    .join(" or ")
            )),
            other => Err(other.describe()),
        }
    }

    /// Fails unless there was a response, of either kind.
    pub(crate) fn expect_response(&self) -> Result<(), String> {
        match &self.outcome {
            CallOutcome::Ok(..) | CallOutcome::Error(..) => Ok(()),
            other => Err(other.describe()),
        }
    }
}

impl CallOutcome {
    fn describe(&self) -> String {
        match self {
            CallOutcome::Ok(..) => "it succeeded".to_owned(),
            CallOutcome::Error(code, _) => format!("it failed with {code}"),
            CallOutcome::TimedOut => "there was no response in time".to_owned(),
            CallOutcome::Closed => "it exited instead of responding".to_owned(),
        }
    }
}
