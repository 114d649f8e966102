//! One side of a conversation: its border, and what it waits for. Each side has ids of its own.

use std::collections::HashMap;

use attache_rpc::Id;
use attache_schema::call::{AgentRequest, ClientRequest};
use attache_schema::dialect::{Border, Dialect, Peer};
use attache_schema::method::{Direction, Kind, Method};

/// One side of a conversation.
pub(super) struct Party {
    pub(super) border: Border,
    /// Whether it has shown its dialect.
    pub(super) is_told: bool,
    /// Its requests that wait for an answer.
    pub(super) open: HashMap<Id, Open>,
}

/// A request that waits for its answer.
pub(super) struct Open {
    /// How many were asked before.
    pub(super) number: usize,
    /// The method's official name.
    pub(super) method: String,
    pub(super) request: Asked,
}

/// A request as data.
pub(super) enum Asked {
    ByClient(ClientRequest),
    ByAgent(AgentRequest),
    /// It could not be read.
    Unread,
}

impl Party {
    pub(super) fn new(peer: Peer) -> Self {
        Party {
            border: Border::new(Dialect::Official, peer),
            is_told: false,
            open: HashMap::new(),
        }
    }
}

impl Open {
    /// Whether a result could be the answer to it, asked by that side.
    pub(super) fn fits(&self, asker: Peer, result: &str) -> bool {
        let method = Method::find(&self.method, Kind::Request, direction(asker));
        let shape = method.and_then(|method| method.result);
        shape.is_none_or(|shape| shape.check(result).is_ok())
    }
}

/// Who sends a call of that name and kind, if only one of them does.
pub(super) fn sender(method: &str, kind: Kind) -> Option<Peer> {
    [kind, opposite(kind)].into_iter().find_map(|kind| {
        let by = |peer| Method::find(method, kind, direction(peer)).is_some();
        match (by(Peer::Client), by(Peer::Agent)) {
            (true, false) => Some(Peer::Client),
            (false, true) => Some(Peer::Agent),
            _ => None,
        }
    })
}

/// Which way a side's calls go.
pub(super) fn direction(sender: Peer) -> Direction {
    match sender {
        Peer::Client => Direction::ToAgent,
        Peer::Agent => Direction::ToClient,
    }
}

pub(super) fn other(peer: Peer) -> Peer {
    match peer {
        Peer::Client => Peer::Agent,
        Peer::Agent => Peer::Client,
    }
}

pub(super) fn opposite(kind: Kind) -> Kind {
    match kind {
        Kind::Request => Kind::Notification,
        Kind::Notification => Kind::Request,
    }
}

pub(super) fn name(peer: Peer) -> &'static str {
    match peer {
        Peer::Client => "client",
        Peer::Agent => "agent",
    }
}

pub(super) fn arrow(sender: Option<Peer>) -> &'static str {
    match sender {
        Some(Peer::Client) => "->",
        Some(Peer::Agent) => "<-",
        None => "--",
    }
}
