//! Telling a peer's dialect by its first messages.

use attache_rpc::json::Reader;
use attache_rpc::{Id, Message, Translation, Translator};

use super::{Age, DialectTranslator, OPENING};
use crate::{Dialect, Role};

/// A translator that does not know yet what it has to translate.
pub(crate) struct Detecting {
    peer: Role,
    /// The `initialize` that has not been answered.
    initialize: Option<Id>,
    translating: Option<DialectTranslator>,
    /// Whether the agent's first session is still to show if it is of an older document.
    awaits_session: bool,
}

impl Detecting {
    pub(crate) fn new(peer: Role) -> Self {
        Detecting {
            peer,
            initialize: None,
            translating: None,
            awaits_session: false,
        }
    }

    /// The translator for an official agent. Whether it is one of today shows at its first session.
    pub(crate) fn official_agent() -> Self {
        let mut detecting = Detecting::new(Role::Agent);
        detecting.await_session();
        detecting
    }

    fn await_session(&mut self) {
        self.translating = Some(DialectTranslator::new(Dialect::Official, self.peer));
        self.awaits_session = true;
    }

    /// Goes on in a dialect, from this message of the peer on.
    fn decide(&mut self, dialect: Dialect, message: &str) -> Translation {
        match (dialect, self.peer) {
            (Dialect::Official, Role::Client) => return Translation::Finished,
            (Dialect::Official, Role::Agent) => {
                self.await_session();
                return Translation::Unchanged;
            }
            _ => {}
        }
        let mut translating = DialectTranslator::new(dialect, self.peer);
        if let Some(id) = self.initialize.take() {
            translating.expect_answer(self.peer, id, "initialize");
        }
        let translation = translating.incoming(message);
        self.translating = Some(translating);
        translation
    }

    /// What the first messages of a client show: `initialize`, or else the first session.
    fn client_says(&mut self, message: &str) -> Translation {
        let Ok(Message::Request { id, method, params }) = Message::parse_str(message) else {
            return Translation::Unchanged;
        };
        let params = params.unwrap_or("{}");
        match &*method {
            "initialize" => match Dialect::of_client(params) {
                Some(dialect) => self.decide(dialect, message),
                None => {
                    self.initialize = Some(id);
                    Translation::Unchanged
                }
            },
            "session/new" | "session/load" => {
                let dialect = Dialect::of_session(params).unwrap_or_default();
                self.decide(dialect, message)
            }
            _ => Translation::Unchanged,
        }
    }

    /// What an agent's answer to `initialize` shows.
    fn agent_says(&mut self, message: &str) -> Translation {
        match Message::parse_str(message) {
            Ok(Message::Response { id, result }) if self.initialize.as_ref() == Some(&id) => {
                let dialect = Dialect::of_agent(result).unwrap_or_default();
                self.decide(dialect, message)
            }
            _ => Translation::Unchanged,
        }
    }
}

impl Translator for Detecting {
    fn incoming(&mut self, message: &str) -> Translation {
        match (&mut self.translating, self.peer) {
            (Some(translating), _) => {
                let shows = self
                    .awaits_session
                    .then(|| translating.session_shows(message));
                match shows.flatten() {
                    Some(Age::Today) => return Translation::Finished,
                    Some(Age::Old) => self.awaits_session = false,
                    None => {}
                }
                translating.incoming(message)
            }
            (None, Role::Client) => self.client_says(message),
            (None, Role::Agent) => self.agent_says(message),
        }
    }

    fn outgoing(&mut self, message: &str) -> Translation {
        let parsed = Message::parse_str(message);
        if let Some(translating) = &mut self.translating {
            return match self.awaits_session && parsed.as_ref().is_ok_and(speaks_of_session) {
                true => Translation::Finished,
                false => translating.outgoing(message),
            };
        }
        match parsed {
            Ok(Message::Request { id, method, .. }) if method == "initialize" => {
                self.initialize = Some(id);
            }
            Ok(Message::Response { id, .. }) if self.initialize.as_ref() == Some(&id) => {
                self.initialize = None;
            }
            _ => {}
        }
        Translation::Unchanged
    }
}

/// Whether a call is about a session that is there. One that was never opened here has no models to translate.
fn speaks_of_session(message: &Message<'_>) -> bool {
    match message {
        Message::Request { method, params, .. } => {
            !OPENING.contains(&&**method) && params.is_some_and(names_session)
        }
        _ => false,
    }
}

fn names_session(params: &str) -> bool {
    let session = Reader::new(params).tag("sessionId");
    session.is_ok_and(|id| id.is_some())
}
