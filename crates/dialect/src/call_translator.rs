//! The translation of a connection call by call, and the types it takes and returns.

use std::borrow::Cow;
use std::fmt;

use attache_rpc::{Error, Id};
use attache_schema::FilePath;
use attache_schema::v1::SessionId;

use crate::{bridge, draft, legacy, pharo};

/// A family of message shapes that a peer may use instead of the official ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// The protocol as published, including older shapes such as `session/set_model`.
    #[default]
    Official,
    /// The variants of an early bridge to the Claude CLI: bare tool content, `mediaType`, plan entries without
    /// priority, the kinds `write` and `command`.
    Bridge,
    /// The draft of February 2026: `workingDirectory`, `capabilities`, updates with `type` and `data`, permissions
    /// `granted` with a `scope`, pushed terminal output, its own error codes.
    Draft,
    /// The Pharo shape: `update.type`, `selectedOptionId`, `startLine` and `lineLimit`, a terminal capability per
    /// method, its own error codes.
    Pharo,
}

/// Which side of the protocol the peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The peer is a client, such as an editor: it receives the calls of an agent.
    Client,
    /// The peer is an agent: it receives the calls of a client.
    Agent,
}

/// A request or notification to translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// Id of the request; `None` for a notification.
    pub id: Option<&'a Id>,
    /// Name of the method.
    pub method: &'a str,
    /// The parameters as JSON text.
    pub params: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Creates a request, which expects a response.
    pub fn request(id: &'a Id, method: &'a str, params: Option<&'a str>) -> Self {
        let id = Some(id);
        Call { id, method, params }
    }

    /// Creates a notification, which expects no response.
    pub fn notification(method: &'a str, params: Option<&'a str>) -> Self {
        let id = None;
        Call { id, method, params }
    }
}

/// A call after translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranslatedCall<'a> {
    /// Forward this call.
    Call {
        /// Name of the method.
        method: Cow<'a, str>,
        /// The parameters as JSON text.
        params: Option<Cow<'a, str>>,
    },
    /// Forward several calls in this order. Only the last keeps the id of the original.
    Calls(Vec<(String, Option<String>)>),
    /// Don't forward the call: send this result back to its sender.
    Response(String),
    /// Don't forward the call, which expects no response.
    Nothing,
}

/// The translation of one dialect for one connection. The default methods change nothing.
pub(crate) trait TranslateCalls: Send {
    /// Translates a call from the peer to official JSON.
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        Ok(TranslatedCall::unchanged(call))
    }

    /// Translates the peer's result for our call to official JSON. `method` is the official name.
    fn read_result<'a>(
        &mut self,
        _id: &Id,
        _method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        Ok(Cow::Borrowed(result))
    }

    /// Translates the code of the peer's error to the official one.
    fn read_error(&mut self, _id: &Id, _method: &str, error: Error) -> Error {
        error
    }

    /// Translates our call to the peer's shape.
    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        Ok(TranslatedCall::unchanged(call))
    }

    /// Translates our result for a call of the peer to the peer's shape. `method` is the official name.
    fn write_result<'a>(
        &mut self,
        _id: &Id,
        _method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        Ok(Cow::Borrowed(result))
    }

    /// Translates the code of our error to the peer's.
    fn write_error(&mut self, _id: &Id, _method: &str, error: Error) -> Error {
        error
    }

    /// Remembers the working directory of a session that the program has stored.
    fn remember_session(&mut self, _session: &str, _cwd: &str) {}
}

