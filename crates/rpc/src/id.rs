//! Request ids.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::json::{Decode, DecodeError, Encode, Problem, Raw, Reader, ValueKind};

/// A request's id, kept as the bytes it came in: an answer carries the very text of its question.
///
/// Numbers are compared as text, so that `1`, `1.0` and `"1"` are three ids; strings by what they say, so that a peer
/// may escape them in another way. A peer may use an id again once it has been answered: the id of an
/// [`Event::Request`](crate::Event::Request) also knows which of them it belongs to, and answers no other.
#[derive(Clone)]
pub struct Id(Raw, RequestNumber);

/// Which of the requests with the same id is meant; 0 is any.
type RequestNumber = u64;

impl Id {
    /// The id `null`, which stands for a request whose id could not be read.
    pub fn null() -> Self {
        Id(Raw::of(&None::<u64>), 0)
    }

    /// The id of a call that we make.
    pub(crate) fn numbered(number: u64) -> Self {
        Id(Raw::of(&number), 0)
    }

    /// The id of the n-th request that has come in.
    pub(crate) fn with_number(self, number: u64) -> Self {
        Id(self.0, number)
    }

    /// Whether both can mean the same request, given that their texts are equal.
    pub(crate) fn may_match(&self, other: &Id) -> bool {
        self.1 == 0 || other.1 == 0 || self.1 == other.1
    }

    /// The id as JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The number, if the id is one that we have given.
    pub(crate) fn as_number(&self) -> Option<u64> {
        self.as_str().parse().ok()
    }

    /// Whether the id is `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }
}

impl Id {
    /// What the id says, which is its text unless it holds an escape.
    fn meaning(&self) -> Cow<'_, str> {
        if !self.as_str().contains('\\') {
            return Cow::Borrowed(self.as_str());
        }
        match self.0.read::<String>() {
            Ok(value) => Cow::Owned(format!("\"{value}\"")),
            Err(_) => Cow::Borrowed(self.as_str()),
        }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() || self.meaning() == other.meaning()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

impl Decode for Id {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.kind()? {
            ValueKind::Null | ValueKind::Number | ValueKind::String => {
                Raw::decode(reader).map(|raw| Id(raw, 0))
            }
            found => {
                let what = "a number, a string or null";
                Err(reader.error(Problem::Expected(what, found)))
            }
        }
    }
}

impl Encode for Id {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Id(Raw::of(&number), 0)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Id(Raw::of(text), 0)
    }
}
