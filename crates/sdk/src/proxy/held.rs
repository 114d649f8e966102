//! A message that the program has taken from a proxy and not decided on yet, without its type.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use attache_rpc::json::Encode;
use attache_rpc::{Call, CallFailure, Error, Id, Payload, SendOptions, SessionKey};
use attache_schema::method::Request;
use attache_schema::{error, v1};
use attache_transport::{CallError, PeerHandle};
use bytestring::ByteString;

use super::lane::{ForwardedRequest, Lane, LaneState, OutgoingContent, session_named_in};
use super::{ProxyCounts, other_side};
use crate::Role;

/// Both connections of a proxy.
pub(super) struct ProxyLinks {
    pub(super) client: PeerHandle,
    pub(super) agent: PeerHandle,
    pub(super) from_client: Lane,
    pub(super) from_agent: Lane,
    pub(super) unreadable: AtomicUsize,
    pub(super) too_large: AtomicUsize,
    pub(super) stray_responses: AtomicUsize,
}

impl ProxyLinks {
    pub(super) fn lane(&self, sender: Role) -> &Lane {
        match sender {
            Role::Client => &self.from_client,
            Role::Agent => &self.from_agent,
        }
    }

    pub(super) fn link(&self, side: Role) -> &PeerHandle {
        match side {
            Role::Client => &self.client,
            Role::Agent => &self.agent,
        }
    }

    /// Whether another message of this side may be forwarded.
    pub(super) fn has_room(&self, sender: Role) -> bool {
        self.link(other_side(sender)).has_room() && self.lane(sender).has_room()
    }

    /// Waits until another message of this side may be forwarded.
    pub(super) async fn room(&self, sender: Role) {
        self.link(other_side(sender)).room().await;
        self.lane(sender).room().await;
    }

    pub(super) fn counts(&self) -> ProxyCounts {
        let read = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        ProxyCounts {
            unreadable: read(&self.unreadable),
            too_large: read(&self.too_large),
            stray_responses: read(&self.stray_responses),
        }
    }

    /// Sends a message that leaves the lane of `sender`.
    fn deliver(&self, sender: Role, state: &mut LaneState, content: OutgoingContent) {
        let receiver = self.link(other_side(sender));
        match content {
            OutgoingContent::Request(id, line, request) => {
                let cancellation = state.release_request(&id);
                match receiver.relay_now(line, IN_ORDER) {
                    Ok(()) => {
                        state.forwarded.insert(id, request);
                        if let Some(cancellation) = cancellation {
                            self.relay(sender, cancellation);
                        }
                    }
                    Err(failure) => {
                        let error = error::internal(&failure.to_string());
                        self.link(sender).respond::<u64>(&id, IN_ORDER, Err(&error));
                    }
                }
            }
            OutgoingContent::Notification(line) => self.relay(sender, line),
            OutgoingContent::Response(id, line) => {
                receiver.relay_response(&id, IN_ORDER, line);
            }
            OutgoingContent::Failure(id, error) => {
                receiver.respond::<u64>(&id, IN_ORDER, Err(&error));
            }
        }
    }

