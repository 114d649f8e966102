//! The person's answer against the form. Patterns and formats are not looked at.

use std::collections::{BTreeMap, HashSet};

use crate::rules::{Context, Findings, MessagePath};
use crate::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationContentValue as Value, ElicitationMode, ElicitationPropertySchema as Field,
    ElicitationSchema, MultiSelectItems, MultiSelectPropertySchema, StringPropertySchema,
};

pub(in crate::rules) fn check(
    request: &CreateElicitationRequest,
    response: &CreateElicitationResponse,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if !super::is_offered(&request.mode, context) {
        let message = "the mode was not advertised; answer with an error (-32602)";
        found.add(rule!("159"), at, message);
    }
    if let ElicitationMode::Form(form) = &request.mode
        && let ElicitationAction::Accept(accept) = &response.action
    {
        let none = BTreeMap::new();
        let values = accept.content.as_ref().unwrap_or(&none);
        fields(&form.requested_schema, values, &at.member("content"), found);
    }
}

/// A value is named by its position: the names are the agent's.
fn fields(
    form: &ElicitationSchema,
    values: &BTreeMap<String, Value>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let required = form.required.as_deref().unwrap_or(&[]);
    if required.iter().any(|name| !values.contains_key(name)) {
        found.add(
            rule!("165"),
            at,
            "a required field has no value; ask for it before sending",
        );
    }
    for (index, (name, value)) in values.iter().enumerate() {
        let fault = match form.properties.get(name) {
            None => Some("the form has no such field; leave the value out"),
            Some(field) if fits(field, value) => None,
            Some(_) => Some("the value does not fit its field; check it before sending"),
        };
        if let Some(message) = fault {
            found.add(rule!("165"), &at.item(index), message);
        }
    }
}

fn fits(field: &Field, value: &Value) -> bool {
    match (field, value) {
        (Field::String(field), Value::String(value)) => text_fits(field, value),
        (Field::Integer(field), Value::Integer(value)) => {
            within(*value, field.minimum, field.maximum)
        }
        (Field::Number(field), Value::Number(value)) => {
            within(*value, field.minimum, field.maximum)
        }
        (Field::Number(field), Value::Integer(value)) => {
            within(to_float(*value), field.minimum, field.maximum)
        }
        (Field::Boolean(_), Value::Boolean(_)) | (Field::Other(_), _) => true,
        (Field::Array(field), Value::StringArray(values)) => choices_fit(field, values),
        _ => false,
    }
}

fn text_fits(field: &StringPropertySchema, value: &str) -> bool {
    let length = u64::try_from(value.chars().count()).unwrap_or(u64::MAX);
    let plain = field.enum_values.as_ref();
    let titled = field.one_of.as_ref();
    within(
        length,
        field.min_length.map(u64::from),
        field.max_length.map(u64::from),
    ) && plain.is_none_or(|choices| choices.iter().any(|choice| choice == value))
        && titled.is_none_or(|choices| choices.iter().any(|choice| choice.value == value))
}

fn choices_fit(field: &MultiSelectPropertySchema, values: &[String]) -> bool {
    let length = u64::try_from(values.len()).unwrap_or(u64::MAX);
    let choices: HashSet<&str> = match &field.items {
        MultiSelectItems::String(items) => items.values.iter().map(String::as_str).collect(),
        MultiSelectItems::Titled(items) => {
            let options = items.options.iter();
            options.map(|item| item.value.as_str()).collect()
        }
        MultiSelectItems::Other(_) => values.iter().map(String::as_str).collect(),
    };
    within(length, field.min_items, field.max_items)
        && values.iter().all(|value| choices.contains(value.as_str()))
}

fn within<T: PartialOrd>(value: T, least: Option<T>, most: Option<T>) -> bool {
    least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
}

/// Digits beyond 2^53 are lost, which a bound can bear.
fn to_float(value: i64) -> f64 {
    value as f64
}
