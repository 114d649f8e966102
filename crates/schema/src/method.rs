//! The table of methods as data. Decoding, capability checks, ordering and documentation all come from it.

use attache_rpc::json::{self, Decode, Encode};

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