/// Translates the messages of one connection call by call. Pass each message through it once, in the order in which it
/// is received or sent. For whole JSON-RPC messages, use [`translator_for`](crate::translator_for) instead.
///
/// Translate the response to a call from [`read_call`](Self::read_call) with one
/// [`write_result`](Self::write_result) or [`write_error`](Self::write_error), even if `read_call` or `write_result`
/// has failed. Translate the response to a call from [`write_call`](Self::write_call) with one
/// [`read_result`](Self::read_result) or [`read_error`](Self::read_error). Pass the id of the call, because some
/// responses can only be translated with data from their call. The translator remembers the latest 1024 pending calls
/// of each side; responses to other calls are translated without that data.
///
/// ```
/// use attache_rpc::{Id, Message};
/// use attache_dialect::{Call, CallTranslator, Dialect, Role, TranslatedCall};
///
/// let mut translator = CallTranslator::new(Dialect::Pharo, Role::Agent);
/// let update = r#"{"sessionId":"s","update":{"type":"current_mode_update","modeId":"code"}}"#;
/// let translated = translator.read_call(Call::notification("session/update", Some(update)))?;
/// let TranslatedCall::Call { params: Some(params), .. } = translated else {
///     panic!("an update is one call");
/// };
/// assert_eq!(
///     params,
///     r#"{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"code"}}"#
/// );
///
/// let id = Id::from(7);
/// let release = r#"{"sessionId":"s","terminalId":"t"}"#;
/// translator.read_call(Call::request(&id, "terminal/release", Some(release)))?;
/// let result = translator.write_result(&id, "terminal/release", "{}")?;
///
/// // The result is JSON already, so it is written by its message.
/// let mut line = String::new();
/// Message::Response { id, result: &result }.write(&mut line);
/// assert_eq!(line, r#"{"jsonrpc":"2.0","id":7,"result":null}"#);
/// # Ok::<(), attache_rpc::Error>(())
/// ```
pub struct CallTranslator {
    dialect: Dialect,
    translation: Box<dyn TranslateCalls>,
}

impl CallTranslator {
    /// Creates a translator for a connection to a peer with this dialect and role.
    pub fn new(dialect: Dialect, peer: Role) -> Self {
        let translation: Box<dyn TranslateCalls> = match dialect {
            Dialect::Official => Box::new(legacy::Legacy::default()),
            Dialect::Bridge => Box::new(bridge::Bridge::default()),
            Dialect::Draft => Box::new(draft::Draft::new(peer)),
            Dialect::Pharo => Box::new(pharo::Pharo::default()),
        };
        CallTranslator {
            dialect,
            translation,
        }
    }

    /// Dialect of the peer.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Tells the translator the working directory of a session that the program has stored. In some dialects
    /// `session/load` does not contain the directory and fails if the translator does not know it. The latest 1024
    /// sessions are remembered.
    pub fn remember_session(&mut self, session: &SessionId, cwd: &FilePath) {
        let (session, cwd) = (session.as_str(), cwd.as_str());
        self.translation.remember_session(session, cwd);
    }
}

/// Messages received from the peer.
impl CallTranslator {
    /// Translates a call from the peer to official JSON. Respond to the call with the error, if there is one.
    pub fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        self.translation.read_call(call)
    }

    /// Translates the peer's result for our call to official JSON. `method` is the official name.
    pub fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        self.translation.read_result(id, method, result)
    }

    /// Translates the code of the peer's error for our call to the official one.
    pub fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.translation.read_error(id, method, error)
    }
}

/// Messages sent to the peer.
impl CallTranslator {
    /// Translates our call to the peer's shape. On an error, send nothing.
    pub fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        self.translation.write_call(call)
    }

    /// Translates our result for a call of the peer to the peer's shape. `method` is the official name. On an error,
    /// respond with the error instead.
    pub fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        self.translation.write_result(id, method, result)
    }

    /// Translates the code of our error for a call of the peer to the peer's.
    pub fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.translation.write_error(id, method, error)
    }
}

impl fmt::Debug for CallTranslator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTranslator")
            .field("dialect", &self.dialect)
            .finish_non_exhaustive()
    }
}

impl<'a> TranslatedCall<'a> {
    pub(crate) fn unchanged(call: Call<'a>) -> Self {
        TranslatedCall::Call {
            method: Cow::Borrowed(call.method),
            params: call.params.map(Cow::Borrowed),
        }
    }
}
