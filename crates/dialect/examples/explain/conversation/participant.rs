//! One side of a conversation: its translator, and what it waits for. Each side has ids of its own.

use std::collections::HashMap;

use attache_dialect::{CallTranslator, Dialect, Role};
use attache_rpc::Id;
use attache_schema::call::{AgentRequest, ClientRequest};
use attache_schema::method::{Direction, Method, MethodKind};

/// One side of a conversation.
pub(super) struct Participant {
    pub(super) translator: CallTranslator,
    /// Whether it has shown its dialect.
    pub(super) is_detected: bool,
    /// Its requests that wait for an answer.
    pub(super) open: HashMap<Id, OpenRequest>,
}

/// A request that waits for its answer.
pub(super) struct OpenRequest {
    /// How many were asked before.
    pub(super) number: usize,
    /// The method's official name.
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
    /// Whether a result could be the answer to it, asked by that side.
    pub(super) fn fits(&self, requester: Role, result: &str) -> bool {
        let method = Method::find(&self.method, MethodKind::Request, direction(requester));
        let shape = method.and_then(|method| method.result);
        shape.is_none_or(|shape| shape.check(result).is_ok())
    }
}

/// Who sends a call of that name and kind, if only one of them does.
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

/// Which way a side's calls go.
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
