//! What a line on the wire says, and how a script writes it.

use attache_rpc::json::{Object, write};
use attache_rpc::{Id, Message};

use crate::Side;

/// A line as it was read from the wire, taken apart. Params, results and errors are JSON text.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// A request: its id, method and params.
    Request(Id, String, Option<String>),
    /// A notification: its method and params.
    Notification(String, Option<String>),
    /// A response with a result.
    Answer(Id, String),
    /// A response with an error.
    Refusal(Id, String),
    /// Anything else: no message, or one with members that the envelope does not have.
    Raw(String),
    /// The end of the connection.
    Closed,
}

/// The tail of an arrow, which tells what sort of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    Request,
    Notification,
    Answer,
    Refusal,
    Raw,
    Close,
}

impl Heard {
    /// Reads a line, with or without its line break.
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
            return Heard::Raw(text.into_owned());
        };
        let part = |name| envelope.get(name).map(str::to_owned);
        match message {
            Message::Request { id, method, .. } => {
                Heard::Request(id, method.into_owned(), part("params"))
            }
            Message::Notification { method, .. } => {
                Heard::Notification(method.into_owned(), part("params"))
            }
            Message::Response { id, .. } => Heard::Answer(id, part("result").unwrap_or_default()),
            Message::Failure { id, .. } => Heard::Refusal(id, part("error").unwrap_or_default()),
        }
    }

    pub(crate) fn tail(&self) -> Tail {
        match self {
            Heard::Request(..) => Tail::Request,
            Heard::Notification(..) => Tail::Notification,
            Heard::Answer(..) => Tail::Answer,
            Heard::Refusal(..) => Tail::Refusal,
            Heard::Raw(_) => Tail::Raw,
            Heard::Closed => Tail::Close,
        }
    }

    /// As a line of a script, without labels.
    pub(crate) fn show(&self, from: Side) -> String {
        let mut out = self.tail().arrow(from).to_owned();
        match self {
            Heard::Request(_, method, params) | Heard::Notification(method, params) => {
                out.push(' ');
                write_method(&mut out, method);
                if let Some(params) = params {
                    out.push(' ');
                    out.push_str(params);
                }
            }
            Heard::Answer(_, text) | Heard::Refusal(_, text) | Heard::Raw(text) => {
                out.push(' ');
                out.push_str(text);
            }
            Heard::Closed => {}
        }
        out
    }
}

impl Tail {
    pub(crate) const ALL: [Tail; 6] = [
        Tail::Request,
        Tail::Notification,
        Tail::Answer,
        Tail::Refusal,
        Tail::Raw,
        Tail::Close,
    ];

    pub(crate) fn arrow(self, from: Side) -> &'static str {
        match (from, self) {
            (Side::Client, Tail::Request) => "->",
            (Side::Client, Tail::Notification) => ".>",
            (Side::Client, Tail::Answer) => "=>",
            (Side::Client, Tail::Refusal) => "!>",
            (Side::Client, Tail::Raw) => "~>",
            (Side::Client, Tail::Close) => "|>",
            (Side::Agent, Tail::Request) => "<-",
            (Side::Agent, Tail::Notification) => "<.",
            (Side::Agent, Tail::Answer) => "<=",
            (Side::Agent, Tail::Refusal) => "<!",
            (Side::Agent, Tail::Raw) => "<~",
            (Side::Agent, Tail::Close) => "<|",
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Tail::Request => "a request",
            Tail::Notification => "a notification",
            Tail::Answer => "a response with a result",
            Tail::Refusal => "a response with an error",
            Tail::Raw => "a line that is not a message",
            Tail::Close => "the end of the connection",
        }
    }
}

/// A method's name, between quotes if it could be taken for something else.
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
