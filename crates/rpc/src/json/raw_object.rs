//! An object kept as the text it came in.

use std::fmt;

use super::{Decode, DecodeError, Encode, Members, Object, Problem, Raw, Reader, ValueKind};

/// A [`Raw`] value that is an object.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawObject(Raw);

impl RawObject {
    /// An object without members.
    pub fn new() -> Self {
        RawObject(Raw::of(&Object::default()))
    }

    /// The object's JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// A member's value.
    pub fn get(&self, name: &str) -> Option<Raw> {
        let object = Object::parse(self.as_str()).ok()?;
        object.get(name).and_then(|json| Raw::parse(json).ok())
    }

    /// The same object with one more member, or another value for it.
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<Raw>) -> Self {
        match Object::parse(self.as_str()) {
            Ok(mut object) => {
                object.put(name, &value.into());
                RawObject(Raw::of(&object))
            }
            Err(_) => self,
        }
    }
}

impl RawObject {
    /// The object without the members of the given names.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        RawObject(self.0.without(names))
    }
}

impl fmt::Debug for RawObject {
    /// Not the members: extension data may hold keys, and messages are printed to logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} bytes, not shown)", self.as_str().len())
    }
}

impl Members for RawObject {
    fn members(&self, out: &mut String) {
        self.0.members(out);
    }
}

impl Default for RawObject {
    fn default() -> Self {
        RawObject::new()
    }
}

impl Decode for RawObject {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.kind()? {
            ValueKind::Object => Raw::decode(reader).map(RawObject),
            found => Err(reader.error(Problem::Expected("an object", found))),
        }
    }
}

impl Encode for RawObject {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for RawObject {
    fn from(members: serde_json::Map<String, serde_json::Value>) -> Self {
        RawObject(Raw::from(serde_json::Value::Object(members)))
    }
}
