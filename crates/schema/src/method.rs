//! The table of methods: dispatch, capability checks and documentation all come from it.

use attache_rpc::json::{self, Decode, Encode};

use crate::v1::{AgentCapabilities, ClientCapabilities};

/// A method of the protocol, as a row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// Who calls whom.
    pub direction: Direction,
    /// Whether it wants an answer.
    pub kind: Kind,
    /// Whether it may still change.
    pub stability: Stability,
    /// When it may be called.
    pub gate: Gate,
    /// Its parameters.
    pub params: Shape,
    /// Its result, if it wants an answer.
    pub result: Option<Shape>,
}

/// Who calls whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The client calls the agent.
    ToAgent,
    /// The agent calls the client.
    ToClient,
    /// Either calls the other.
    Either,
    /// The conductor of a chain calls a proxy.
    ToProxy,
    /// A proxy and its conductor call each other.
    Successor,
}

/// Whether a method wants an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// Whether a method may still change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// It may not.
    Stable,
    /// It may.
    Unstable,
}

/// When a method may be called.
#[derive(Debug, Clone, Copy)]
pub enum Gate {
    /// Always.
    Always,
    /// If the agent has said so.
    Agent(&'static str, fn(&AgentCapabilities) -> bool),
    /// If the client has said so.
    Client(&'static str, fn(&ClientCapabilities) -> bool),
    /// If the peer has offered something to call it with, which stands elsewhere than in its capabilities.
    Offer(&'static str),
}

/// The type of a method's parameters or result.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The type's name in the specification.
    pub name: &'static str,
    check: fn(&str) -> Result<(), json::Error>,
}

impl Method {
    /// All methods.
    pub fn all() -> impl Iterator<Item = &'static Method> {
        crate::call::TABLES.iter().copied().flatten()
    }

    /// The method of that name and kind that can be called in that direction: what either side may call goes to the
    /// agent and to the client.
    pub fn find(name: &str, kind: Kind, direction: Direction) -> Option<&'static Method> {
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
    /// Whether a JSON text is a result of the request of that name. Of one that is not in the table anything is.
    pub(crate) fn check_result(
        name: &str,
        direction: Direction,
        result: &str,
    ) -> Result<(), json::Error> {
        let method = Method::find(name, Kind::Request, direction);
        let shape = method.and_then(|method| method.result);
        shape.map_or(Ok(()), |shape| shape.check(result))
    }
}

impl Gate {
    /// Whether the gate is open between these two. An offer cannot be judged by capabilities and counts as open.
    pub fn is_open(&self, agent: &AgentCapabilities, client: &ClientCapabilities) -> bool {
        match self {
            Gate::Always | Gate::Offer(_) => true,
            Gate::Agent(_, open) => open(agent),
            Gate::Client(_, open) => open(client),
        }
    }

    /// The member that decides, such as `agentCapabilities.loadSession`.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Gate::Always => None,
            Gate::Agent(path, _) | Gate::Client(path, _) | Gate::Offer(path) => Some(path),
        }
    }
}

impl Shape {
    pub(crate) const fn of<T: Decode>(name: &'static str) -> Self {
        Shape {
            name,
            check: |text| json::from_str::<T>(text).map(drop),
        }
    }

    /// Whether a JSON text has this type.
    pub fn check(&self, text: &str) -> Result<(), json::Error> {
        (self.check)(text)
    }
}

/// Parameters of a method that wants an answer.
pub trait Request: Decode + Encode {
    /// The method's row.
    const METHOD: &'static Method;
    /// What it is answered with.
    type Response: Decode + Encode;
}

/// Parameters of a method that wants no answer.
pub trait Notification: Decode + Encode {
    /// The method's row.
    const METHOD: &'static Method;
}
