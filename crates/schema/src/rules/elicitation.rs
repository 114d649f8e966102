//! Checks elicitations: the mode, the form, the URL and the response.

use std::collections::{BTreeMap, HashSet};

use attache_text::secret::{NameContext, is_secret_name};

use super::{Context, Findings, Level, MessagePath, gate};
use crate::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAction, ElicitationContentValue as Value, ElicitationFormMode, ElicitationMode,
    ElicitationPropertySchema as Field, ElicitationSchema, ElicitationScope, ElicitationUrlMode,
    MultiSelectItems, MultiSelectPropertySchema, StringFormat, StringPropertySchema,
};

pub(super) fn request(
    request: &CreateElicitationRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    mode(&request.mode, context, &at.member("mode"), found);
    if let ElicitationScope::Request(scope) = &request.scope {
        super::envelope::id(&scope.request_id, &at.member("requestId"), found);
    }
    match &request.mode {
        ElicitationMode::Form(form) => secrets(form, at, found),
        ElicitationMode::Url(page) => address(page, context, at, found),
        ElicitationMode::Other(_) => {}
    }
}

/// Checks `elicitation/complete`: the id is one that was requested. A repeated completion is fine, because both sides
/// may end a page.
pub(super) fn completed(
    done: &CompleteElicitationNotification,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if !context.may_have_been_requested(&done.elicitation_id) {
        let message = "no page with this id was requested; send the id of a requested page";
        found.add(rule!("168"), &at.member("elicitationId"), message);
    }
}

pub(super) fn response(
    request: &CreateElicitationRequest,
    response: &CreateElicitationResponse,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if !is_offered(&request.mode, context) {
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

/// Whether the client advertises this mode.
fn is_offered(mode: &ElicitationMode, context: &Context) -> bool {
    let Some(offered) = &context.client.elicitation else {
        return false;
    };
    match mode {
        ElicitationMode::Form(_) => offered.form.is_some(),
        ElicitationMode::Url(_) => offered.url.is_some(),
        ElicitationMode::Other(_) => false,
    }
}

fn mode(mode: &ElicitationMode, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    if is_offered(mode, context) {
        return;
    }
    let offered = context.client.elicitation.as_ref();
    if offered.is_some_and(|offered| offered.form.is_none() && offered.url.is_none()) {
        let message = "clientCapabilities.elicitation names no mode, so it offers none; do not ask";
        found.add(rule!("38"), at, message);
    }
    let capability = match mode {
        ElicitationMode::Form(_) => "clientCapabilities.elicitation.form",
        ElicitationMode::Url(_) => "clientCapabilities.elicitation.url",
        ElicitationMode::Other(_) => "a capability for this mode",
    };
    gate::closed(rule!("158"), capability, at, found);
}

/// Reports form fields that seem to ask for a secret, by position: their names are data.
fn secrets(form: &ElicitationFormMode, at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("requestedSchema");
    let at = at.member("properties");
    for (index, (name, field)) in form.requested_schema.properties.iter().enumerate() {
        if let Field::String(field) = field
            && is_secret_field(name, field)
        {
            let message = "seems to ask for a secret; ask for it on a page (mode url)";
            found.hint(rule!("161"), Level::Should, &at.item(index), message);
        }
    }
}

fn address(
    page: &ElicitationUrlMode,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if context.open_pages.contains(&page.elicitation_id) {
        let message = "another open page has this id; make a new one";
        found.add(rule!("168"), &at.member("elicitationId"), message);
    }
    for (level, message) in url_faults(&page.url) {
        found.hint(rule!("170"), level, &at.member("url"), message);
    }
}

/// Compares the values with the form and reports them by position: their names are data. Patterns and formats are not
/// checked.
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

/// Loses digits beyond 2^53, which does not matter for a bound.
fn to_float(value: i64) -> f64 {
    value as f64
}

/// Guesses from words whether a text field asks for a secret. A field with choices does not.
fn is_secret_field(name: &str, field: &StringPropertySchema) -> bool {
    if field.enum_values.is_some() || field.one_of.is_some() {
        return false;
    }
    let is_password =
        matches!(&field.format, Some(StringFormat::Other(name)) if **name == *"password");
    is_password || names_secret(name) || field.title.as_deref().is_some_and(names_secret)
}

/// Whether a name or title looks like that of a secret.
fn names_secret(name: &str) -> bool {
    is_secret_name(name, NameContext::Field)
}

/// Problems of a URL, with their levels.
fn url_faults(url: &str) -> Vec<(Level, &'static str)> {
    let mut faults = Vec::new();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_local = scheme.eq_ignore_ascii_case("http") && is_loopback(host);
    if !scheme.eq_ignore_ascii_case("https") && !is_local {
        faults.push((Level::Should, "the URL is not HTTPS; use HTTPS"));
    }
    if !user.is_empty() {
        faults.push((
            Level::Must,
            "the URL has credentials before its host; omit them",
        ));
    }
    if parameter_names(rest).any(names_secret) {
        faults.push((
            Level::Should,
            "the URL seems to have a secret among its parameters; omit it",
        ));
    }
    faults
}

/// Whether the host is this machine, so that HTTP is safe.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Names of the query parameters, before and after `#`.
fn parameter_names(rest: &str) -> impl Iterator<Item = &str> {
    rest.split(['?', '#', '&'])
        .skip(1)
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, _)| name)
}
