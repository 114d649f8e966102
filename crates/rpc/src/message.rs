//! The envelope: one scan of a line finds the method, the id, and where the payload lies.

use std::borrow::Cow;

use crate::json::{self, Decode as _, Encode, Problem, Reader, ValueKind, write};
use crate::{Error, Id, Limits, repair};

/// A JSON-RPC message whose payload has been found but not yet looked into.
///
/// ```
/// use attache_rpc::Message;
///
/// let line = br#"{"jsonrpc":"2.0","id":7,"method":"sum","params":[1,2]}"#;
/// let Ok(Message::Request { id, method, params }) = Message::parse(line) else {
///     panic!("it is a request");
/// };
/// assert_eq!((method.as_ref(), params), ("sum", Some("[1,2]")));
///
/// let mut out = String::new();
/// Message::Response { id, result: "3" }.write(&mut out);
/// assert_eq!(out, r#"{"jsonrpc":"2.0","id":7,"result":3}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'a> {
    /// A call that wants an answer.
    Request {
        /// The caller's id, for the answer.
        id: Id,
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters' text: an object or an array.
        params: Option<&'a str>,
    },
    /// A call that wants none.
    Notification {
        /// The method's name.
        method: Cow<'a, str>,
        /// The parameters' text: an object or an array.
        params: Option<&'a str>,
    },
    /// The answer to a request that went well.
    Response {
        /// The request's id.
        id: Id,
        /// The result's text.
        result: &'a str,
    },
    /// The answer to a request that failed.
    Failure {
        /// The request's id.
        id: Id,
        /// What went wrong.
        error: Error,
    },
}

/// A text that is no JSON-RPC message, and the answer it deserves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The id to answer with, where it could be read.
    pub id: Option<Id>,
    /// The code to answer with.
    pub code: i32,
    /// What is wrong, without a word of the input.
    pub reason: String,
    /// What it would have been, which decides whether it is answered.
    pub probable_kind: ProbableKind,
}

/// What a text that is no message would have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbableKind {
    /// A call that wants an answer, or nothing that can be told: it is answered, for somebody may wait.
    Request,
    /// A call that wants none.
    Notification,
    /// An answer.
    Response,
}

impl<'a> Message<'a> {
    /// Reads one message from bytes that hold nothing else. A blank line is no message: skipping those is left to
    /// whoever splits the lines.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Message::parse_str(text),
            Err(error) => Err(Malformed::not_utf8(
                bytes,
                error.valid_up_to(),
                &Limits::default(),
            )),
        }
    }

    /// Reads one message from a text that holds nothing else, and no blank line either.
    pub fn parse_str(text: &'a str) -> Result<Self, Malformed> {
        Message::parse_within(text, &Limits::default())
    }

    /// Reads one message from a text that holds nothing else, within limits of one's own.
    pub fn parse_within(text: &'a str, limits: &Limits) -> Result<Self, Malformed> {
        let mut envelope = Envelope::default();
        match envelope.read(text, limits) {
            Ok(()) => envelope.into_message(),
            Err(error) => Err(Malformed::no_object(text, limits, &error)),
        }
    }

    /// Appends the message as one line, without the line break.
    pub fn write(&self, out: &mut String) {
        match self {
            Message::Request { id, method, params } => {
                write_call(out, Some(id), method, params.map(JsonText).as_ref());
            }
            Message::Notification { method, params } => {
                write_call(out, None::<&Id>, method, params.map(JsonText).as_ref());
            }
            Message::Response { id, result } => write_response(out, id, &JsonText(result)),
            Message::Failure { id, error } => write_failure(out, id, error),
        }
    }
}

/// Appends a request, without a line break. A `String` is written as a JSON string: parameters that are JSON text
/// already are written as [`Raw`](json::Raw), or with [`Message::write`].
///
/// ```
/// use attache_rpc::json::Raw;
/// use attache_rpc::{Id, write_request};
///
/// let mut out = String::new();
/// write_request(&mut out, &Id::from(1), "sum", &Raw::parse("[1,2]")?);
/// assert_eq!(out, r#"{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}"#);
/// # Ok::<(), attache_rpc::json::DecodeError>(())
/// ```
pub fn write_request<T: Encode>(out: &mut String, id: &Id, method: &str, params: &T) {
    write_call(out, Some(id), method, Some(params));
}

