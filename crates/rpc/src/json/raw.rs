//! JSON values kept as text.

use std::fmt;

use super::{Decode, DecodeError, Encode, Members, Object, Reader, write};

/// A JSON value kept as text, which is valid JSON without line breaks.
///
/// Unknown values from a peer are kept in this form and written back unchanged: numbers keep all their digits, and
/// objects keep the order of their members.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Box<str>);

impl Raw {
    /// Parses a text that is one JSON value.
    pub fn parse(text: &str) -> Result<Self, DecodeError> {
        super::from_str(text)
    }

    /// Encodes a value.
    pub fn of<T: Encode + ?Sized>(value: &T) -> Self {
        Raw(super::to_string(value).into_boxed_str())
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Decodes the value as another type.
    pub fn read<T: Decode>(&self) -> Result<T, DecodeError> {
        super::from_str(&self.0)
    }

    /// The string member with this name, or `None` if the value is not an object or has no such member.
    pub fn string_member(&self, name: &'static str) -> Option<String> {
        let tag = Reader::new(&self.0).tag(name);
        tag.ok().flatten().map(String::from)
    }

    /// Returns the object without the members with these names. Any other value is returned unchanged.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        let Ok(mut object) = Object::parse(&self.0) else {
            return self.clone();
        };
        for name in names {
            object.take(name);
        }
        Raw::of(&object)
    }

    /// Keeps a text that is known to be valid JSON without line breaks.
    pub(super) fn of_valid(text: String) -> Self {
        Raw(text.into_boxed_str())
    }

    /// Keeps a text that a reader has just skipped and thereby checked.
    fn of_checked(text: &str) -> Self {
        let mut out = String::with_capacity(text.len());
        write::raw(&mut out, text);
        Raw(out.into_boxed_str())
    }
}

impl Decode for Raw {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.skip().map(Raw::of_checked)
    }
}

impl Members for Raw {
    /// A value that is not an object has no members.
    fn members(&self, out: &mut String) {
        if let Ok(object) = Object::parse(&self.0) {
            object.members(out);
        }
    }
}

impl Encode for Raw {
    fn encode(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl fmt::Debug for Raw {
    /// Prints the type and the size only: unknown values may contain secrets, and debug output goes to logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Reader::new(&self.0).kind() {
            Ok(kind) => write!(f, "({kind}, {} bytes, not shown)", self.0.len()),
            Err(_) => write!(f, "({} bytes, not shown)", self.0.len()),
        }
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        Raw(value.to_string().into_boxed_str())
    }
}
