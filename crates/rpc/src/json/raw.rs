//! JSON kept as the text it came in.

use std::fmt;

use super::{Decode, DecodeError, Encode, Members, Object, Reader, write};

/// A JSON value as text, checked to be JSON and free of line breaks.
///
/// What a peer sends and nobody here understands is kept in this form and written back unchanged: numbers keep all
/// their digits, objects the order of their members.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Box<str>);

impl Raw {
    /// Checks that a text is one JSON value and keeps it.
    pub fn parse(text: &str) -> Result<Self, DecodeError> {
        super::from_str(text)
    }

    /// The JSON text of a value.
    pub fn of<T: Encode + ?Sized>(value: &T) -> Self {
        Raw(super::to_string(value).into_boxed_str())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the text as a value of another type.
    pub fn read<T: Decode>(&self) -> Result<T, DecodeError> {
        super::from_str(&self.0)
    }

    /// A string member of the object, `None` if this is no object or has no such member.
    pub fn string_member(&self, name: &'static str) -> Option<String> {
        let tag = Reader::new(&self.0).tag(name);
        tag.ok().flatten().map(String::from)
    }

    /// The object without the members of the given names; any other value as it is.
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

    /// Keeps a text that a reader has just stepped over.
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
    /// A value that is no object has none.
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
    /// Not the text: what nobody understands may hold keys, and messages are printed to logs.
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
