//! What both sides share: asking and telling, and what each side has said it can do.

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

/// What an [`AgentHandle`](crate::AgentHandle) and a [`ClientHandle`](crate::ClientHandle) have in common: asking and
/// telling the peer, and the end of the connection.
#[derive(Debug)]
pub struct Connection {
    pub(crate) link: PeerHandle,
    handshake: Mutex<Handshake>,
    ordered: bool,
    pub(crate) turns: RunningTurns,
    ignored: AtomicUsize,
}

/// What the two sides have said of themselves.
#[derive(Debug, Default)]
pub(crate) struct Handshake {
    /// What a client has offered in an `initialize` that has not been answered.
    pub(crate) proposed: Option<v1::ClientCapabilities>,
    pub(crate) client: Option<v1::ClientCapabilities>,
    pub(crate) agent: Option<v1::AgentCapabilities>,
    pub(crate) auth_methods: Vec<v1::AuthMethod>,
}

impl Handshake {
    /// Whether `initialize` has been asked and answered.
    pub(crate) fn is_initialized(&self) -> bool {
        self.client.is_some() && self.agent.is_some()
    }
}

impl Connection {
    /// The agent's side. Its answers are given at once, since nothing that a client tells belongs before them.
    pub(crate) fn of_agent(link: PeerHandle) -> Self {
        Connection {
            link,
            handshake: Mutex::default(),
            ordered: false,
            turns: RunningTurns::default(),
            ignored: AtomicUsize::new(0),
        }
    }

    /// The client's side. The end of a turn comes after the turn's updates.
    pub(crate) fn of_client(link: PeerHandle) -> Self {
        Connection {
            link,
            handshake: Mutex::default(),
            ordered: true,
            turns: RunningTurns::default(),
            ignored: AtomicUsize::new(0),
        }
    }

    /// Asks the peer. A call that it has not offered to serve is an error and is not sent.
    ///
    /// A client is given the answer to `session/prompt` and `session/load` after the updates before it have been taken
    /// from [`ClientCalls`](crate::ClientCalls); other answers come at once.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Response, CallError> {
        self.request_ref(&request).await
    }

    /// Tells the peer.
    pub async fn notify<N: Notification>(&self, notification: N) -> Result<(), CallError> {
        self.check(N::METHOD)?;
        let params = EncodedParams::of(&notification);
        let options = SendOptions::of(session_key(&params.0));
        Ok(self.link.notify(N::METHOD.name, &params, options).await?)
    }

    /// Asks something outside the protocol; the method's name starts with `_`.
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

    /// Tells something outside the protocol.
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

    /// Waits until everything that has been said is written.
    pub async fn flush(&self) {
        self.link.flush().await;
    }

    /// Closes the connection after everything that has been said is written.
    pub fn close(&self) {
        self.link.close();
    }

    /// Waits until the connection has ended, and tells why.
    pub async fn closed(&self) -> CloseReason {
        self.link.closed().await
    }

    /// What has come in so far that was neither a call nor an answer anybody waited for.
    pub fn counts(&self) -> EndpointCounts {
        self.link.counts()
    }

    /// How many notifications were ignored so far, because they are unknown or do not fit.
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

    /// Tells the peer something of a session that the caller names.
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

    /// The same, with the params of `session/update` made by the caller.
    pub(crate) async fn update_in_session(
        &self,
        options: SendOptions,
        params: &impl Encode,
    ) -> Result<(), CallError> {
        let method = <v1::SessionNotification as Notification>::METHOD;
        self.check(method)?;
        Ok(self.link.notify(method.name, params, options).await?)
    }

    /// Whether the other side has said that it may be called so.
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

    /// An `initialize` has failed: what the client offered in it does not count.
    pub(crate) fn discard_proposal(&self) {
        self.handshake().proposed = None;
    }

    /// Learns from an answer that is about to be given; the session that it brings into being, if it does.
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

/// Params as text, from which their session is read before they are queued.
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

/// The session that the params name, if they name one.
pub(crate) fn session_named_in(params: &str) -> Option<SessionKey> {
    if let Some(id) = first_session(params) {
        return Some(SessionKey::named(id));
    }
    let session = Reader::new(params).tag("sessionId").ok()?;
    session.map(|id| SessionKey::named(&id))
}

/// The session's id where it stands as we and most peers write it: first, and without an escape.
fn first_session(params: &str) -> Option<&str> {
    let rest = params.strip_prefix("{\"sessionId\":\"")?;
    let mut bytes = rest.bytes();
    let end = bytes.position(|byte| matches!(byte, b'"' | b'\\'))?;
    rest[end..].starts_with('"').then(|| &rest[..end])
}
