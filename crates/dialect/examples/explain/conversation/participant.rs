//! One side of a conversation: its translator and its pending requests. Each side has its own ids.

use std::collections::HashMap;

use attache_dialect::{CallTranslator, Dialect, Role};
use attache_rpc::Id;
use attache_schema::call::{AgentRequest, ClientRequest};
use attache_schema::method::{Direction, Method, MethodKind};

/// One side of a conversation.
pub(super) struct Participant {
    pub(super) translator: CallTranslator,
    /// Whether its dialect is known.
    pub(super) is_detected: bool,
    /// Its pending requests.
    pub(super) open: HashMap<Id, OpenRequest>,
}

/// A pending request.
pub(super) struct OpenRequest {
    /// Number of earlier requests.
    pub(super) number: usize,
    /// Official name of the method.
    pub(super) method: String,
    pub(super) request: TypedRequest,
}

/// A request as data.
pub(super) enum TypedRequest {
    ByClient(ClientRequest),
    ByAgent(AgentRequest),
    /// It could not be read.
    Unread,
}

impl Participant {
    pub(super) fn new(peer: Role) -> Self {
        Participant {
            translator: CallTranslator::new(Dialect::Official, peer),
            is_detected: false,
            open: HashMap::new(),
        }
    }
}

impl OpenRequest {
    /// Whether a result could respond to this request of this side.
    pub(super) fn fits(&self, requester: Role, result: &str) -> bool {
        let method = Method::find(&self.method, MethodKind::Request, direction(requester));
        let shape = method.and_then(|method| method.result);
        shape.is_none_or(|shape| shape.check(result).is_ok())
    }
}

/// The sender of a call with this name and kind, if only one side sends it.
pub(super) fn sender(method: &str, kind: MethodKind) -> Option<Role> {
    [kind, opposite(kind)].into_iter().find_map(|kind| {
        let by = |peer| Method::find(method, kind, direction(peer)).is_some();
        match (by(Role::Client), by(Role::Agent)) {
            (true, false) => Some(Role::Client),
            (false, true) => Some(Role::Agent),
            _ => None,
        }
    })
}

/// Direction of a side's calls.
pub(super) fn direction(sender: Role) -> Direction {
    match sender {
        Role::Client => Direction::ToAgent,
        Role::Agent => Direction::ToClient,
    }
}

pub(super) fn other(peer: Role) -> Role {
    match peer {
        Role::Client => Role::Agent,
        Role::Agent => Role::Client,
    }
}

pub(super) fn opposite(kind: MethodKind) -> MethodKind {
    match kind {
        MethodKind::Request => MethodKind::Notification,
        MethodKind::Notification => MethodKind::Request,
    }
}

pub(super) fn name(peer: Role) -> &'static str {
    match peer {
        Role::Client => "client",
        Role::Agent => "agent",
    }
}

pub(super) fn arrow(sender: Option<Role>) -> &'static str {
    match sender {
        Some(Role::Client) => "->",
        Some(Role::Agent) => "<-",
        None => "--",
    }
}
