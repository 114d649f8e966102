//! The part of a connection that both sides share: requests, notifications and capabilities.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use attache_rpc::json::{self, Encode, Raw, Reader};
use attache_rpc::{EndpointCounts, SendOptions, SessionKey};
use attache_schema::method::{Method, Notification, Order, Request, Requirement};
use attache_schema::v1;
use attache_transport::{CloseReason, Delivery, PeerHandle};

use crate::CallError;
use crate::turns::RunningTurns;

/// A connection to the peer: sends requests and notifications, and reports the end of the connection. Both
/// [`AgentHandle`](crate::AgentHandle) and [`ClientHandle`](crate::ClientHandle) dereference to it.
#[derive(Debug)]
pub struct Connection {
    pub(crate) link: PeerHandle,
    handshake: Mutex<Handshake>,
    ordered: bool,
    pub(crate) turns: RunningTurns,
    ignored: AtomicUsize,
}

/// The capabilities that both sides have sent in `initialize`.
#[derive(Debug, Default)]
pub(crate) struct Handshake {
    /// Capabilities of a client in an `initialize` request that has no response yet.
    pub(crate) proposed: Option<v1::ClientCapabilities>,
    pub(crate) client: Option<v1::ClientCapabilities>,
    pub(crate) agent: Option<v1::AgentCapabilities>,
    pub(crate) auth_methods: Vec<v1::AuthMethod>,
}

impl Handshake {
    /// Whether `initialize` has succeeded.
    pub(crate) fn is_initialized(&self) -> bool {
        self.client.is_some() && self.agent.is_some()
    }
}

impl Connection {
    /// The agent's side. Responses to its requests are delivered at once, because no client notification has to come
    /// before them.
    pub(crate) fn of_agent(link: PeerHandle) -> Self {
        Connection {
            link,
            handshake: Mutex::default(),
            ordered: false,
            turns: RunningTurns::default(),
            ignored: AtomicUsize::new(0),
        }
    }

    /// The client's side. The response to a prompt is delivered after the updates of its turn.
    pub(crate) fn of_client(link: PeerHandle) -> Self {
        Connection {
            link,
            handshake: Mutex::default(),
            ordered: true,
            turns: RunningTurns::default(),
            ignored: AtomicUsize::new(0),
        }
    }