    /// Sends a notification. A connection that has ended needs none.
    pub(super) fn relay(&self, sender: Role, line: ByteString) {
        if let Err(CallError::TooLarge(_)) = self.link(other_side(sender)).relay_now(line, IN_ORDER)
        {
            self.too_large.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The place of a message in its lane. Dropping it gives the place up, and the message is not sent.
pub(super) struct Place {
    links: Arc<ProxyLinks>,
    sender: Role,
    number: u64,
    size: usize,
    is_resolved: bool,
}

impl Place {
    pub(super) fn new(links: &Arc<ProxyLinks>, sender: Role, number: u64, size: usize) -> Self {
        let links = Arc::clone(links);
        let is_resolved = false;
        Place {
            links,
            sender,
            number,
            size,
            is_resolved,
        }
    }

    fn send(&mut self, content: OutgoingContent) {
        self.resolve(Some(content));
    }

    fn resolve(&mut self, content: Option<OutgoingContent>) {
        if std::mem::replace(&mut self.is_resolved, true) {
            return;
        }
        let links = &self.links;
        let lane = links.lane(self.sender);
        lane.resolve(self.number, self.size, content, |state, content| {
            links.deliver(self.sender, state, content);
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.resolve(None);
    }
}

/// A request that the program has taken. Dropping it responds with an error.
pub(super) struct HeldRequest {
    place: Place,
    pub(super) id: Id,
    pub(super) call: Call,
}

impl HeldRequest {
    pub(super) fn new(place: Place, id: Id, call: Call) -> Self {
        HeldRequest { place, id, call }
    }

    pub(super) fn sender(&self) -> Role {
        self.place.sender
    }

    pub(super) fn links(&self) -> &ProxyLinks {
        &self.place.links
    }

    /// Forwards the request with these params, or as it is.
    pub(super) fn forward(mut self, params: Option<&str>) {
        let line = match params {
            Some(params) => self.call.with_params(params),
            None => self.call.line().clone(),
        };
        let params = params.or_else(|| self.call.params());
        let request = ForwardedRequest {
            method: self.call.method().into(),
            session: params.and_then(session_named_in),
        };
        self.place
            .send(OutgoingContent::Request(self.id.clone(), line, request));
    }

    /// Responds instead of the receiver. The response does not wait for messages in the other direction.
    pub(super) fn respond<T: Encode>(mut self, outcome: Result<&T, &Error>) {
        self.answer(outcome);
    }

    fn answer<T: Encode>(&mut self, outcome: Result<&T, &Error>) {
        let links = &self.place.links;
        links
            .lane(self.place.sender)
            .lock()
            .release_request(&self.id);
        links
            .link(self.place.sender)
            .respond(&self.id, IN_ORDER, outcome);
        self.place.resolve(None);
    }

    /// Responds with an error. A cancelled prompt or permission request ends with its own outcome instead.
    pub(super) fn fail(&mut self, error: &Error) {
        let is_cancelled = self.is_cancelled();
        match self.call.method() {
            method if is_cancelled && method == v1::PromptRequest::METHOD.name => {
                self.answer(Ok(&v1::PromptResponse::new(v1::StopReason::Cancelled)));
            }
            method if is_cancelled && method == v1::RequestPermissionRequest::METHOD.name => {
                let outcome = v1::RequestPermissionOutcome::Cancelled;
                self.answer(Ok(&v1::RequestPermissionResponse::new(outcome)));
            }
            _ => self.answer::<u64>(Err(error)),
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.place
            .links
            .link(self.place.sender)
            .is_cancelled(&self.id)
    }

    pub(super) async fn cancelled(&self) {
        self.place
            .links
            .link(self.place.sender)
            .cancelled(&self.id)
            .await;
    }
}

impl Drop for HeldRequest {
    fn drop(&mut self) {
        if self.place.is_resolved {
            return;
        }
        let error = match self.is_cancelled() {
            true => error::cancelled(),
            false => error::internal("the proxy dropped the request"),
        };
        self.fail(&error);
    }
}

/// A notification that the program has taken. Dropping it drops the notification.
pub(super) struct HeldNotification {
    place: Place,
    pub(super) call: Call,
}

impl HeldNotification {
    pub(super) fn new(place: Place, call: Call) -> Self {
        HeldNotification { place, call }
    }

    pub(super) fn sender(&self) -> Role {
        self.place.sender
    }

    pub(super) fn links(&self) -> &ProxyLinks {
        &self.place.links
    }

    /// Forwards the notification with these params, or as it is.
    pub(super) fn forward(mut self, params: Option<&str>) {
        let line = match params {
            Some(params) => self.call.with_params(params),
            None => self.call.line().clone(),
        };
        self.place.send(OutgoingContent::Notification(line));
    }
}

/// A response that the program has taken. Dropping it responds with an error.
pub(super) struct HeldResponse {
    place: Place,
    pub(super) id: Id,
    pub(super) request: ForwardedRequest,
    pub(super) outcome: Result<Payload, Error>,
    /// The whole line; empty if the response is malformed.
    line: ByteString,
}

impl HeldResponse {
    pub(super) fn new(
        place: Place,
        id: Id,
        request: ForwardedRequest,
        outcome: Result<Payload, CallFailure>,
        line: ByteString,
    ) -> Self {
        let sender = place.sender;
        let outcome = outcome.map_err(|failure| match failure {
            CallFailure::Refused(error) => error,
            CallFailure::Malformed(reason) => error::internal(&format!(
                "the response of the {sender} is malformed: {reason}"
            )),
        });
        HeldResponse {
            place,
            id,
            request,
            outcome,
            line,
        }
    }

    pub(super) fn sender(&self) -> Role {
        self.place.sender
    }

    pub(super) fn links(&self) -> &ProxyLinks {
        &self.place.links
    }

    pub(super) fn line(&self) -> &str {
        &self.line
    }

    pub(super) fn forward(mut self) {
        let id = self.id.clone();
        let content = match &self.outcome {
            Err(error) if self.line.is_empty() => OutgoingContent::Failure(id, error.clone()),
            Ok(_) | Err(_) => OutgoingContent::Response(id, self.line.clone()),
        };
        self.place.send(content);
    }

    /// Forwards a response with this result.
    pub(super) fn forward_result(mut self, result: &str) {
        let line = match &self.outcome {
            Ok(payload) => payload.with_text(result),
            Err(_) => {
                let mut line = String::new();
                let id = self.id.clone();
                attache_rpc::Message::Response { id, result }.write(&mut line);
                line.push('\n');
                line.into()
            }
        };
        self.place
            .send(OutgoingContent::Response(self.id.clone(), line));
    }

    pub(super) fn fail(mut self, error: Error) {
        self.place
            .send(OutgoingContent::Failure(self.id.clone(), error));
    }
}

impl Drop for HeldResponse {
    fn drop(&mut self) {
        if !self.place.is_resolved {
            let error = error::internal("the proxy dropped the response");
            self.place
                .send(OutgoingContent::Failure(self.id.clone(), error));
        }
    }
}

impl fmt::Debug for HeldRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "request {} of the {}: {:?}",
            self.id, self.place.sender, self.call
        )
    }
}

impl fmt::Debug for HeldNotification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "notification of the {}: {:?}",
            self.place.sender, self.call
        )
    }
}

impl fmt::Debug for HeldResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, sender) = (&self.request.method, self.place.sender);
        write!(
            f,
            "response {} of the {sender} to {}",
            self.id,
            method.escape_debug()
        )
    }
}

/// Messages in one direction leave in the order in which the lane lets them go.
pub(super) const IN_ORDER: SendOptions = SendOptions::of(SessionKey::CONNECTION);