/// Appends a notification, without a line break. For parameters that are JSON text already see [`write_request`].
pub fn write_notification<T: Encode>(out: &mut String, method: &str, params: &T) {
    write_call(out, None::<&Id>, method, Some(params));
}

/// Appends the answer to a request that went well, without a line break. A `String` is written as a JSON string: a
/// result that is JSON text already is written as [`Raw`](json::Raw), or with [`Message::write`].
///
/// ```
/// use attache_rpc::{Id, Message, write_response};
///
/// let (mut value, mut text) = (String::new(), String::new());
/// write_response(&mut value, &Id::from(1), &"{}".to_owned());
/// assert_eq!(value, r#"{"jsonrpc":"2.0","id":1,"result":"{}"}"#);
///
/// Message::Response { id: Id::from(1), result: "{}" }.write(&mut text);
/// assert_eq!(text, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// ```
pub fn write_response<T: Encode>(out: &mut String, id: &Id, result: &T) {
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    id.encode(out);
    out.push_str(",\"result\":");
    result.encode(out);
    out.push('}');
}

/// Appends the answer to a request that failed, without a line break.
pub fn write_failure(out: &mut String, id: &Id, error: &Error) {
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    id.encode(out);
    out.push_str(",\"error\":");
    error.encode(out);
    out.push('}');
}

pub(crate) fn write_call<I: Encode, T: Encode>(
    out: &mut String,
    id: Option<&I>,
    method: &str,
    params: Option<&T>,
) {
    out.push_str("{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        out.push_str(",\"id\":");
        id.encode(out);
    }
    out.push_str(",\"method\":");
    write::string(out, method);
    if let Some(params) = params {
        out.push_str(",\"params\":");
        params.encode(out);
    }
    out.push('}');
}

/// A JSON text that has been read from a message.
struct JsonText<'a>(&'a str);

impl Encode for JsonText<'_> {
    fn encode(&self, out: &mut String) {
        write::raw(out, self.0);
    }
}

impl Malformed {
    /// The id and the error to answer with; nothing where the text looks like a notification or an answer
    /// itself. The id is `null` where
    /// none could be read. The error's data names a kind, never the input.
    ///
    /// ```
    /// use attache_rpc::{Message, write_failure};
    ///
    /// let malformed = Message::parse(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":8}").unwrap_err();
    /// let (id, error) = malformed.error_response().unwrap();
    /// let mut out = String::new();
    /// write_failure(&mut out, &id, &error);
    /// assert_eq!(
    ///     out,
    ///     r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: method: expected a string","data":{"kind":"not_a_message"}}}"#
    /// );
    /// ```
    pub fn error_response(&self) -> Option<(Id, Error)> {
        if self.probable_kind != ProbableKind::Request {
            return None;
        }
        let (title, kind) = match self.code {
            Error::PARSE => ("Parse error", "not_json"),
            _ => ("Invalid request", "not_a_message"),
        };
        let mut data = json::Object::default();
        data.put("kind", kind);
        let error = Error::new(self.code, format!("{title}: {}", self.reason));
        let id = self.id.clone().unwrap_or_else(Id::null);
        Some((id, error.data(json::Raw::of(&data))))
    }

