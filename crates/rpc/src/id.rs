//! Request ids.

use std::fmt;

use crate::json::{Decode, Encode, Error, Kind, Problem, Raw, Reader};

/// A request's id, kept as the bytes it came in: `1`, `1.0` and `"1"` are three ids, and an answer carries the very
/// text of its question.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Raw);

impl Id {
    /// The id `null`, which stands for a request whose id could not be read.
    pub fn null() -> Self {
        Id(Raw::of(&None::<u64>))
    }

    /// The id as JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the id is `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }
}

impl Decode for Id {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        match reader.kind()? {
            Kind::Null | Kind::Number | Kind::String => Raw::decode(reader).map(Id),
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
        Id(Raw::of(&number))
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Id(Raw::of(text))
    }
}
