//! Conversion from and to serde, through `serde_json`'s raw values.

use std::fmt;

use serde_core::de::DeserializeOwned;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{Decode, DecodeError, Encode, Problem, Raw};

/// Serializes a value through its JSON text. Use it to implement `Serialize`; works with `serde_json` only.
pub fn serialize<T: Encode, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    Raw::of(value).serialize(serializer)
}

/// Deserializes a value through its JSON text. Use it to implement `Deserialize`; works with `serde_json` only.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    super::from_str(raw.get()).map_err(serde_core::de::Error::custom)
}

/// Encodes a value that implements `Serialize`.
pub fn encode_serde<T: Serialize + ?Sized>(value: &T) -> Result<Raw, EncodeError> {
    let text = serde_json::to_string(value).map_err(|error| EncodeError(error.to_string()))?;
    Ok(Raw::of_valid(text))
}

/// Decodes a value that implements `Deserialize`. The error has the byte offset of the problem, but no path.
pub fn decode_serde<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    serde_json::from_str(text).map_err(|error| {
        let problem = match error.classify() {
            Category::Eof => Problem::Truncated,
            Category::Syntax | Category::Io => Problem::Syntax("not valid JSON"),
            Category::Data => Problem::Unfit("does not match its type"),
        };
        DecodeError::new(problem, error.column().saturating_sub(1))
    })
}

/// Why a value that implements `Serialize` cannot be written as JSON, such as a map whose keys are not strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError(String);

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the value cannot be written as JSON: {}", self.0)
    }
}

impl std::error::Error for EncodeError {}

impl Serialize for Raw {
    /// Works with `serde_json` only: other formats cannot contain JSON text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue =
            serde_json::from_str(self.as_str()).map_err(serde_core::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}