    /// What can be told of a message over the limit by how it begins: the id, if the beginning shows whether it is the one
    /// of a call or of an answer.
    #[cold]
    pub fn too_long(head: &[u8], limits: &Limits) -> Self {
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
        };
        // A number at the end may go on.
        let is_of_number = |char: char| char.is_ascii_digit() || "+-.eE".contains(char);
        let text = text.trim_end_matches(is_of_number);
        let mut envelope = Envelope::default();
        // It ends in an error: the text does not go on.
        envelope.read(text, limits).ok();
        let is_call = envelope.method.is_some() || envelope.params.is_some();
        let is_answer = envelope.result.is_some() || envelope.error.is_some();
        let id = envelope.id.and_then(Result::ok);
        Malformed {
            id: id.filter(|_| is_call != is_answer),
            code: Error::INVALID_REQUEST,
            reason: "the message is longer than the limit".to_owned(),
            probable_kind: match is_answer && !is_call {
                true => ProbableKind::Response,
                false => ProbableKind::Request,
            },
        }
    }

    #[cold]
    pub(crate) fn not_utf8(bytes: &[u8], valid_up_to: usize, limits: &Limits) -> Self {
        let error = json::DecodeError::new(Problem::NotUtf8, valid_up_to);
        Malformed::unread(Error::PARSE, &error).recognised(bytes, limits)
    }

    /// A value of another type is JSON and no request. Its first byte does not tell: `nonsense` starts like `null`.
    #[cold]
    fn no_object(text: &str, limits: &Limits, error: &json::DecodeError) -> Self {
        let mut reader = Reader::within(text, limits.depth);
        match reader.skip().and_then(|_| reader.end()) {
            Ok(()) => Malformed::unread(Error::INVALID_REQUEST, error),
            Err(syntax) => {
                let malformed = Malformed::unread(Error::PARSE, &syntax);
                malformed.recognised(text.as_bytes(), limits)
            }
        }
    }

    /// The same with the id and the sort of a message in which nothing is wrong but some characters: somebody waits for
    /// its answer, or we do.
    fn recognised(mut self, bytes: &[u8], limits: &Limits) -> Self {
        // What is no object anyway is not copied to be repaired.
        let object = bytes.trim_ascii();
        if !object.starts_with(b"{") || !object.ends_with(b"}") {
            return self;
        }
        let text = repair::replace_invalid(bytes);
        let mut envelope = Envelope::default();
        if envelope.read(&text, limits).is_ok() {
            let Malformed {
                id, probable_kind, ..
            } = envelope.malformed("");
            // Without an id nobody waits, and the line is answered like any other that is no JSON. An id that was repaired is
            // not the one that somebody waits with.
            let is_repaired = |id: &Id| id.as_str().contains(['\u{fffd}', '\\']);
            if id.as_ref().is_some_and(|id| !is_repaired(id)) {
                (self.id, self.probable_kind) = (id, probable_kind);
            }
        }
        self
    }

    #[cold]
    fn unread(code: i32, error: &json::DecodeError) -> Self {
        Malformed {
            id: None,
            code,
            reason: error.to_string(),
            probable_kind: ProbableKind::Request,
        }
    }
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.reason, self.code)
    }
}

impl std::error::Error for Malformed {}

/// The members of a message as they are found.
#[derive(Default)]
struct Envelope<'a> {
    version: Option<bool>,
    id: Option<Result<Id, ()>>,
    method: Option<Option<Cow<'a, str>>>,
    params: Option<(ValueKind, &'a str)>,
    result: Option<&'a str>,
    error: Option<Result<Error, ()>>,
    /// `"error":null` stood there, which says that there is none.
    no_error: bool,
    repeated: bool,
}

impl<'a> Envelope<'a> {
    fn read(&mut self, text: &'a str, limits: &Limits) -> Result<(), json::DecodeError> {
        let mut reader = Reader::within(text, limits.depth);
        let mut more = reader.open_object()?;
        while more {
            let repeated = match reader.key()? {
                "jsonrpc" => {
                    let version = part(&mut reader, Reader::string)?;
                    self.version
                        .replace(version.as_deref() == Ok("2.0"))
                        .is_some()
                }
                "id" => {
                    let id = part(&mut reader, Id::decode)?.and_then(|id| short(id, limits.id));
                    // Two ids are none: whoever is answered by the one may wait for the other.
                    let id = if self.id.is_some() { Err(()) } else { id };
                    self.id.replace(id).is_some()
                }
                "method" => {
                    let method = part(&mut reader, Reader::string)?.ok();
                    self.method.replace(method).is_some()
                }
                "params" => {
                    // Marked first: a text that ends in the middle of it still tells what it is.
                    let kind = reader.kind()?;
                    let repeated = self.params.replace((kind, "")).is_some();
                    self.params = Some((kind, reader.skip()?));
                    repeated
                }
                "result" => {
                    let repeated = self.result.replace("").is_some();
                    self.result = Some(reader.skip()?);
                    repeated
                }
                "error" => {
                    let null = reader.kind()? == ValueKind::Null;
                    let before = self.error.replace(Err(()));
                    let error = part(&mut reader, Error::decode)?;
                    let repeated = before.is_some() || self.no_error;
                    self.no_error = null;
                    self.error = if null { before } else { Some(error) };
                    repeated
                }
                _ => {
                    reader.skip()?;
                    false
                }
            };
            self.repeated |= repeated;
            more = reader.more_members()?;
        }
        reader.end()
    }

