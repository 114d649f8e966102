//! The table of methods as data. Decoding, capability checks, ordering and documentation all come from it.

use attache_rpc::json::{self, Decode, Encode};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::v1::{AgentCapabilities, ClientCapabilities};

/// A method of the protocol: one row of the table.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Method {
    /// Name of the method in a message.
    pub name: &'static str,
    /// Who sends it to whom.
    pub direction: Direction,
    /// Whether it is a request or a notification.
    pub kind: MethodKind,
    /// Whether the specification may still change it.
    pub stability: Stability,
    /// Capability that the other side has to advertise first.
    pub requirement: Requirement,
    /// How its messages are ordered relative to other messages of the session.
    pub order: Order,
    /// Type of the parameters.
    pub params: PayloadType,
    /// Type of the result, for a request.
    pub result: Option<PayloadType>,
}

/// Who sends a message to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From the client to the agent.
    ToAgent,
    /// From the agent to the client.
    ToClient,
    /// Either way between client and agent.
    Either,
    /// From the conductor of a chain to a proxy.
    ToProxy,
    /// Either way between a proxy and its conductor.
    Successor,
}

/// Whether a method is a request or a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// A request, which gets exactly one response.
    Request,
    /// A notification, which gets no response.
    Notification,
}

/// Whether the specification may still change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stability {
    /// Part of version 1; does not change.
    Stable,
    /// May change or be removed.
    Unstable,
}

/// Capability that the other side has to advertise before a method may be called.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Requirement {
    /// Nothing: the method is always available.
    Always,
    /// A capability of the agent: its path, and whether it is set.
    AgentCapability(&'static str, fn(&AgentCapabilities) -> bool),
    /// A capability of the client: its path, and whether it is set.
    ClientCapability(&'static str, fn(&ClientCapabilities) -> bool),
    /// A value for the method, such as a mode or a login method, that the other side lists in this member. The member
    /// is not part of its capabilities.
    Offered(&'static str),
}

/// How the messages of a method are ordered relative to others of the same session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Order {
    /// The request ends when the client cancels the session's turn.
    pub ends_with_cancel: bool,
    /// The notification cancels the session's turn, with the requests that end with it.
    pub cancels_session: bool,
    /// The response must not overtake the session's updates before it.
    pub ends_updates: bool,
    /// The response goes out before messages of other sessions that are waiting.
    pub urgent_response: bool,
}

/// The type of a method's parameters or result.
#[derive(Debug, Clone, Copy)]
pub struct PayloadType {
    /// Name of the type in the specification.
    pub name: &'static str,
    check: fn(&str) -> Result<(), json::DecodeError>,
}

impl Method {
    /// All methods.
    pub fn all() -> impl Iterator<Item = &'static Method> {
        crate::call::TABLES.iter().copied().flatten()
    }

    /// The method with this name, kind and direction. A method that either side may call goes both to the agent and to
    /// the client.
    pub fn find(name: &str, kind: MethodKind, direction: Direction) -> Option<&'static Method> {
        Method::all().find(|method| {
            method.name == name && method.kind == kind && method.direction.covers(direction)
        })
    }
}

impl Direction {
    fn covers(self, direction: Direction) -> bool {
        let either = matches!(direction, Direction::ToAgent | Direction::ToClient);
        self == direction || (self == Direction::Either && either)
    }
}

impl Method {
    /// Checks whether a JSON text is a valid result of the request with this name. For a request that is not in the
    /// table, any text is valid.
    pub(crate) fn check_result(
        name: &str,
        direction: Direction,
        result: &str,
    ) -> Result<(), json::DecodeError> {
        let method = Method::find(name, MethodKind::Request, direction);
        let payload = method.and_then(|method| method.result);
        payload.map_or(Ok(()), |payload| payload.check(result))
    }
}

impl Order {
    /// The order of a method without special rules.
    pub const NONE: Order = Order {
        ends_with_cancel: false,
        cancels_session: false,
        ends_updates: false,
        urgent_response: false,
    };
}

impl Requirement {
    /// Whether these capabilities meet the requirement. [`Offered`](Self::Offered) does not depend on capabilities and
    /// counts as met.
    pub fn is_met(&self, agent: &AgentCapabilities, client: &ClientCapabilities) -> bool {
        match self {
            Requirement::Always | Requirement::Offered(_) => true,
            Requirement::AgentCapability(_, is_set) => is_set(agent),
            Requirement::ClientCapability(_, is_set) => is_set(client),
        }
    }

    /// Path of the member that decides, such as `agentCapabilities.loadSession`.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Requirement::Always => None,
            Requirement::AgentCapability(path, _)
            | Requirement::ClientCapability(path, _)
            | Requirement::Offered(path) => Some(path),
        }
    }
}

impl PayloadType {
    pub(crate) const fn of<T: Decode>(name: &'static str) -> Self {
        PayloadType {
            name,
            check: |text| json::from_str::<T>(text).map(drop),
        }
    }

    /// Checks whether a JSON text has this type.
    pub fn check(&self, text: &str) -> Result<(), json::DecodeError> {
        (self.check)(text)
    }
}

/// The parameters of a request.
pub trait Request: Decode + Encode {
    /// The row of the method in the table.
    const METHOD: &'static Method;
    /// The result in the response.
    type Response: Decode + Encode;
}

