//! A JSON value as a tree: numbers as their text, members in their order.

use attache_rpc::json::{Decode, Encode, Error, Kind, Reader, write};

/// A JSON value that keeps numbers as they were written and members in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`, a boolean or a number, as text.
    Plain(String),
    /// A string, without escapes.
    String(String),
    /// The items of an array.
    Array(Vec<Value>),
    /// The members of an object, as they were written: a name can occur twice.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The text, cut where it gets too long for a sentence.
    pub(crate) fn short(&self) -> String {
        let text = attache_rpc::json::to_string(self);
        if text.chars().count() <= SHORT {
            return text;
        }
        text.chars().take(SHORT).chain("…".chars()).collect()
    }
}

impl Decode for Value {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        match reader.kind()? {
            Kind::Null | Kind::Boolean | Kind::Number => {
                Ok(Value::Plain(reader.skip()?.trim().to_owned()))
            }
            Kind::String => Ok(Value::String(reader.string()?.into_owned())),
            Kind::Array => {
                let mut items = Vec::new();
                let mut more = reader.open_array()?;
                while more {
                    items.push(Value::decode(reader)?);
                    more = reader.more_items()?;
                }
                Ok(Value::Array(items))
            }
            Kind::Object => {
                let mut members = Vec::new();
                let mut more = reader.open_object()?;
                while more {
                    let name = reader.name()?.into_owned();
                    members.push((name, Value::decode(reader)?));
                    more = reader.more_members()?;
                }
                Ok(Value::Object(members))
            }
        }
    }
}

impl Encode for Value {
    fn encode(&self, out: &mut String) {
        match self {
            Value::Plain(text) => out.push_str(text),
            Value::String(text) => write::string(out, text),
            Value::Array(items) => write::array(out, items),
            Value::Object(members) => {
                out.push('{');
                for (name, value) in members {
                    write::member(out, name, value);
                }
                out.push('}');
            }
        }
    }
}

const SHORT: usize = 120;
