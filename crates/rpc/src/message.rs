//! The JSON-RPC envelope: one scan of a line finds the method, the id and the position of the payload.

use std::borrow::Cow;

use crate::json::{self, Decode as _, Encode, Problem, Reader, ValueKind, write};
use crate::{Error, Id, Limits, repair};

/// A JSON-RPC message. The payload has been located but not decoded.
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
    /// A request, which needs a response.
    Request {
        /// The caller's id, which the response repeats.
        id: Id,
        /// The name of the method.
        method: Cow<'a, str>,
        /// The parameters' text: an object or an array.
        params: Option<&'a str>,
    },
    /// A notification, which has no response.
    Notification {
        /// The name of the method.
        method: Cow<'a, str>,
        /// The parameters' text: an object or an array.
        params: Option<&'a str>,
    },
    /// The response to a request that succeeded.
    Response {
        /// The id of the request.
        id: Id,
        /// The result as JSON text.
        result: &'a str,
    },
    /// The response to a request that failed.
    Failure {
        /// The id of the request.
        id: Id,
        /// Why the request failed.
        error: Error,
    },
}

/// A text that is not a valid JSON-RPC message, with the data for an error response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Malformed {
    /// The id of the message, if it could be read.
    pub id: Option<Id>,
    /// The error code for the response: [`Error::PARSE`] or [`Error::INVALID_REQUEST`].
    pub code: i32,
    /// Description of the problem. Never repeats the text.
    pub reason: String,
    /// The kind of message that the text seems to be. It decides whether the text gets a response.
    pub probable_kind: ProbableKind,
}

/// The kind of message that a malformed text seems to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbableKind {
    /// A request, or a text of unknown kind. It gets an error response, because the sender may be waiting.
    Request,
    /// A notification. It gets no response.
    Notification,
    /// A response. It gets no response; the call with its id fails.
    Response,
}

impl<'a> Message<'a> {
    /// Reads one message from bytes that contain nothing else. A blank line is an error; the code that splits the lines
    /// has to skip blank lines.
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

    /// Reads one message from a text that contains nothing else. A blank line is an error.
    pub fn parse_str(text: &'a str) -> Result<Self, Malformed> {
        Message::parse_within(text, &Limits::default())
    }

    /// Reads one message from a text that contains nothing else, within the given nesting and id limits.
    pub fn parse_within(text: &'a str, limits: &Limits) -> Result<Self, Malformed> {
        let mut envelope = Envelope::default();
        match envelope.read(text, limits) {
            Ok(()) => envelope.into_message(),
            Err(error) => Err(Malformed::not_an_object(text, limits, &error)),
        }
    }

    /// Appends the message to `out` as one line, without a line break at the end.
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

/// Appends a request to `out`, without a line break. A `String` is written as a JSON string; for parameters that are
/// already JSON text use [`Raw`](json::Raw) or [`Message::write`].
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

/// Appends a notification to `out`, without a line break. For parameters that are already JSON text see
/// [`write_request`].
pub fn write_notification<T: Encode>(out: &mut String, method: &str, params: &T) {
    write_call(out, None::<&Id>, method, Some(params));
}

/// Appends the response to a request that succeeded, without a line break. A `String` is written as a JSON string; for a
/// result that is already JSON text use [`Raw`](json::Raw) or [`Message::write`].
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

/// Appends the response to a request that failed, without a line break.
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

/// A JSON text that was read from a message and is written unchanged.
struct JsonText<'a>(&'a str);

impl Encode for JsonText<'_> {
    fn encode(&self, out: &mut String) {
        write::raw(out, self.0);
    }
}

impl Malformed {
    /// The id and the error of the response, or `None` if the text seems to be a notification or a response. The id is
    /// `null` if it could not be read. The error's data contains a kind and nothing of the input.
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

