//! JSON generated from a JSON Schema: an oracle that is independent of our types.

use serde_json::{Map, Value, json};

use super::sample::SampleSource;

/// Makes values that a schema allows. It understands what the official crate's schemas use.
pub(crate) struct Generator {
    root: Value,
}

impl Generator {
    pub(crate) fn of<T: schemars::JsonSchema>() -> Self {
        Generator {
            root: schemars::schema_for!(T).to_value(),
        }
    }

    pub(crate) fn make(&self, source: &mut SampleSource<'_>) -> Value {
        self.value(&self.root, source, 8)
    }

    fn value(&self, schema: &Value, source: &mut SampleSource<'_>, depth: u8) -> Value {
        let Some(schema) = schema.as_object() else {
            return Value::from(source.text());
        };
        let mut made = self.plain(schema, source, depth);
        for key in ["$ref", "allOf", "anyOf", "oneOf"] {
            if let Some(part) = schema.get(key) {
                made = merged(made, self.part(key, part, source, depth));
            }
        }
        made.unwrap_or_else(|| Value::from(source.text()))
    }

    fn part(&self, key: &str, part: &Value, source: &mut SampleSource<'_>, depth: u8) -> Value {
        match (key, part) {
            ("$ref", Value::String(reference)) => {
                let pointer = reference.trim_start_matches('#');
                let target = self.root.pointer(pointer).expect("a definition");
                self.value(target, source, depth.saturating_sub(1))
            }
            ("allOf", Value::Array(parts)) => parts
                .iter()
                .map(|part| Some(self.value(part, source, depth)))
                .fold(None, |made, part| merged(made, part.expect("a value")))
                .unwrap_or(Value::Null),
            (_, Value::Array(choices)) => {
                // With no depth left, the last choice: schemas put null there.
                let choice = if depth == 0 {
                    choices.last()
                } else {
                    Some(source.pick(choices))
                };
                choice.map_or(Value::Null, |choice| self.value(choice, source, depth))
            }
            _ => Value::Null,
        }
    }

    fn plain(
        &self,
        schema: &Map<String, Value>,
        source: &mut SampleSource<'_>,
        depth: u8,
    ) -> Option<Value> {
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return Some(source.pick(values).clone());
        }
        let kind = match schema.get("type")? {
            Value::Array(kinds) => source.pick(kinds).as_str()?,
            kind => kind.as_str()?,
        };
        Some(match kind {
            "object" => self.object(schema, source, depth),
            "array" => self.array(schema, source, depth),
            "string" => Value::from(source.text()),
            "boolean" => Value::from(source.byte() % 2 == 1),
            "integer" => integer(schema, source),
            "number" => json!(f64::from(source.byte()) / 8.0),
            _ => Value::Null,
        })
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        source: &mut SampleSource<'_>,
        depth: u8,
    ) -> Value {
        let mut made = Map::new();
        let required: Vec<&Value> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let needed = required.iter().any(|other| other.as_str() == Some(name));
            if needed || (depth > 0 && source.byte() % 2 == 1) {
                made.insert(
                    name.clone(),
                    self.value(property, source, depth.saturating_sub(1)),
                );
            }
        }
        if let (Some(more @ Value::Object(_)), true) =
            (schema.get("additionalProperties"), depth > 0)
        {
            for _ in 0..source.byte() % 3 {
                made.insert(source.text(), self.value(more, source, depth - 1));
            }
        }
        Value::Object(made)
    }

    fn array(
        &self,
        schema: &Map<String, Value>,
        source: &mut SampleSource<'_>,
        depth: u8,
    ) -> Value {
        let length = if depth == 0 { 0 } else { source.byte() % 4 };
        let item = schema.get("items").unwrap_or(&Value::Null);
        (0..length)
            .map(|_| self.value(item, source, depth.saturating_sub(1)))
            .collect()
    }
}

/// Merges the values that two schemas generated for the same position: objects are joined; otherwise the later value
/// counts.
fn merged(first: Option<Value>, second: Value) -> Option<Value> {
    match (first, second) {
        (Some(Value::Object(mut first)), Value::Object(second)) => {
            first.extend(second);
            Some(Value::Object(first))
        }
        (_, second) => Some(second),
    }
}

fn integer(schema: &Map<String, Value>, source: &mut SampleSource<'_>) -> Value {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or("");
    let word = source.word();
    match format {
        "uint16" => Value::from(word & 0xffff),
        "uint32" => Value::from(word & 0xffff_ffff),
        "int32" => Value::from(word & 0x7fff_ffff),
        "uint64" => Value::from(word),
        _ => Value::from(word >> 1),
    }
}
