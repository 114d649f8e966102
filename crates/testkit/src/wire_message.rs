//! Messages on the wire, and their form in a script.

use attache_rpc::json::{Object, write};
use attache_rpc::{Id, Message};

use crate::Side;

/// A parsed line of the wire. Params, results and errors are JSON text.
#[derive(Debug, Clone, PartialEq)]
pub enum WireMessage {
    /// A request: its id, method and params.
    Request(Id, String, Option<String>),
    /// A notification: its method and params.
    Notification(String, Option<String>),
    /// A response with a result.
    Response(Id, String),
    /// A response with an error.
    Failure(Id, String),
    /// Any other line: not a message, or one with unknown members in its envelope.
    Raw(String),
    /// The end of the connection.
    Closed,
}

/// The kind of a line in a script, which its arrow shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Request,
    Notification,
    Response,
    Failure,
    Raw,
    Close,
}

impl WireMessage {
    /// Parses a line, with or without its line break.
    pub fn read(line: &[u8]) -> Self {
        let line = line.trim_ascii_end();
        let text = String::from_utf8_lossy(line);
        let parsed = Message::parse(line).ok().zip(Object::parse(&text).ok());
        let strict = parsed.filter(|(_, envelope)| {
            let known = |name| ENVELOPE.contains(&name);
            let one = !(envelope.has("result") && envelope.has("error"));
            one && envelope.iter().all(|(name, _)| known(name))
        });
        let Some((message, envelope)) = strict else {
            return WireMessage::Raw(text.into_owned());
        };
        let part = |name| envelope.get(name).map(str::to_owned);
        match message {
            Message::Request { id, method, .. } => {
                WireMessage::Request(id, method.into_owned(), part("params"))
            }
            Message::Notification { method, .. } => {
                WireMessage::Notification(method.into_owned(), part("params"))
            }
            Message::Response { id, .. } => {
                WireMessage::Response(id, part("result").unwrap_or_default())
            }
            Message::Failure { id, .. } => {
                WireMessage::Failure(id, part("error").unwrap_or_default())
            }
        }
    }

    pub(crate) fn kind(&self) -> LineKind {
        match self {
            WireMessage::Request(..) => LineKind::Request,
            WireMessage::Notification(..) => LineKind::Notification,
            WireMessage::Response(..) => LineKind::Response,
            WireMessage::Failure(..) => LineKind::Failure,
            WireMessage::Raw(_) => LineKind::Raw,
            WireMessage::Closed => LineKind::Close,
        }
    }

    /// Writes the message as a line of a script, without a label.
    pub(crate) fn show(&self, from: Side) -> String {
        let mut out = self.kind().arrow(from).to_owned();
        match self {
            WireMessage::Request(_, method, params) | WireMessage::Notification(method, params) => {
                out.push(' ');
                write_method(&mut out, method);
                if let Some(params) = params {
                    out.push(' ');
                    out.push_str(params);
                }
            }
            WireMessage::Response(_, text)
            | WireMessage::Failure(_, text)
            | WireMessage::Raw(text) => {
                out.push(' ');
                out.push_str(text);
            }
            WireMessage::Closed => {}
        }
        out
    }
}

impl LineKind {
    pub(crate) const ALL: [LineKind; 6] = [
        LineKind::Request,
        LineKind::Notification,
        LineKind::Response,
        LineKind::Failure,
        LineKind::Raw,
        LineKind::Close,
    ];

    pub(crate) fn arrow(self, from: Side) -> &'static str {
        match (from, self) {
            (Side::Client, LineKind::Request) => "->",
            (Side::Client, LineKind::Notification) => ".>",
            (Side::Client, LineKind::Response) => "=>",
            (Side::Client, LineKind::Failure) => "!>",
            (Side::Client, LineKind::Raw) => "~>",
            (Side::Client, LineKind::Close) => "|>",
            (Side::Agent, LineKind::Request) => "<-",
            (Side::Agent, LineKind::Notification) => "<.",
            (Side::Agent, LineKind::Response) => "<=",
            (Side::Agent, LineKind::Failure) => "<!",
            (Side::Agent, LineKind::Raw) => "<~",
            (Side::Agent, LineKind::Close) => "<|",
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            LineKind::Request => "a request",
            LineKind::Notification => "a notification",
            LineKind::Response => "a response with a result",
            LineKind::Failure => "a response with an error",
            LineKind::Raw => "a line that is not a message",
            LineKind::Close => "the end of the connection",
        }
    }
}

/// Writes the name of a method, in quotes if it could be read as something else.
pub(crate) fn write_method(out: &mut String, method: &str) {
    if !method.is_empty() && method.chars().all(in_method) {
        out.push_str(method);
    } else {
        write::string(out, method);
    }
}

pub(crate) fn in_method(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_$/.-:".contains(character)
}

const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
