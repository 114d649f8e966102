//! Converts elicitations of MCP servers, and the CLI's `AskUserQuestion`, to ACP elicitations. A form that the client
//! can't show completely is declined. Pure functions.

use std::collections::BTreeMap;

use attache::json::Raw;
use attache::v1;
use attache_text::plain;
use serde_json::{Map, Value, json};

use crate::frames::{CanUseTool, Elicitation, ElicitationMode};
use crate::permission::{option, response};

/// The elicitation for the client, naming the server that asks; `None` if the client can't show it.
pub fn request(
    asked: &Elicitation,
    session: &v1::SessionId,
    client: &v1::ClientCapabilities,
) -> Option<v1::CreateElicitationRequest> {
    let can = client.elicitation.as_ref()?;
    let mode = match &asked.mode {
        ElicitationMode::Form(schema) if can.form.is_some() => {
            let form = v1::ElicitationFormMode::new(form(asked, schema)?);
            v1::ElicitationMode::Form(form)
        }
        ElicitationMode::Url { url, .. } if can.url.is_some() && is_web_url(url) => {
            // Elicitation ids of different servers may collide; request ids are unique.
            let page = v1::ElicitationUrlMode::new(asked.id.as_str(), url.as_str());
            v1::ElicitationMode::Url(page)
        }
        _ => return None,
    };
    let server = plain::strip(&asked.server).replace(['\n', '\t'], " ");
    let message = format!("{server} asks: {}", plain::strip(&asked.message));
    let scope = v1::ElicitationSessionScope::new(session.clone());
    let scope = v1::ElicitationScope::Session(scope);
    Some(v1::CreateElicitationRequest::new(message, scope, mode))
}

/// The response to the CLI for the user's action.
pub fn respond(asked: &Elicitation, action: v1::ElicitationAction) -> Value {
    let answer = match (action, &asked.mode) {
        (v1::ElicitationAction::Accept(accepted), ElicitationMode::Form(_)) => {
            let content = content(accepted.content.unwrap_or_default());
            json!({ "action": "accept", "content": content })
        }
        (v1::ElicitationAction::Accept(_), _) => json!({ "action": "accept" }),
        (v1::ElicitationAction::Decline, _) => json!({ "action": "decline" }),
        _ => json!({ "action": "cancel" }),
    };
    response(&asked.id, answer)
}

/// The response when the user can't be asked.
pub fn declined(asked: &Elicitation) -> Value {
    response(&asked.id, json!({ "action": "decline" }))
}

/// The response when the request to the user failed.
pub fn cancelled(asked: &Elicitation) -> Value {
    response(&asked.id, json!({ "action": "cancel" }))
}

/// One question of `AskUserQuestion`.
#[derive(Debug, Clone, PartialEq)]
pub struct UserQuestion {
    /// The question itself.
    pub question: String,
    /// A short title.
    pub header: String,
    /// Whether the user may choose several answers.
    pub multi_select: bool,
    /// The answers to choose from, each with its description.
    pub labels: Vec<(String, String)>,
}

