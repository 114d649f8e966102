//! A JSON value that keeps numbers as text and members in order.

use attache_rpc::json::{Decode, DecodeError, Encode, Reader, ValueKind, write};

/// A JSON value that keeps numbers as they were written and members in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonValue {
    /// `null`, a boolean or a number, as text.
    Scalar(String),
    /// A string, without escapes.
    String(String),
    /// The items of an array.
    Array(Vec<JsonValue>),
    /// The members of an object, in order; a name can occur twice.
    Object(Vec<(String, JsonValue)>),
}

impl JsonValue {
    /// The text, shortened for use in a sentence.
    pub(crate) fn short(&self) -> String {
        let text = attache_rpc::json::to_string(self);
        if text.chars().count() <= SHORT_LENGTH {
            return text;
        }
        text.chars().take(SHORT_LENGTH).chain("…".chars()).collect()
    }
}

impl Decode for JsonValue {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.kind()? {
            ValueKind::Null | ValueKind::Boolean | ValueKind::Number => {
                Ok(JsonValue::Scalar(reader.skip()?.trim().to_owned()))
            }
            ValueKind::String => Ok(JsonValue::String(reader.string()?.into_owned())),
            ValueKind::Array => {
                let mut items = Vec::new();
                let mut more = reader.open_array()?;
                while more {
                    items.push(JsonValue::decode(reader)?);
                    more = reader.more_items()?;
                }
                Ok(JsonValue::Array(items))
            }
            ValueKind::Object => {
                let mut members = Vec::new();
                let mut more = reader.open_object()?;
                while more {
                    let name = reader.name()?.into_owned();
                    members.push((name, JsonValue::decode(reader)?));
                    more = reader.more_members()?;
                }
                Ok(JsonValue::Object(members))
            }
        }
    }
}

impl Encode for JsonValue {
    fn encode(&self, out: &mut String) {
        match self {
            JsonValue::Scalar(text) => out.push_str(text),
            JsonValue::String(text) => write::string(out, text),
            JsonValue::Array(items) => write::array(out, items),
            JsonValue::Object(members) => {
                out.push('{');
                for (name, value) in members {
                    write::member(out, name, value);
                }
                out.push('}');
            }
        }
    }
}

const SHORT_LENGTH: usize = 120;
