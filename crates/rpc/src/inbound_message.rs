//! A received line with its envelope read and its payload located. The line is kept whole and is not copied, so it can
//! be relayed unchanged.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use crate::json::{self, Encode, Object, write};
use crate::{Error, Id, Limits, Malformed, Message, SessionKey};

/// A received message. Its payload has been located but not decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundMessage {
    /// A request, which needs a response.
    Request(Id, Call),
    /// A notification, which has no response.
    Notification(Call),
    /// The response to a call.
    Response(Id, Result<Payload, Error>),
    /// A line that is not a valid message.
    Malformed(Malformed),
}

impl InboundMessage {
    /// Reads a line. A line that is not a message becomes [`InboundMessage::Malformed`].
    pub fn read(line: Bytes, limits: &Limits) -> Self {
        let line = match ByteString::try_from(line.clone()) {
            Ok(line) => line,
            Err(error) => {
                let malformed = Malformed::not_utf8(&line, error.valid_up_to(), limits);
                return InboundMessage::Malformed(malformed);
            }
        };
        match Message::parse_within(&line, limits) {
            Ok(Message::Request { id, method, params }) => {
                let (method, params) = (
                    MethodName::of(&line, method),
                    params.map(|p| range(&line, p)),
                );
                InboundMessage::Request(
                    id,
                    Call {
                        line,
                        method,
                        params,
                        session: None,
                    },
                )
            }
            Ok(Message::Notification { method, params }) => {
                let (method, params) = (
                    MethodName::of(&line, method),
                    params.map(|p| range(&line, p)),
                );
                InboundMessage::Notification(Call {
                    line,
                    method,
                    params,
                    session: None,
                })
            }
            Ok(Message::Response { id, result }) => {
                let at = range(&line, result);
                InboundMessage::Response(id, Ok(Payload { line, at }))
            }
            Ok(Message::Failure { id, error }) => InboundMessage::Response(id, Err(error)),
            Err(malformed) => InboundMessage::Malformed(malformed),
        }
    }
}

/// A received request or notification.
#[derive(Clone, PartialEq, Eq)]
pub struct Call {
    line: ByteString,
    method: MethodName,
    params: Option<Range<usize>>,
    session: Option<SessionKey>,
}

impl Call {
    /// The name of the method.
    pub fn method(&self) -> &str {
        match &self.method {
            MethodName::InLine(at) => &self.line[at.clone()],
            MethodName::Escaped(name) => name,
        }
    }

    /// The parameters as JSON text, or `None` if the call has none.
    pub fn params(&self) -> Option<&str> {
        self.params.clone().map(|at| &self.line[at])
    }

    /// The parameters as a [`Payload`] that can outlive the call, or `None` if the call has none.
    pub fn payload(&self) -> Option<Payload> {
        let at = self.params.clone()?;
        let line = self.line.clone();
        Some(Payload { line, at })
    }

    /// The line with other parameters, and with everything else as it is.
    pub fn with_params(&self, params: &str) -> ByteString {
        match &self.params {
            Some(at) => replaced(&self.line, at, params),
            None => match Object::parse(&self.line) {
                Ok(mut message) => {
                    message.set("params", params);
                    ByteString::from(json::to_string(&message) + "\n")
                }
                Err(_) => self.line.clone(),
            },
        }
    }

    /// The session that the call belongs to, if [`set_session`](Self::set_session) was called.
    pub fn session(&self) -> Option<SessionKey> {
        self.session
    }

    /// Stores the session that the call belongs to, so that later readers need not look for it in the params.
    pub fn set_session(&mut self, session: SessionKey) {
        self.session = Some(session);
    }

    /// The whole line, including its line break if it has one.
    pub fn line(&self) -> &ByteString {
        &self.line
    }

    /// The number of bytes that the call keeps in memory.
    pub fn size(&self) -> usize {
        self.line.len()
    }

    /// Copies the line, so that it no longer keeps the buffer alive that it was read into.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.line = ByteString::from(&*self.line);
        self
    }
}

/// The params or the result of a received message, as JSON text.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    line: ByteString,
    at: Range<usize>,
}

impl Payload {
    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.line[self.at.clone()]
    }

    /// The whole line, including its line break if it has one.
    pub fn line(&self) -> &ByteString {
        &self.line
    }

    /// The line with another JSON text at the place of this one.
    pub fn with_text(&self, json: &str) -> ByteString {
        replaced(&self.line, &self.at, json)
    }

    /// The number of bytes that the payload keeps in memory: its whole line.
    pub fn size(&self) -> usize {
        self.line.len()
    }

    /// Copies the line, so that it no longer keeps the buffer alive that it was read into.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.line = ByteString::from(&*self.line);
        self
    }
}

/// Writes the JSON text unchanged.
impl Encode for Payload {
    fn encode(&self, out: &mut String) {
        write::raw(out, self.as_str());
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MethodName {
    InLine(Range<usize>),
    Escaped(Box<str>),
}

impl MethodName {
    fn of(line: &str, name: Cow<'_, str>) -> Self {
        match name {
            Cow::Borrowed(name) => MethodName::InLine(range(line, name)),
            Cow::Owned(name) => MethodName::Escaped(name.into_boxed_str()),
        }
    }
}

fn replaced(line: &str, at: &Range<usize>, json: &str) -> ByteString {
    let mut out = String::with_capacity(line.len() - at.len() + json.len());
    out.push_str(&line[..at.start]);
    out.push_str(json);
    out.push_str(&line[at.end..]);
    out.into()
}

/// The position of `part` within `whole`. A `null` that was filled in for a missing value has the empty range.
fn range(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    if start > whole.len() {
        return 0..0;
    }
    start..start + part.len()
}

/// Prints the method and the size only: messages may contain secrets, and debug output goes to logs.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} bytes",
            self.method().escape_debug(),
            self.line.len()
        )
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.at.len())
    }
}
