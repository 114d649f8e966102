//! Validates input schemas of tools. Providers reject a whole request for one invalid schema, so a tool with one is left out.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The input schema as providers accept it; `None` if it is invalid. A missing `type` becomes `object`, the only one allowed.
pub(super) fn usable(schema: &Map<String, Value>) -> Option<Value> {
    let mut schema = schema.clone();
    match schema.get("type") {
        None => drop(schema.insert("type".to_owned(), "object".into())),
        Some(kind) if kind == "object" => {}
        Some(_) => return None,
    }
    let root = Value::Object(schema);
    is_schema(&root, &root, DEPTH).then_some(root)
}

fn is_schema(schema: &Value, root: &Value, depth: usize) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(members) if depth > 0 => members
            .iter()
            .all(|(keyword, value)| fits(keyword, value, root, depth - 1)),
        _ => false,
    }
}

/// Whether the value of a keyword is valid in JSON Schema 2020-12. Unknown keywords may have any value.
fn fits(keyword: &str, value: &Value, root: &Value, depth: usize) -> bool {
    let is_schema = |value: &Value| is_schema(value, root, depth);
    match keyword {
        "type" => is_type(value),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            let members = value.as_object();
            members.is_some_and(|members| members.values().all(is_schema))
        }
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_schema(value),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            let items = value.as_array();
            items.is_some_and(|items| !items.is_empty() && items.iter().all(is_schema))
        }
        "required" => is_set_of_strings(value),
        "enum" => value.as_array().is_some_and(|items| !items.is_empty()),
        "$ref" => value.as_str().is_some_and(|to| resolves(to, root)),
        "title" | "description" | "$id" | "$schema" | "$comment" | "$anchor" | "format"
        | "pattern" | "contentEncoding" | "contentMediaType" => value.is_string(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => {
            let number = value.as_f64();
            number.is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        _ => true,
    }
}

fn is_type(value: &Value) -> bool {
    let is_known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(_) => {
            is_set_of_strings(value)
                && value
                    .as_array()
                    .is_some_and(|names| !names.is_empty() && names.iter().all(is_known))
        }
        value => is_known(value),
    }
}

fn is_set_of_strings(value: &Value) -> bool {
    let mut seen = HashSet::new();
    let mut is_new = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| seen.insert(text.to_owned()))
    };
    value
        .as_array()
        .is_some_and(|items| items.iter().all(&mut is_new))
}

/// Whether a reference resolves inside the same schema. Others are not fetched.
fn resolves(to: &str, root: &Value) -> bool {
    match to.strip_prefix('#') {
        Some("") => true,
        Some(pointer) if pointer.starts_with('/') => root.pointer(pointer).is_some(),
        // An anchor.
        Some(_) => true,
        None => false,
    }
}

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
/// Maximum nesting that providers accept.
const DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::usable;

    fn is_usable(schema: &Value) -> bool {
        schema
            .as_object()
            .is_some_and(|schema| usable(schema).is_some())
    }

    #[test]
    fn schemas_of_real_servers_are_usable() {
        for schema in [
            json!({}),
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            json!({ "properties": { "path": { "type": "string", "description": "Where", "minLength": 1 } }, "required": ["path"] }),
            json!({ "type": "object", "properties": { "n": { "type": ["integer", "null"], "minimum": 0, "default": null } }, "$schema": "http://json-schema.org/draft-07/schema#" }),
            json!({ "type": "object", "$defs": { "A": { "enum": [1, "x", null] } }, "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "anyOf": [{ "$ref": "#" }, true] } } }),
            json!({ "type": "object", "properties": { "type": { "type": "string" }, "required": { "type": "boolean" }, "enum": { "type": "array", "items": { "type": "number" }, "maxItems": 3.0 } } }),
            json!({ "type": "object", "x-own": [1], "properties": { "t": { "type": "array", "prefixItems": [{ "const": 1 }], "items": false } } }),
        ] {
            assert!(is_usable(&schema), "{schema}");
        }
        assert_eq!(
            usable(json!({ "a": 1 }).as_object().unwrap()),
            Some(json!({ "a": 1, "type": "object" }))
        );
    }

    #[test]
    fn malformed_schemas_are_not() {
        let inside = [
            json!(3),
            json!("string"),
            json!(null),
            json!([]),
            json!({ "type": "text" }),
            json!({ "type": 5 }),
            json!({ "type": [] }),
            json!({ "type": ["string", "string"] }),
            json!({ "type": ["string", 1] }),
            json!({ "properties": [] }),
            json!({ "properties": { "a": 1 } }),
            json!({ "items": [{ "type": "string" }] }),
            json!({ "items": "string" }),
            json!({ "required": true }),
            json!({ "required": "a" }),
            json!({ "required": ["a", "a"] }),
            json!({ "required": [1] }),
            json!({ "enum": [] }),
            json!({ "enum": "a" }),
            json!({ "anyOf": [] }),
            json!({ "anyOf": {} }),
            json!({ "oneOf": [1] }),
            json!({ "$ref": "#/$defs/None" }),
            json!({ "$ref": "https://example.org/x" }),
            json!({ "$ref": 1 }),
            json!({ "description": 1 }),
            json!({ "description": null }),
            json!({ "pattern": ["a"] }),
            json!({ "minimum": "1" }),
            json!({ "exclusiveMinimum": true }),
            json!({ "multipleOf": 0 }),
            json!({ "minLength": -1 }),
            json!({ "maxItems": 1.5 }),
            json!({ "uniqueItems": "yes" }),
            json!({ "additionalProperties": "no" }),
            json!({ "not": [] }),
        ];
        for bad in inside {
            for schema in [
                json!({ "type": "object", "properties": { "a": bad } }),
                json!({ "type": "object", "properties": { "a": { "type": "array", "items": bad } } }),
                json!({ "$defs": { "a": bad } }),
                json!({ "properties": { "ok": { "anyOf": [{ "type": "string" }, bad] } } }),
            ] {
                assert!(!is_usable(&schema), "{schema}");
            }
        }
        for schema in [
            json!({ "type": "string" }),
            json!({ "type": ["object"] }),
            json!({ "type": null }),
        ] {
            assert!(!is_usable(&schema), "{schema}");
        }
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({ "items": deep });
        }
        assert!(!is_usable(&deep));
    }
}
