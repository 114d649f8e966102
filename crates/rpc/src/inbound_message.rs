//! A line that has come in, with its envelope read and its payload found. Nothing is copied: whoever wants to pass the
//! line on has it whole.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use crate::json::{Encode, write};
use crate::{Error, Id, Limits, Malformed, Message, SessionKey};

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundMessage {
    /// A call that wants an answer.
    Request(Id, Call),
    /// A call that wants none.
    Notification(Call),
    /// The answer to a call of ours.
    Response(Id, Result<Payload, Error>),
    /// No message at all.
    Malformed(Malformed),
}

impl InboundMessage {
    /// Reads a line.
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

/// A call as it came in.
#[derive(Clone, PartialEq, Eq)]
pub struct Call {
    line: ByteString,
    method: MethodName,
    params: Option<Range<usize>>,
    session: Option<SessionKey>,
}

impl Call {
    /// The method's name.
    pub fn method(&self) -> &str {
        match &self.method {
            MethodName::InLine(at) => &self.line[at.clone()],
            MethodName::Escaped(name) => name,
        }
    }

    /// The parameters' text.
    pub fn params(&self) -> Option<&str> {
        self.params.clone().map(|at| &self.line[at])
    }

    /// The parameters, kept without the call around them.
    pub fn payload(&self) -> Option<Payload> {
        let at = self.params.clone()?;
        let line = self.line.clone();
        Some(Payload { line, at })
    }

    /// The session that the call belongs to, if whoever read the call has looked for it.
    pub fn session(&self) -> Option<SessionKey> {
        self.session
    }

    /// Notes the session that the call belongs to, so that later readers need not look for it in the parameters.
    pub fn set_session(&mut self, session: SessionKey) {
        self.session = Some(session);
    }

    /// The whole line, with its line break if it had one.
    pub fn line(&self) -> &ByteString {
        &self.line
    }

    /// The bytes that keeping the call takes up.
    pub fn size(&self) -> usize {
        self.line.len()
    }

    /// The same in memory of its own: it keeps nothing of what was read together with it.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.line = ByteString::from(&*self.line);
        self
    }
}

/// A value within a line that has come in.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    line: ByteString,
    at: Range<usize>,
}

impl Payload {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.line[self.at.clone()]
    }

    /// The bytes that keeping it takes up.
    pub fn size(&self) -> usize {
        self.line.len()
    }

    /// The same in memory of its own: it keeps nothing of what was read together with it.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.line = ByteString::from(&*self.line);
        self
    }
}

/// Written as the JSON text that it is.
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

/// Where a part lies in the text that it was cut from; `null` written by ourselves lies nowhere and is empty.
fn range(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    if start > whole.len() {
        return 0..0;
    }
    start..start + part.len()
}

/// What a peer sends may hold secrets, and values are printed to logs.
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
