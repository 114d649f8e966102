//! JSON objects kept as text.

use std::fmt;

use super::{Decode, DecodeError, Encode, Members, Object, Problem, Raw, Reader, ValueKind};

/// A JSON object kept as text: a [`Raw`] value that is known to be an object.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawObject(Raw);

impl RawObject {
    /// Creates an object without members.
    pub fn new() -> Self {
        RawObject(Raw::of(&Object::default()))
    }

    /// The JSON text of the object.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<Raw> {
        let object = Object::parse(self.as_str()).ok()?;
        object.get(name).and_then(|json| Raw::parse(json).ok())
    }

    /// Returns the object with one member added or replaced.
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
    /// Returns the object without the members with these names.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        RawObject(self.0.without(names))
    }
}

impl fmt::Debug for RawObject {
    /// Prints the size only: extension data may contain secrets, and debug output goes to logs.
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
