//! The translation of a connection message by message.

mod detection;

use std::collections::HashMap;

use attache_rpc::json::Object;
use attache_rpc::{Error, Id, Message, MessageReplacement, Translation, Translator};

use crate::{Call, CallTranslator, Dialect, Role, TranslatedCall};
use detection::DetectingTranslator;

/// Creates a translator that detects the peer's dialect from its first messages. A peer whose messages do not show a
/// dialect counts as official. Create a new translator for each connection.
///
/// ```
/// use attache_dialect::{Role, detect};
/// use attache_rpc::Translation;
///
/// let mut translator = detect(Role::Client);
/// let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{}}}"#;
/// let Translation::Replaced(official) = translator.incoming(hello) else {
///     panic!("a client of the draft");
/// };
/// assert!(official.forward[0].contains("clientCapabilities"));
/// ```
pub fn detect(peer: Role) -> Box<dyn Translator> {
    Box::new(DetectingTranslator::new(peer))
}

/// Creates a translator for a peer with this dialect. `None` if there is nothing to translate.
///
/// Official agents get a translator because older ones have `models`, which only their first session shows.
pub fn translator_for(dialect: Dialect, peer: Role) -> Option<Box<dyn Translator>> {
    match (dialect, peer) {
        (Dialect::Official, Role::Client) => None,
        (Dialect::Official, Role::Agent) => Some(Box::new(DetectingTranslator::official_agent())),
        (dialect, peer) => Some(Box::new(DialectTranslator::new(dialect, peer))),
    }
}

/// The age of an official agent.
pub(crate) enum AgentAge {
    /// Nothing needs translation.
    Current,
    /// Its sessions have `models` and `session/set_model`.
    Legacy,
}

/// Translates between the official protocol inside and a dialect outside.
pub struct DialectTranslator {
    calls: CallTranslator,
    /// Official methods of the peer's pending requests.
    theirs: HashMap<Id, String>,
    /// Methods of our pending requests.
    ours: HashMap<Id, String>,
}

impl DialectTranslator {
    /// Creates a translator for a connection with a peer of this dialect.
    pub fn new(dialect: Dialect, peer: Role) -> Self {
        DialectTranslator {
            calls: CallTranslator::new(dialect, peer),
            theirs: HashMap::new(),
            ours: HashMap::new(),
        }
    }

    /// Adds a pending request of the client that was sent before the dialect was known.
    fn expect_answer(&mut self, peer: Role, id: Id, method: &str) {
        let requests = match peer {
            Role::Client => &mut self.theirs,
            Role::Agent => &mut self.ours,
        };
        requests.insert(id, method.to_owned());
    }

    /// Detects the age of an agent from a response that opens a session.
    fn agent_age(&self, message: &str) -> Option<AgentAge> {
        let Ok(Message::Response { id, result }) = Message::parse_str(message) else {
            return None;
        };
        let method = self.ours.get(&id)?;
        SESSION_OPENING_METHODS.contains(&method.as_str()).then(|| {
            match Object::parse(result).is_ok_and(|opened| opened.has("models")) {
                true => AgentAge::Legacy,
                false => AgentAge::Current,
            }
        })
    }

    fn read_call(
        &mut self,
        id: Option<&Id>,
        method: &str,
        params: Option<&str>,
    ) -> MessageReplacement {
        let translated = self.calls.read_call(Call { id, method, params });
        match (translated, id) {
            (Ok(translated), id) => {
                if let (Some(id), Some(official)) = (id, last_method(&translated)) {
                    remember(&mut self.theirs, id, official);
                }
                replacement(translated, id)
            }
            (Err(error), Some(id)) => {
                send_back(failure(id, &self.calls.write_error(id, method, error)))
            }
            (Err(_), None) => MessageReplacement::default(),
        }
    }

    fn write_call(
        &mut self,
        id: Option<&Id>,
        method: &str,
        params: Option<&str>,
    ) -> MessageReplacement {
        let translated = self.calls.write_call(Call { id, method, params });
        match (translated, id) {
            (Ok(translated), id) => {
                if let Some(id) = id {
                    remember(&mut self.ours, id, method);
                }
                replacement(translated, id)
            }
            (Err(error), Some(id)) => send_back(failure(id, &error)),
            (Err(_), None) => MessageReplacement::default(),
        }
    }
}

