//! JSON with members that occur twice. Most readers take the last one, some the first, and none reports it.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// Reads JSON, and detects whether some object in it has a member twice. Such a member gets all of its values, as a
/// list.
pub(super) fn read(text: &str) -> serde_json::Result<(Value, bool)> {
    let is_twice = Cell::new(false);
    let mut json = serde_json::Deserializer::from_str(text);
    let value = RepeatDetector(&is_twice).deserialize(&mut json)?;
    json.end()?;
    Ok((value, is_twice.get()))
}

#[derive(Clone, Copy)]
struct RepeatDetector<'a>(&'a Cell<bool>);

impl<'de> DeserializeSeed<'de> for RepeatDetector<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RepeatDetector<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).map(Value::Number);
        number.ok_or_else(|| E::custom("no number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            match all.entry(name) {
                Entry::Vacant(new) => {
                    new.insert(value);
                }
                Entry::Occupied(mut known) => {
                    self.0.set(true);
                    let first = known.get_mut().take();
                    *known.get_mut() = both(first, value);
                }
            }
        }
        Ok(Value::Object(all))
    }
}

fn both(one: Value, other: Value) -> Value {
    let items = |value| match value {
        Value::Array(items) => items,
        value => vec![value],
    };
    let mut all = items(one);
    all.extend(items(other));
    Value::Array(all)
}
