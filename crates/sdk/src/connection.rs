//! The part of a connection that both sides share: requests, notifications and capabilities.

use std::any::Any;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use attache_rpc::json::{self, Encode, Raw, Reader};
use attache_rpc::{EndpointCounts, Error, SendOptions, SessionKey};
use attache_schema::method::{
    Method, NotificationToAgent, NotificationToClient, Order, Request, RequestToAgent,
    RequestToClient, Requirement, SendNotification, SendRequest,
};
use attache_schema::v1;
use attache_transport::{CloseReason, Delivery, PeerHandle};

use crate::trace_context::ParamsInContext;
use crate::turns::RunningTurns;
use crate::{AgentHandle, CallError, CallErrorKind, ClientHandle, Role, TraceContext, diagnostics};

/// A connection to the peer. The handles have its methods.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) link: PeerHandle,
    handshake: Mutex<Handshake>,
    peer: Role,
    pub(crate) turns: RunningTurns,
    ignored: Mutex<IgnoredNotifications>,
}

/// The notifications that were ignored so far, because they are unknown or invalid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoredNotifications {
    /// How many there were.
    pub count: usize,
    /// The last few, the latest at the end.
    pub recent: VecDeque<IgnoredNotification>,
}

/// A notification that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredNotification {
    /// Name of the method; a long name is cut.
    pub method: String,
    /// What is wrong with it: the method is unknown, or a position in its params.
    pub error: Error,
}

/// The methods that both handles have, with the direction that their messages may go.
macro_rules! handle {
    ($Handle:ident, $peer:literal, $calls:literal, $Request:ident, $Notification:ident) => {
        impl $Handle {
            #[doc = concat!("Sends a request to the ", $peer, " and waits for its response.")]
            ///
            /// Fails without sending anything if the peer does not advertise the capability that the method requires.
            /// Dropping the future sends `$/cancel_request`, which many peers ignore; it does not send `session/cancel`.
            ///
            /// A client gets the response to `session/prompt` and `session/load` after all earlier updates have been
            /// taken from [`ClientCalls`](crate::ClientCalls), so take calls meanwhile. Other responses are delivered at
            /// once.
            pub async fn request<R: $Request>(&self, request: R) -> Result<R::Response, CallError> {
                self.connection.request(&request).await
            }

            #[doc = concat!("Sends a notification to the ", $peer, ".")]
            ///
            /// Fails without sending anything if the peer does not advertise the capability that the method requires.
            pub async fn notify<N: $Notification>(&self, notification: N) -> Result<(), CallError> {
                self.connection.notify(&notification).await
            }

            /// Sends a custom request, whose method starts with `_`, with any params, and waits for its response. For
            /// one with types, see [`ExtensionRequest`](crate::schema::method::ExtensionRequest).
            pub async fn request_extension(
                &self,
                method: &str,
                params: &(impl Encode + ?Sized),
            ) -> Result<Raw, CallError> {
                self.connection.request_extension(method, params).await
            }

            /// Sends a custom notification, whose method starts with `_`, with any params. For one with types, see
            /// [`ExtensionNotification`](crate::schema::method::ExtensionNotification).
            pub async fn notify_extension(
                &self,
                method: &str,
                params: &(impl Encode + ?Sized),
            ) -> Result<(), CallError> {
                self.connection.notify_extension(method, params).await
            }

            /// Waits until all queued messages are written.
            pub async fn flush(&self) {
                self.connection.link.flush().await;
            }

            /// Closes the connection after all queued messages are written.
            pub fn close(&self) {
                self.connection.link.close();
            }

            /// Waits until the connection has ended and returns the reason.
            pub async fn closed(&self) -> CloseReason {
                self.connection.link.closed().await
            }

            /// Counters of incoming lines that are not messages, and of responses to no pending request.
            pub fn counts(&self) -> EndpointCounts {
                self.connection.link.counts()
            }

            #[doc = concat!("The ", $peer, "'s notifications that [`", $calls, "`](crate::", $calls, ") did not return,")]
            /// because they are unknown or invalid: how many, and the last few with the reason.
            pub fn ignored(&self) -> IgnoredNotifications {
                self.connection.ignored()
            }
        }
    };
}