impl Translator for DialectTranslator {
    fn incoming(&mut self, message: &str) -> Translation {
        let replaced = match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                self.read_call(Some(&id), &method, params)
            }
            Ok(Message::Notification { method, params }) => self.read_call(None, &method, params),
            Ok(Message::Response { id, result }) => {
                let method = self.ours.remove(&id).unwrap_or_default();
                match self.calls.read_result(&id, &method, result) {
                    Ok(result) => forward(response(&id, &result)),
                    Err(error) => forward(failure(&id, &error)),
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.ours.remove(&id).unwrap_or_default();
                forward(failure(&id, &self.calls.read_error(&id, &method, error)))
            }
            Err(_) => return Translation::Unchanged,
        };
        Translation::Replaced(replaced)
    }

    fn outgoing(&mut self, message: &str) -> Translation {
        let replaced = match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                self.write_call(Some(&id), &method, params)
            }
            Ok(Message::Notification { method, params }) => self.write_call(None, &method, params),
            Ok(Message::Response { id, result }) => {
                let method = self.theirs.remove(&id).unwrap_or_default();
                match self.calls.write_result(&id, &method, result) {
                    Ok(result) => forward(response(&id, &result)),
                    Err(error) => {
                        let error = self.calls.write_error(&id, &method, error);
                        forward(failure(&id, &error))
                    }
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.theirs.remove(&id).unwrap_or_default();
                forward(failure(&id, &self.calls.write_error(&id, &method, error)))
            }
            Err(_) => return Translation::Unchanged,
        };
        Translation::Replaced(replaced)
    }
}

/// Remembers the method of a request. The number of pending requests is limited.
fn remember(requests: &mut HashMap<Id, String>, id: &Id, method: &str) {
    if requests.len() >= MAX_PENDING {
        requests.clear();
    }
    requests.insert(id.clone(), method.to_owned());
}

/// The messages that take the place of a call. Of several calls, only the last keeps the id and gets the response.
fn replacement(translated: TranslatedCall<'_>, id: Option<&Id>) -> MessageReplacement {
    match translated {
        TranslatedCall::Call { method, params } => forward(call(id, &method, params.as_deref())),
        TranslatedCall::Calls(calls) => {
            let last = calls.len().saturating_sub(1);
            let calls = calls.iter().enumerate();
            let lines = calls.map(|(at, (method, params))| {
                let id = id.filter(|_| at == last);
                call(id, method, params.as_deref())
            });
            MessageReplacement::forward(lines)
        }
        TranslatedCall::Response(result) => match id {
            Some(id) => send_back(response(id, &result)),
            None => MessageReplacement::default(),
        },
        TranslatedCall::Nothing => MessageReplacement::default(),
    }
}

/// Official name of the pending call.
fn last_method<'a>(translated: &'a TranslatedCall<'_>) -> Option<&'a str> {
    match translated {
        TranslatedCall::Call { method, .. } => Some(method),
        TranslatedCall::Calls(calls) => calls.last().map(|(method, _)| method.as_str()),
        TranslatedCall::Response(_) | TranslatedCall::Nothing => None,
    }
}

fn forward(message: String) -> MessageReplacement {
    MessageReplacement::forward([message])
}

fn send_back(message: String) -> MessageReplacement {
    MessageReplacement::default().send_back([message])
}

fn call(id: Option<&Id>, method: &str, params: Option<&str>) -> String {
    let method = method.into();
    encode(&match id.cloned() {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn response(id: &Id, result: &str) -> String {
    let id = id.clone();
    encode(&Message::Response { id, result })
}

fn failure(id: &Id, error: &Error) -> String {
    let (id, error) = (id.clone(), error.clone());
    encode(&Message::Failure { id, error })
}

fn encode(message: &Message<'_>) -> String {
    let mut out = String::new();
    message.write(&mut out);
    out
}

const MAX_PENDING: usize = 4096;
const SESSION_OPENING_METHODS: [&str; 4] = [
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
];
