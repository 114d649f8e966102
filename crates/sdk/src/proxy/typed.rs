//! Messages of a proxy with their types: what a program can do with each.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use attache_rpc::json::{self, Decode, Encode, Raw};
use attache_rpc::{Error, Id};
use attache_schema::method::{Notification, Request};
use attache_schema::v1;

use super::held::{HeldNotification, HeldRequest, HeldResponse, ProxyLinks};
use super::lane::session_named_in;
use super::patch::patched;
use crate::error::CallErrorKind;
use crate::{CallError, Role};

/// A request on its way through a proxy. Forward it, change it, or respond to it yourself. Dropping it responds with an
/// error.
#[must_use = "dropping a request responds with an error; `forward` forwards it"]
pub struct ProxyRequest<R> {
    held: HeldRequest,
    params: PhantomData<fn(R)>,
}

/// A notification on its way through a proxy. Forward it or change it. Dropping it drops the notification.
#[must_use = "dropping a notification drops it for good; `forward` forwards it"]
pub struct ProxyNotification<N> {
    held: HeldNotification,
    params: PhantomData<fn(N)>,
}

/// The response to a request `R` on its way through a proxy. Forward it or change it. Dropping it responds with an error.
#[must_use = "dropping a response responds with an error; `forward` forwards it"]
pub struct ProxyResponse<R> {
    held: HeldResponse,
    request: PhantomData<fn(R)>,
}

impl<R> ProxyRequest<R> {
    pub(super) fn new(held: HeldRequest) -> Self {
        let params = PhantomData;
        ProxyRequest { held, params }
    }

    /// Forwards the request unchanged.
    pub fn forward(self) {
        self.held.forward(None);
    }

    /// Forwards the request with these params instead of its own: an object or an array.
    pub fn forward_raw(self, params: &Raw) {
        self.held.forward(Some(params.as_str()));
    }

    /// Responds with a result instead of forwarding the request.
    pub fn ok_raw(self, result: &Raw) {
        self.held.respond(Ok(result));
    }

    /// Responds with an error instead of forwarding the request. A cancelled prompt or permission request gets its own
    /// outcome for a cancellation instead.
    pub fn fail(mut self, error: impl Into<Error>) {
        self.held.fail(&error.into());
    }

    /// Waits until the sender has cancelled the request or its turn, or has disconnected.
    pub async fn cancelled(&self) {
        self.held.cancelled().await;
    }

    /// Whether the sender has cancelled the request or its turn, or has disconnected.
    pub fn is_cancelled(&self) -> bool {
        self.held.is_cancelled()
    }

    /// The id of the request.
    pub fn id(&self) -> &Id {
        &self.held.id
    }

    /// The name of the method.
    pub fn method(&self) -> &str {
        self.held.call.method()
    }

    /// The params as JSON text, as received.
    pub fn params_text(&self) -> Option<&str> {
        self.held.call.params()
    }

    /// The session that the request names.
    pub fn session_id(&self) -> Option<v1::SessionId> {
        self.params_text().and_then(session_named_in)
    }

    /// The side that has sent the request.
    pub fn sender(&self) -> Role {
        self.held.sender()
    }

    pub(super) fn line(&self) -> &str {
        self.held.call.line()
    }
}

impl<R: Request> ProxyRequest<R> {
    /// Decodes the params.
    pub fn decode(&self) -> Result<R, Error> {
        decode(self.params_text())
    }

    /// Forwards the request with other params. Members that the type does not know stay as they are.
    pub fn forward_with(self, params: &R) {
        let params = patched_params(self.params_text(), params);
        self.held.forward(Some(&params));
    }

    /// Changes the params and forwards the request. A request that cannot be decoded is forwarded unchanged and counted
    /// in [`ProxyCounts::unreadable`](super::ProxyCounts::unreadable).
    pub fn change(self, change: impl FnOnce(&mut R)) {
        match self.decode() {
            Ok(mut params) => {
                change(&mut params);
                self.forward_with(&params);
            }
            Err(_) => {
                count_unreadable(self.held.links());
                self.forward();
            }
        }
    }

    /// Responds with a result instead of forwarding the request.
    pub fn ok(self, result: R::Response) {
        self.held.respond(Ok(&result));
    }
}

impl<N> ProxyNotification<N> {
    pub(super) fn new(held: HeldNotification) -> Self {
        let params = PhantomData;
        ProxyNotification { held, params }
    }

    /// Forwards the notification unchanged.
    pub fn forward(self) {
        self.held.forward(None);
    }

    /// Forwards the notification with these params instead of its own: an object or an array.
    pub fn forward_raw(self, params: &Raw) {
        self.held.forward(Some(params.as_str()));
    }

    /// The name of the method.
    pub fn method(&self) -> &str {
        self.held.call.method()
    }

    /// The params as JSON text, as received.
    pub fn params_text(&self) -> Option<&str> {
        self.held.call.params()
    }

    /// The session that the notification names.
    pub fn session_id(&self) -> Option<v1::SessionId> {
        self.params_text().and_then(session_named_in)
    }