    /// Sends a request and waits for its response. Fails without sending anything if the peer does not advertise the
    /// capability that the method requires. Dropping the future cancels the request.
    ///
    /// A client gets the response to `session/prompt` and `session/load` after all earlier updates have been taken from
    /// [`ClientCalls`](crate::ClientCalls); other responses are delivered at once.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Response, CallError> {
        self.request_ref(&request).await
    }

    /// Sends a notification. Fails without sending anything if the peer does not advertise the capability that the
    /// method requires.
    pub async fn notify<N: Notification>(&self, notification: N) -> Result<(), CallError> {
        self.check(N::METHOD)?;
        let params = EncodedParams::of(&notification);
        let options = SendOptions::of(session_key(&params.0));
        Ok(self.link.notify(N::METHOD.name, &params, options).await?)
    }

    /// Sends a custom request, whose method starts with `_`, and waits for its response.
    pub async fn request_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<Raw, CallError> {
        extension(method)?;
        let params = Raw::of(params);
        let options = SendOptions::of(session_key(params.as_str()));
        let result = self.call(method, Order::NONE, &params, options).await?;
        let result = Raw::parse(result.as_str());
        result.map_err(|fault| CallError::Malformed(fault.to_string()))
    }

    /// Sends a custom notification, whose method starts with `_`.
    pub async fn notify_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<(), CallError> {
        extension(method)?;
        let params = Raw::of(params);
        let options = SendOptions::of(session_key(params.as_str()));
        Ok(self.link.notify(method, &params, options).await?)
    }

    /// Waits until all queued messages are written.
    pub async fn flush(&self) {
        self.link.flush().await;
    }

    /// Closes the connection after all queued messages are written.
    pub fn close(&self) {
        self.link.close();
    }

    /// Waits until the connection has ended and returns the reason.
    pub async fn closed(&self) -> CloseReason {
        self.link.closed().await
    }

    /// Counters of incoming lines that are not messages, and of responses to no pending request.
    pub fn counts(&self) -> EndpointCounts {
        self.link.counts()
    }

    /// Number of notifications ignored so far because they are unknown or invalid.
    pub fn ignored(&self) -> usize {
        self.ignored.load(Ordering::Relaxed)
    }

    pub(crate) fn ignore(&self) {
        self.ignored.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn handshake(&self) -> MutexGuard<'_, Handshake> {
        self.handshake
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn request_ref<R: Request>(
        &self,
        request: &R,
    ) -> Result<R::Response, CallError> {
        let method = R::METHOD;
        self.check(method)?;
        let params = EncodedParams::of(request);
        let options = SendOptions::of(session_key(&params.0));
        let is_prompt = method.name == v1::PromptRequest::METHOD.name;
        let turn = is_prompt.then(|| self.turns.begin(options.session));
        let result = self.call(method.name, method.order, &params, options).await;
        drop(turn);
        let result = result?;
        json::from_str(result.as_str()).map_err(|fault| CallError::Unreadable {
            method: method.name,
            fault: fault.within("result"),
        })
    }

    async fn call(
        &self,
        method: &str,
        order: Order,
        params: &impl Encode,
        options: SendOptions,
    ) -> Result<attache_rpc::Payload, CallError> {
        let delivery = if self.ordered && order.ends_updates {
            Delivery::InOrder
        } else {
            Delivery::AtOnce
        };
        Ok(self.link.call(method, params, options, delivery).await?)
    }

    /// Sends a notification about the session that the caller names.
    pub(crate) async fn notify_in_session<N: Notification>(
        &self,
        options: SendOptions,
        notification: &N,
    ) -> Result<(), CallError> {
        self.check(N::METHOD)?;
        self.link
            .notify(N::METHOD.name, notification, options)
            .await?;
        Ok(())
    }

    /// Sends a `session/update` with params that the caller encodes.
    pub(crate) async fn update_in_session(
        &self,
        options: SendOptions,
        params: &impl Encode,
    ) -> Result<(), CallError> {
        let method = <v1::SessionNotification as Notification>::METHOD;
        self.check(method)?;
        Ok(self.link.notify(method.name, params, options).await?)
    }

    /// Fails if the peer does not advertise the capability that the method requires.
    fn check(&self, method: &'static Method) -> Result<(), CallError> {
        if method.name == v1::InitializeRequest::METHOD.name {
            return Ok(());
        }
        let handshake = self.handshake();
        let is_met = match method.requirement {
            Requirement::Always | Requirement::Offered(_) => {
                handshake.is_initialized().then_some(true)
            }
            Requirement::AgentCapability(_, is_set) => handshake.agent.as_ref().map(is_set),
            Requirement::ClientCapability(_, is_set) => handshake.client.as_ref().map(is_set),
            // Nobody can say that a requirement of an unknown kind is met.
            _ => handshake.is_initialized().then_some(false),
        };
        match is_met {
            Some(true) => Ok(()),
            Some(false) => Err(CallError::NotOffered {
                method: method.name,
                capability: method.requirement.path().unwrap_or_default(),
            }),
            None => Err(CallError::NotInitialized {
                method: method.name,
            }),
        }
    }

    /// Discards the client capabilities of an `initialize` request that failed.
    pub(crate) fn discard_proposal(&self) {
        self.handshake().proposed = None;
    }

    /// Updates the handshake from a response that is about to be sent. Returns the session that the response creates,
    /// if any.
    pub(crate) fn note_response(&self, answer: &dyn Any) -> Option<SessionKey> {
        if let Some(answer) = answer.downcast_ref::<v1::InitializeResponse>() {
            let mut handshake = self.handshake();
            handshake.agent = Some(answer.agent_capabilities.clone());
            handshake.client = handshake.proposed.take();
        }
        let new = answer.downcast_ref::<v1::NewSessionResponse>();
        let new = new.map(|answer| &answer.session_id);
        let fork = answer.downcast_ref::<v1::ForkSessionResponse>();
        let fork = fork.map(|answer| &answer.session_id);
        new.or(fork).map(|id| SessionKey::named(id.as_str()))
    }
}

fn extension(method: &str) -> Result<(), CallError> {
    if !method.starts_with('_') {
        return Err(CallError::NotAnExtension);
    }
    Ok(())
}

/// Encoded params. Their session is read from the text before they are queued.
struct EncodedParams(String);

impl EncodedParams {
    fn of(params: &impl Encode) -> Self {
        let mut text = String::with_capacity(256);
        params.encode(&mut text);
        EncodedParams(text)
    }
}

impl Encode for EncodedParams {
    fn encode(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

/// The session that a call belongs to.
pub(crate) fn session_key(params: &str) -> SessionKey {
    session_named_in(params).unwrap_or(SessionKey::CONNECTION)
}

/// The session that the params name, if any.
pub(crate) fn session_named_in(params: &str) -> Option<SessionKey> {
    if let Some(id) = first_session(params) {
        return Some(SessionKey::named(id));
    }
    let session = Reader::new(params).tag("sessionId").ok()?;
    session.map(|id| SessionKey::named(&id))
}

/// The session id, if it is the first member and has no escapes, which is how we and most peers write it.
fn first_session(params: &str) -> Option<&str> {
    let rest = params.strip_prefix("{\"sessionId\":\"")?;
    let mut bytes = rest.bytes();
    let end = bytes.position(|byte| matches!(byte, b'"' | b'\\'))?;
    rest[end..].starts_with('"').then(|| &rest[..end])
}