handle! { AgentHandle, "agent", "ClientCalls", RequestToAgent, NotificationToAgent }
handle! { ClientHandle, "client", "AgentCalls", RequestToClient, NotificationToClient }

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
    pub(crate) fn new(link: PeerHandle, peer: Role) -> Self {
        Connection {
            link,
            handshake: Mutex::default(),
            peer,
            turns: RunningTurns::default(),
            ignored: Mutex::default(),
        }
    }

    pub(crate) async fn request<R: SendRequest>(
        &self,
        request: &R,
    ) -> Result<R::Response, CallError> {
        let method = R::method();
        let (params, encoded) = EncodedParams::of(|out| request.encode_params(out));
        let outcome = match encoded {
            Ok(()) => self.exchange::<R>(method, &params).await,
            Err(error) => Err(CallErrorKind::Unwritable(error)),
        };
        outcome.map_err(|kind| self.error(method.name, &params, kind))
    }

    async fn exchange<R: SendRequest>(
        &self,
        method: &'static Method,
        params: &EncodedParams,
    ) -> Result<R::Response, CallErrorKind> {
        self.check(method)?;
        let is_initialize = method.name == v1::InitializeRequest::METHOD.name;
        if is_initialize {
            self.note_initialize(params)?;
        }
        let options = SendOptions::of(session_key(&params.0));
        let is_prompt = method.name == v1::PromptRequest::METHOD.name;
        let turn = is_prompt.then(|| self.turns.begin(options.session));
        let result = self.call(method.name, method.order, params, options).await;
        drop(turn);
        let result = result?;
        if is_initialize {
            self.note_initialized(result.as_str())?;
        }
        R::decode_response(result.as_str()).map_err(unreadable)
    }

    /// Remembers what we offer, before the agent can make use of it.
    fn note_initialize(&self, params: &EncodedParams) -> Result<(), CallErrorKind> {
        let request: v1::InitializeRequest =
            json::from_str(&params.0).map_err(CallErrorKind::Unreadable)?;
        self.handshake().client = Some(request.client_capabilities);
        Ok(())
    }

    /// Remembers what the agent offers.
    fn note_initialized(&self, result: &str) -> Result<(), CallErrorKind> {
        let answer: v1::InitializeResponse = json::from_str(result).map_err(unreadable)?;
        if answer.protocol_version != v1::ProtocolVersion::V1 {
            return Err(CallErrorKind::Version(answer.protocol_version.0));
        }
        let mut handshake = self.handshake();
        handshake.agent = Some(answer.agent_capabilities);
        handshake.auth_methods = answer.auth_methods;
        Ok(())
    }

    async fn notify<N: SendNotification>(&self, notification: &N) -> Result<(), CallError> {
        let method = N::method();
        let (params, encoded) = EncodedParams::of(|out| notification.encode_params(out));
        let options = SendOptions::of(session_key(&params.0));
        let outcome = match encoded {
            Ok(()) => self.send(method, &params, options).await,
            Err(error) => Err(CallErrorKind::Unwritable(error)),
        };
        outcome.map_err(|kind| self.error(method.name, &params, kind))
    }

    async fn request_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<Raw, CallError> {
        let params = EncodedParams::of(|out| params.encode(out)).0;
        let options = SendOptions::of(session_key(&params.0));
        let exchange = async {
            extension(method)?;
            let result = self.call(method, Order::NONE, &params, options).await?;
            Raw::parse(result.as_str()).map_err(|fault| CallErrorKind::Malformed(fault.to_string()))
        };
        let outcome = exchange.await;
        outcome.map_err(|kind| self.error(method.to_owned(), &params, kind))
    }

    async fn notify_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<(), CallError> {
        let params = EncodedParams::of(|out| params.encode(out)).0;
        let options = SendOptions::of(session_key(&params.0));
        let sent = match extension(method) {
            Ok(()) => self.link.notify(method, &params, options).await,
            Err(kind) => return Err(self.error(method.to_owned(), &params, kind)),
        };
        sent.map_err(|error| self.error(method.to_owned(), &params, error.into()))
    }

    fn ignored(&self) -> IgnoredNotifications {
        let ignored = self.ignored.lock();
        ignored.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that a notification is ignored.
    pub(crate) fn ignore(&self, method: &str, error: Error) {
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        ignored.count += 1;
        if ignored.recent.len() == MAX_IGNORED {
            ignored.recent.pop_front();
        }
        let method = method.chars().take(MAX_NAME).collect();
        ignored
            .recent
            .push_back(IgnoredNotification { method, error });
    }

    fn error(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &EncodedParams,
        kind: CallErrorKind,
    ) -> CallError {
        let method = method.into();
        if let CallErrorKind::Unreadable(fault) = &kind {
            diagnostics::unreadable_result(&self.link, &method, fault);
        }
        params.error(self.peer, method, kind)
    }

    pub(crate) fn handshake(&self) -> MutexGuard<'_, Handshake> {
        self.handshake
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn call(
        &self,
        method: &str,
        order: Order,
        params: &EncodedParams,
        options: SendOptions,
    ) -> Result<attache_rpc::Payload, CallErrorKind> {
        // Responses to an agent are delivered at once, because no client notification has to come before them.
        let delivery = match self.peer {
            Role::Agent if order.ends_updates => Delivery::InOrder,
            Role::Agent | Role::Client => Delivery::AtOnce,
        };
        let context = TraceContext::current();
        let pending = match context.clone() {
            Some(context) => {
                let params = &params.0;
                let params = ParamsInContext { params, context };
                self.link.start(method, &params, options, delivery).await?
            }
            None => self.link.start(method, params, options, delivery).await?,
        };
        diagnostics::sent(&pending, &params.0, context.as_ref());
        Ok(pending.response().await?)
    }

    /// Sends a notification about the session that the caller names, with params that the caller encodes.
    pub(crate) async fn notify_in_session(
        &self,
        method: &'static Method,
        options: SendOptions,
        params: &impl Encode,
    ) -> Result<(), CallError> {
        let sent = self.send(method, params, options).await;
        sent.map_err(|kind| {
            let params = EncodedParams::of(|out| params.encode(out)).0;
            self.error(method.name, &params, kind)
        })
    }

    async fn send(
        &self,
        method: &'static Method,
        params: &impl Encode,
        options: SendOptions,
    ) -> Result<(), CallErrorKind> {
        self.check(method)?;
        Ok(self.link.notify(method.name, params, options).await?)
    }

    /// Fails if the peer does not advertise the capability that the method requires.
    fn check(&self, method: &'static Method) -> Result<(), CallErrorKind> {
        if method.is_extension() || method.name == v1::InitializeRequest::METHOD.name {
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
            Some(false) => Err(CallErrorKind::NotOffered {
                capability: method.requirement.path().unwrap_or_default(),
            }),
            None => Err(CallErrorKind::NotInitialized),
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

fn extension(method: &str) -> Result<(), CallErrorKind> {
    if !method.starts_with('_') {
        return Err(CallErrorKind::NotAnExtension);
    }
    Ok(())
}

fn unreadable(fault: json::DecodeError) -> CallErrorKind {
    CallErrorKind::Unreadable(fault.within("result"))
}

/// Encoded params. Their session is read from the text before they are queued.
pub(crate) struct EncodedParams(String);

impl EncodedParams {
    pub(crate) fn of<T>(encode: impl FnOnce(&mut String) -> T) -> (Self, T) {
        let mut text = String::with_capacity(256);
        let outcome = encode(&mut text);
        (EncodedParams(text), outcome)
    }

    /// The error of a message with these params. Reads the session from them, because only errors need its id.
    #[cold]
    pub(crate) fn error(
        &self,
        peer: Role,
        method: impl Into<Cow<'static, str>>,
        kind: CallErrorKind,
    ) -> CallError {
        let session = session_in(&self.0).map(Cow::into_owned);
        CallError::new(peer, method.into(), session, kind)
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
    session_in(params).map(|id| SessionKey::named(&id))
}

pub(crate) fn session_in(params: &str) -> Option<Cow<'_, str>> {
    if let Some(id) = first_session(params) {
        return Some(Cow::Borrowed(id));
    }
    Reader::new(params).tag("sessionId").ok()?
}

/// The session id, if it is the first member and has no escapes, which is how we and most peers write it.
fn first_session(params: &str) -> Option<&str> {
    let rest = params.strip_prefix("{\"sessionId\":\"")?;
    let mut bytes = rest.bytes();
    let end = bytes.position(|byte| matches!(byte, b'"' | b'\\'))?;
    rest[end..].starts_with('"').then(|| &rest[..end])
}

const MAX_IGNORED: usize = 16;
const MAX_NAME: usize = 128;