/// The parameters of a notification.
pub trait Notification: Decode + Encode {
    /// The row of the method in the table.
    const METHOD: &'static Method;
}

/// A request that can be sent: a request of the protocol, or an [`ExtensionRequest`]. Don't implement it yourself.
pub trait SendRequest {
    /// The result in the response.
    type Response;

    /// The method. For an extension, a row that is not in the table.
    fn method() -> &'static Method;

    /// Appends the parameters as JSON.
    fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError>;

    /// Reads the result.
    fn decode_response(result: &str) -> Result<Self::Response, json::DecodeError>;
}

/// A notification that can be sent: a notification of the protocol, or an [`ExtensionNotification`]. Don't implement it
/// yourself.
pub trait SendNotification {
    /// The method. For an extension, a row that is not in the table.
    fn method() -> &'static Method;

    /// Appends the parameters as JSON.
    fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError>;
}

/// A request that a client may send to an agent. Implement it for an [`ExtensionRequest`] to say so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request that a client may send to an agent",
    note = "for a request of your own, implement `ExtensionRequest` and `RequestToAgent`"
)]
pub trait RequestToAgent: SendRequest {}

/// A request that an agent may send to a client. Implement it for an [`ExtensionRequest`] to say so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request that an agent may send to a client",
    note = "for a request of your own, implement `ExtensionRequest` and `RequestToClient`"
)]
pub trait RequestToClient: SendRequest {}

/// A notification that a client may send to an agent. Implement it for an [`ExtensionNotification`] to say so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a notification that a client may send to an agent",
    note = "for a notification of your own, implement `ExtensionNotification` and `NotificationToAgent`"
)]
pub trait NotificationToAgent: SendNotification {}

/// A notification that an agent may send to a client. Implement it for an [`ExtensionNotification`] to say so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a notification that an agent may send to a client",
    note = "for a notification of your own, implement `ExtensionNotification` and `NotificationToClient`"
)]
pub trait NotificationToClient: SendNotification {}

/// The parameters of a request outside the protocol, as a type of yours that implements serde's traits. [`RequestToAgent`]
/// and [`RequestToClient`] decide which side may send it. The receiver reads it with
/// [`Extension::request`](crate::call::Extension::request).
///
/// See [Extensibility](https://agentclientprotocol.com/protocol/v1/extensibility).
///
/// ```
/// use attache_schema::method::{ExtensionRequest, RequestToAgent};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Search {
///     words: String,
/// }
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Found {
///     paths: Vec<String>,
/// }
///
/// impl ExtensionRequest for Search {
///     const METHOD: &'static str = "_acme/search";
///     type Response = Found;
/// }
///
/// impl RequestToAgent for Search {}
/// ```
pub trait ExtensionRequest: Serialize {
    /// Name of the method. A name that does not start with `_` does not compile.
    const METHOD: &'static str;
    /// The result in the response.
    type Response: DeserializeOwned;
}

/// The parameters of a notification outside the protocol, as a type of yours that implements serde's traits.
/// [`NotificationToAgent`] and [`NotificationToClient`] decide which side may send it. The receiver reads it with
/// [`Extension::notification`](crate::call::Extension::notification).
///
/// See [Extensibility](https://agentclientprotocol.com/protocol/v1/extensibility).
pub trait ExtensionNotification: Serialize {
    /// Name of the method. A name that does not start with `_` does not compile.
    const METHOD: &'static str;
}

struct RequestRow<R>(std::marker::PhantomData<R>);

impl<R: ExtensionRequest> RequestRow<R> {
    const METHOD: &'static Method = &Method::extension(R::METHOD, MethodKind::Request);
}

struct NotificationRow<N>(std::marker::PhantomData<N>);

impl<N: ExtensionNotification> NotificationRow<N> {
    const METHOD: &'static Method = &Method::extension(N::METHOD, MethodKind::Notification);
}

impl<R: ExtensionRequest> SendRequest for R {
    type Response = R::Response;

    fn method() -> &'static Method {
        RequestRow::<R>::METHOD
    }

    fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError> {
        json::encode_serde(self).map(|params| params.encode(out))
    }

    fn decode_response(result: &str) -> Result<Self::Response, json::DecodeError> {
        json::decode_serde(result)
    }
}

impl<N: ExtensionNotification> SendNotification for N {
    fn method() -> &'static Method {
        NotificationRow::<N>::METHOD
    }

    fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError> {
        json::encode_serde(self).map(|params| params.encode(out))
    }
}

impl Method {
    /// A method outside the protocol. Used in constants only, so a wrong name is an error of the compiler.
    #[allow(clippy::panic, reason = "the compiler evaluates it")]
    const fn extension(name: &'static str, kind: MethodKind) -> Method {
        assert!(
            matches!(name.as_bytes(), [b'_', ..]),
            "the name of an extension method must start with `_`"
        );
        let payload = PayloadType {
            name: "extension",
            check: |_| Ok(()),
        };
        Method {
            name,
            direction: Direction::Either,
            kind,
            stability: Stability::Unstable,
            requirement: Requirement::Always,
            order: Order::NONE,
            params: payload,
            result: Some(payload),
        }
    }

    /// Whether this is a method outside the protocol.
    pub fn is_extension(&self) -> bool {
        self.name.starts_with('_')
    }
}