    /// Describes a message over the size limit by its first bytes. The id is set only if these bytes show whether the
    /// message is a request or a response.
    #[cold]
    pub fn too_long(head: &[u8], limits: &Limits) -> Self {
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
        };
        // A number at the end may be cut off.
        let is_of_number = |char: char| char.is_ascii_digit() || "+-.eE".contains(char);
        let text = text.trim_end_matches(is_of_number);
        let mut envelope = Envelope::default();
        // Always fails at the end of the text, which is cut off.
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
        Malformed::from_decode_error(Error::PARSE, &error).with_recovered_id(bytes, limits)
    }

    /// A text that is either another JSON value or not JSON at all. The first byte does not decide: `nonsense` starts
    /// like `null`.
    #[cold]
    fn not_an_object(text: &str, limits: &Limits, error: &json::DecodeError) -> Self {
        let mut reader = Reader::within(text, limits.depth);
        match reader.skip().and_then(|_| reader.end()) {
            Ok(()) => Malformed::from_decode_error(Error::INVALID_REQUEST, error),
            Err(syntax) => {
                let malformed = Malformed::from_decode_error(Error::PARSE, &syntax);
                malformed.with_recovered_id(text.as_bytes(), limits)
            }
        }
    }

    /// Adds the id and the kind if the text is a message apart from some invalid characters. Without them the sender
    /// would wait for a response, or this side would.
    fn with_recovered_id(mut self, bytes: &[u8], limits: &Limits) -> Self {
        // Only a text that could be an object is copied and repaired.
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
            // Without an id the line is answered like any other text that is not JSON. A repaired id differs from the id
            // that the sender waits for.
            let is_repaired = |id: &Id| id.as_str().contains(['\u{fffd}', '\\']);
            if id.as_ref().is_some_and(|id| !is_repaired(id)) {
                (self.id, self.probable_kind) = (id, probable_kind);
            }
        }
        self
    }

    #[cold]
    fn from_decode_error(code: i32, error: &json::DecodeError) -> Self {
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
    /// Whether `"error":null` occurred, which counts as a response without an error.
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
                    let version = read_or_skip(&mut reader, Reader::string)?;
                    self.version
                        .replace(version.as_deref() == Ok("2.0"))
                        .is_some()
                }
                "id" => {
                    let id = read_or_skip(&mut reader, Id::decode)?
                        .and_then(|id| check_id_length(id, limits.id));
                    // A message with two ids has no usable id: the sender may wait for a response with either of them.
                    let id = if self.id.is_some() { Err(()) } else { id };
                    self.id.replace(id).is_some()
                }
                "method" => {
                    let method = read_or_skip(&mut reader, Reader::string)?.ok();
                    self.method.replace(method).is_some()
                }
                "params" => {
                    // Set before the value is read: a text that ends within the params is still recognized as a call.
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
                    let error = read_or_skip(&mut reader, Error::decode)?;
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
        if let Some(reason) = self.invalid_reason() {
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

    /// Why this is not a valid message, or `None` if it is valid.
    fn invalid_reason(&self) -> Option<&'static str> {
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
            Some(Some(_)) if answer => Some("a message is either a request or a response"),
            Some(Some(_)) => match self.params {
                Some((ValueKind::Boolean | ValueKind::Number | ValueKind::String, _)) => {
                    Some("params: expected an object or an array")
                }
                _ => None,
            },
            None if self.id.is_none() => Some("neither method nor id"),
            None if self.error.is_some() && self.result.is_some_and(|text| text != "null") => {
                Some("a response has either a result or an error")
            }
            None if !answer => Some("neither method, result nor error"),
            None if matches!(self.error, Some(Err(()))) => Some("error: expected an object"),
            None => None,
        }
    }

    #[cold]
    fn malformed(self, reason: &str) -> Malformed {
        let answer = self.result.is_some() || self.error.is_some();
        // A message with only an id is a response without its result: a request would have other members.
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

/// Reads a member of the envelope. A value of another type is skipped, so that the rest can still be read.
fn read_or_skip<'a, T>(
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

/// Rejects an id over the limit: the peer chooses its length, and every response repeats the id.
fn check_id_length(id: Id, limit: usize) -> Result<Id, ()> {
    let quotes = if id.as_str().starts_with('"') { 2 } else { 0 };
    if id.as_str().len() > limit.saturating_add(quotes) {
        return Err(());
    }
    Ok(id)
}