/// Reads the questions of `AskUserQuestion`; `None` for any other tool.
pub fn user_questions(question: &CanUseTool) -> Option<Vec<UserQuestion>> {
    if question.tool != "AskUserQuestion" {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let asked = question.input["questions"].as_array()?;
    let choices = asked.iter().map(|asked| {
        let labels = asked["options"].as_array().into_iter().flatten();
        UserQuestion {
            question: text(&asked["question"]),
            header: text(&asked["header"]),
            multi_select: asked["multiSelect"] == true,
            labels: labels
                .map(|it| (text(&it["label"]), text(&it["description"])))
                .collect(),
        }
    });
    Some(choices.collect())
}

/// One form with all questions.
pub fn question_form(choices: &[UserQuestion]) -> v1::ElicitationSchema {
    let fields = choices.iter().enumerate().map(|(at, choice)| {
        let labels = choice.labels.iter().map(|(label, what)| {
            let option = v1::EnumOption::new(label.as_str(), label.as_str());
            match what.is_empty() {
                true => option,
                false => option.description(what.as_str()),
            }
        });
        let field = match choice.multi_select {
            true => {
                let items = v1::TitledMultiSelectItems::new(labels);
                let items = v1::MultiSelectItems::Titled(items);
                v1::ElicitationPropertySchema::Array(
                    v1::MultiSelectPropertySchema::new(items)
                        .title(choice.header.as_str())
                        .description(choice.question.as_str()),
                )
            }
            false => v1::ElicitationPropertySchema::String(
                v1::StringPropertySchema::new()
                    .title(choice.header.as_str())
                    .description(choice.question.as_str())
                    .one_of(labels),
            ),
        };
        (field_name(at), field)
    });
    let required: Vec<_> = (0..choices.len()).map(field_name).collect();
    v1::ElicitationSchema::new()
        .properties(fields.collect::<BTreeMap<_, _>>())
        .required(required)
}

/// The answers in a completed form, by question.
pub fn form_answers(
    choices: &[UserQuestion],
    content: &BTreeMap<String, v1::ElicitationContentValue>,
) -> BTreeMap<String, String> {
    let answers = choices.iter().enumerate().filter_map(|(at, choice)| {
        let answer = match content.get(&field_name(at))? {
            v1::ElicitationContentValue::String(label) => label.clone(),
            v1::ElicitationContentValue::StringArray(labels) => labels.join(", "),
            _ => return None,
        };
        Some((choice.question.clone(), answer))
    });
    answers.collect()
}

/// The answers to one question as permission options, for clients without forms.
pub fn question_options(choice: &UserQuestion) -> Vec<v1::PermissionOption> {
    let labels = choice.labels.iter().enumerate().map(|(at, (label, what))| {
        let name = match what.is_empty() {
            true => label.clone(),
            false => format!("{label}: {what}"),
        };
        option(&at.to_string(), &name, v1::PermissionOptionKind::AllowOnce)
    });
    let skip = option(
        "skip",
        "Do not answer",
        v1::PermissionOptionKind::RejectOnce,
    );
    labels.chain([skip]).collect()
}

/// The response to the CLI with the user's answers, by question.
pub fn respond_with_answers(question: &CanUseTool, answers: &BTreeMap<String, String>) -> Value {
    let mut input = question.input.clone();
    if let Some(input) = input.as_object_mut() {
        input.insert("answers".to_owned(), json!(answers));
    }
    response(
        &question.id,
        json!({ "behavior": "allow", "updatedInput": input }),
    )
}

fn form(asked: &Elicitation, schema: &Value) -> Option<v1::ElicitationSchema> {
    let mut schema = schema.clone();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.values_mut().for_each(title_choices);
    }
    let mut form: v1::ElicitationSchema = Raw::from(schema).read().ok()?;
    let fields = &form.properties;
    let mut needed = form.required.iter().flatten();
    let is_whole = form.schema_type == v1::ElicitationSchemaType::Object
        && fields.iter().all(|(_, field)| is_supported(field))
        && needed.all(|name| fields.get(name).is_some());
    form.title = form.title.or_else(|| asked.title.clone());
    form.description = form.description.or_else(|| asked.description.clone());
    is_whole.then_some(form)
}

/// Whether opening the address shows a web page, instead of starting a program.
fn is_web_url(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| it.eq_ignore_ascii_case("https") || it.eq_ignore_ascii_case("http"))
}

fn is_supported(field: &v1::ElicitationPropertySchema) -> bool {
    match field {
        v1::ElicitationPropertySchema::Array(field) => {
            use v1::MultiSelectItems::{String, Titled};
            matches!(field.items, String(_) | Titled(_))
        }
        v1::ElicitationPropertySchema::String(_)
        | v1::ElicitationPropertySchema::Number(_)
        | v1::ElicitationPropertySchema::Integer(_)
        | v1::ElicitationPropertySchema::Boolean(_) => true,
        v1::ElicitationPropertySchema::Other(_) => false,
        _ => false,
    }
}

/// Older servers list the titles of choices separately, in `enumNames`.
fn title_choices(field: &mut Value) {
    let Some(field) = field.as_object_mut() else {
        return;
    };
    let list = |name| field.get(name).and_then(Value::as_array);
    let (Some(values), Some(names)) = (list("enum"), list("enumNames")) else {
        return;
    };
    if values.len() == names.len() {
        let choices = values.iter().zip(names);
        let choices = choices.map(|(value, name)| json!({ "const": value, "title": name }));
        let choices = choices.collect();
        field.remove("enum");
        field.insert("oneOf".to_owned(), choices);
    }
}

fn content(fields: BTreeMap<String, v1::ElicitationContentValue>) -> Map<String, Value> {
    let fields = fields.into_iter().map(|(name, value)| {
        let value = match value {
            v1::ElicitationContentValue::String(text) => Value::from(text),
            v1::ElicitationContentValue::Integer(number) => Value::from(number),
            v1::ElicitationContentValue::Number(number) => Value::from(number),
            v1::ElicitationContentValue::Boolean(truth) => Value::from(truth),
            v1::ElicitationContentValue::StringArray(texts) => Value::from(texts),
            unknown => serde_json::from_str(Raw::of(&unknown).as_str()).unwrap_or_default(),
        };
        (name, value)
    });
    fields.collect()
}

fn field_name(at: usize) -> String {
    format!("answer{}", at + 1)
}