    /// The side that has sent the notification.
    pub fn sender(&self) -> Role {
        self.held.sender()
    }

    pub(super) fn line(&self) -> &str {
        self.held.call.line()
    }
}

impl<N: Notification> ProxyNotification<N> {
    /// Decodes the params.
    pub fn decode(&self) -> Result<N, Error> {
        decode(self.params_text())
    }

    /// Forwards the notification with other params. Members that the type does not know stay as they are.
    pub fn forward_with(self, params: &N) {
        let params = patched_params(self.params_text(), params);
        self.held.forward(Some(&params));
    }

    /// Changes the params and forwards the notification. A notification that cannot be decoded is forwarded unchanged and
    /// counted in [`ProxyCounts::unreadable`](super::ProxyCounts::unreadable).
    pub fn change(self, change: impl FnOnce(&mut N)) {
        match self.decode() {
            Ok(mut params) => {
                change(&mut params);
                self.forward_with(&params);
            }
            Err(_) => {
                count_unreadable(self.held.links());
                self.forward();
            }
        }
    }
}

impl<R> ProxyResponse<R> {
    pub(super) fn new(held: HeldResponse) -> Self {
        let request = PhantomData;
        ProxyResponse { held, request }
    }

    /// Forwards the response unchanged.
    pub fn forward(self) {
        self.held.forward();
    }

    /// Forwards this result instead of the response's own.
    pub fn forward_raw(self, result: &Raw) {
        self.held.forward_result(result.as_str());
    }

    /// Forwards an error instead of this response.
    pub fn fail(self, error: impl Into<Error>) {
        self.held.fail(error.into());
    }

    /// The error, if the request has failed.
    pub fn error(&self) -> Option<&Error> {
        self.held.outcome.as_ref().err()
    }

    /// The result as JSON text, as received; `None` if the request has failed.
    pub fn result_text(&self) -> Option<&str> {
        let result = self.held.outcome.as_ref().ok()?;
        Some(result.as_str())
    }

    /// The id of the request.
    pub fn id(&self) -> &Id {
        &self.held.id
    }

    /// The method of the request.
    pub fn method(&self) -> &str {
        &self.held.request.method
    }

    /// The session that the request named.
    pub fn session_id(&self) -> Option<&v1::SessionId> {
        self.held.request.session.as_ref()
    }

    /// The side that has sent the response.
    pub fn sender(&self) -> Role {
        self.held.sender()
    }

    pub(super) fn line(&self) -> &str {
        self.held.line()
    }
}

impl<R: Request> ProxyResponse<R> {
    /// Decodes the result. Fails with [`CallErrorKind::Refused`] if the request has failed.
    pub fn decode(&self) -> Result<R::Response, CallError> {
        let kind = match &self.held.outcome {
            Ok(result) => match json::from_str::<R::Response>(result.as_str()) {
                Ok(result) => return Ok(result),
                Err(fault) => CallErrorKind::Unreadable(fault.within("result")),
            },
            Err(error) => CallErrorKind::Refused(error.clone()),
        };
        let session = self.session_id().map(|id| id.as_str().to_owned());
        Err(CallError::new(
            self.sender(),
            R::METHOD.name.into(),
            session,
            kind,
        ))
    }

    /// Forwards another result. Members of the original result that the type does not know stay as they are.
    pub fn forward_with(self, result: &R::Response) {
        let after = json::to_string(result);
        let result = match (self.decode(), self.result_text()) {
            (Ok(before), Some(text)) => patched(text, &json::to_string(&before), &after),
            (Err(_), _) | (_, None) => after,
        };
        self.held.forward_result(&result);
    }

    /// Changes the result and forwards the response. An error is forwarded unchanged; so is a result that cannot be
    /// decoded, which is counted in [`ProxyCounts::unreadable`](super::ProxyCounts::unreadable).
    pub fn change(self, change: impl FnOnce(&mut R::Response)) {
        match self.decode() {
            Ok(mut result) => {
                change(&mut result);
                self.forward_with(&result);
            }
            Err(failure) => {
                if failure.refusal().is_none() {
                    count_unreadable(self.held.links());
                }
                self.forward();
            }
        }
    }
}

/// Decodes params. An empty list counts as none, as in all calls.
fn decode<T: Decode>(params: Option<&str>) -> Result<T, Error> {
    attache_schema::call::decode_params(params)
}

fn patched_params<T: Decode + Encode>(params: Option<&str>, after: &T) -> String {
    let after = json::to_string(after);
    match (params, decode::<T>(params)) {
        (Some(params), Ok(before)) => patched(params, &json::to_string(&before), &after),
        (None, _) | (_, Err(_)) => after,
    }
}

fn count_unreadable(links: &ProxyLinks) {
    links.unreadable.fetch_add(1, Ordering::Relaxed);
}

impl<R> fmt::Debug for ProxyRequest<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.held.fmt(f)
    }
}

impl<N> fmt::Debug for ProxyNotification<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.held.fmt(f)
    }
}

impl<R> fmt::Debug for ProxyResponse<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.held.fmt(f)
    }
}
