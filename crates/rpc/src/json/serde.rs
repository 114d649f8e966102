//! Conversion from and to serde, through `serde_json`'s raw values.

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Decode, Encode, Raw};

/// Serializes a value through its JSON text. Use it to implement `Serialize`; works with `serde_json` only.
pub fn serialize<T: Encode, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    Raw::of(value).serialize(serializer)
}

/// Deserializes a value through its JSON text. Use it to implement `Deserialize`; works with `serde_json` only.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    super::from_str(raw.get()).map_err(serde_core::de::Error::custom)
}

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