    fn into_message(mut self) -> Result<Message<'a>, Malformed> {
        if let Some(reason) = self.fault() {
            return Err(self.malformed(reason));
        }
        let params = match self.params {
            None | Some((ValueKind::Null, _)) => None,
            Some((_, text)) => Some(text),
        };
        let id = self.id.take().and_then(Result::ok);
        match (self.method.flatten(), id) {
            (Some(method), Some(id)) => Ok(Message::Request { id, method, params }),
            (Some(method), None) => Ok(Message::Notification { method, params }),
            (None, id) => {
                let id = id.unwrap_or_else(Id::null);
                match self.error {
                    Some(Ok(error)) => Ok(Message::Failure { id, error }),
                    _ => Ok(Message::Response {
                        id,
                        result: self.result.unwrap_or("null"),
                    }),
                }
            }
        }
    }

    /// Why this is no message, if it is none.
    fn fault(&self) -> Option<&'static str> {
        if self.repeated {
            return Some("a member of the message occurs twice");
        }
        if self.version != Some(true) {
            return Some("jsonrpc: expected \"2.0\"");
        }
        if matches!(self.id, Some(Err(()))) {
            return Some("id: expected a number, a string or null, not too long");
        }
        let answer = self.result.is_some() || self.error.is_some();
        match &self.method {
            Some(None) => Some("method: expected a string"),
            Some(Some(_)) if answer => Some("a message is either a call or an answer"),
            Some(Some(_)) => match self.params {
                Some((ValueKind::Boolean | ValueKind::Number | ValueKind::String, _)) => {
                    Some("params: expected an object or an array")
                }
                _ => None,
            },
            None if self.id.is_none() => Some("neither method nor id"),
            None if self.error.is_some() && self.result.is_some_and(|text| text != "null") => {
                Some("an answer has either a result or an error")
            }
            None if !answer => Some("neither method, result nor error"),
            None if matches!(self.error, Some(Err(()))) => Some("error: expected an object"),
            None => None,
        }
    }

    #[cold]
    fn malformed(self, reason: &str) -> Malformed {
        let answer = self.result.is_some() || self.error.is_some();
        // Nothing but an id: an answer without its result, since a call would have shown more.
        let bare = self.id.is_some() && self.params.is_none();
        let probable_kind = match self.method {
            None if answer || bare || self.no_error => ProbableKind::Response,
            Some(Some(_)) if self.id.is_none() && !answer => ProbableKind::Notification,
            _ => ProbableKind::Request,
        };
        Malformed {
            id: self.id.and_then(Result::ok),
            code: Error::INVALID_REQUEST,
            reason: reason.to_owned(),
            probable_kind,
        }
    }
}

/// Reads a part of the envelope; a value of another type is stepped over, so that the rest can still be read.
fn part<'a, T>(
    reader: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, json::DecodeError>,
) -> Result<Result<T, ()>, json::DecodeError> {
    let mark = reader.mark();
    match read(reader) {
        Ok(value) => Ok(Ok(value)),
        Err(_) => {
            reader.reset(mark);
            reader.skip()?;
            Ok(Err(()))
        }
    }
}

/// An id that can be kept until its answer: a peer chooses the length, and every answer repeats it.
fn short(id: Id, limit: usize) -> Result<Id, ()> {
    let quotes = if id.as_str().starts_with('"') { 2 } else { 0 };
    if id.as_str().len() > limit.saturating_add(quotes) {
        return Err(());
    }
    Ok(id)
}
