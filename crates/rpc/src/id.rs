//! Request ids.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::json::{Decode, DecodeError, Encode, Problem, Raw, Reader, ValueKind};

/// The id of a JSON-RPC request, kept as the text that was received: the response repeats it byte for byte.
///
/// Numbers are compared as text, so `1`, `1.0` and `"1"` are three different ids. Strings are compared after
/// unescaping, so a peer may escape them differently in its response. A peer may reuse an id after the response. The id
/// of an [`Event::Request`](crate::Event::Request) therefore also identifies the request, and
/// [`Endpoint::respond`](crate::Endpoint::respond) responds to that request only.
#[derive(Clone)]
pub struct Id(Raw, RequestNumber);

/// Distinguishes requests that use the same id one after another; 0 matches any of them.
type RequestNumber = u64;

impl Id {
    /// The id `null`, used in the response to a request whose id could not be read.
    pub fn null() -> Self {
        Id(Raw::of(&None::<u64>), 0)
    }

    /// This id, marked as the id of the n-th request received.
    pub(crate) fn with_number(self, number: u64) -> Self {
        Id(self.0, number)
    }

    /// Whether two ids with equal texts can belong to the same request.
    pub(crate) fn may_match(&self, other: &Id) -> bool {
        self.1 == 0 || other.1 == 0 || self.1 == other.1
    }

    /// The id as JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The id as a number, if this side could have created it.
    pub(crate) fn as_number(&self) -> Option<u64> {
        self.as_str().parse().ok()
    }

    /// Whether the id is `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }
}

impl Id {
    /// The id with all string escapes resolved.
    fn unescaped(&self) -> Cow<'_, str> {
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
        self.as_str() == other.as_str() || self.unescaped() == other.unescaped()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.unescaped().hash(state);
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
