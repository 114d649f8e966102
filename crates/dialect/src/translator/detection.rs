//! Detection of a peer's dialect from its first messages.

use attache_rpc::json::Reader;
use attache_rpc::{Id, Message, Translation, Translator};

use super::{AgentAge, DialectTranslator, SESSION_OPENING_METHODS};
use crate::{Dialect, Role};

/// A translator that does not know the dialect yet.
pub(crate) struct DetectingTranslator {
    peer: Role,
    /// Pending `initialize` request.
    initialize: Option<Id>,
    translator: Option<DialectTranslator>,
    /// Whether the agent's first session is still needed to detect older shapes.
    awaits_session: bool,
}

impl DetectingTranslator {
    pub(crate) fn new(peer: Role) -> Self {
        DetectingTranslator {
            peer,
            initialize: None,
            translator: None,
            awaits_session: false,
        }
    }

    /// Creates a translator for an official agent. Its first session shows whether it uses older shapes.
    pub(crate) fn official_agent() -> Self {
        let mut detecting = DetectingTranslator::new(Role::Agent);
        detecting.await_session();
        detecting
    }

    fn await_session(&mut self) {
        self.translator = Some(DialectTranslator::new(Dialect::Official, self.peer));
        self.awaits_session = true;
    }

    /// Continues in this dialect, from this message of the peer onwards.
    fn decide(&mut self, dialect: Dialect, message: &str) -> Translation {
        match (dialect, self.peer) {
            (Dialect::Official, Role::Client) => return Translation::Finished,
            (Dialect::Official, Role::Agent) => {
                self.await_session();
                return Translation::Unchanged;
            }
            _ => {}
        }
        let mut translator = DialectTranslator::new(dialect, self.peer);
        if let Some(id) = self.initialize.take() {
            translator.expect_answer(self.peer, id, "initialize");
        }
        let translation = translator.incoming(message);
        self.translator = Some(translator);
        translation
    }

    /// Detects the dialect of a client from `initialize`, or else from the first session.
    fn detect_client(&mut self, message: &str) -> Translation {
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

    /// Detects the dialect of an agent from its response to `initialize`.
    fn detect_agent(&mut self, message: &str) -> Translation {
        match Message::parse_str(message) {
            Ok(Message::Response { id, result }) if self.initialize.as_ref() == Some(&id) => {
                let dialect = Dialect::of_agent(result).unwrap_or_default();
                self.decide(dialect, message)
            }
            _ => Translation::Unchanged,
        }
    }
}

impl Translator for DetectingTranslator {
    fn incoming(&mut self, message: &str) -> Translation {
        match (&mut self.translator, self.peer) {
            (Some(translator), _) => {
                let shows = self.awaits_session.then(|| translator.agent_age(message));
                match shows.flatten() {
                    Some(AgentAge::Current) => return Translation::Finished,
                    Some(AgentAge::Legacy) => self.awaits_session = false,
                    None => {}
                }
                translator.incoming(message)
            }
            (None, Role::Client) => self.detect_client(message),
            (None, Role::Agent) => self.detect_agent(message),
        }
    }

    fn outgoing(&mut self, message: &str) -> Translation {
        let parsed = Message::parse_str(message);
        if let Some(translator) = &mut self.translator {
            return match self.awaits_session && parsed.as_ref().is_ok_and(names_open_session) {
                true => Translation::Finished,
                false => translator.outgoing(message),
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

/// Whether a call is about an existing session. A session that was never opened here has no models to translate.
fn names_open_session(message: &Message<'_>) -> bool {
    match message {
        Message::Request { method, params, .. } => {
            !SESSION_OPENING_METHODS.contains(&&**method) && params.is_some_and(names_session)
        }
        _ => false,
    }
}

fn names_session(params: &str) -> bool {
    let session = Reader::new(params).tag("sessionId");
    session.is_ok_and(|id| id.is_some())
}
