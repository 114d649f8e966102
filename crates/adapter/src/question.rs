//! Questions of the CLI as questions to the person, and the answers as the CLI wants them. Plain functions of the data.

pub mod elicitation;
mod suggestion;

use std::collections::BTreeMap;
use std::path::Path;

use attache::v1;
use attache_text::plain;
use serde_json::{Value, json};

use crate::frames::CanUseTool;
use crate::settings::BYPASS;
use suggestion::Suggestions;

/// The choices for a tool that may run or not. Lasting ones are only those that the CLI suggests.
pub fn options(question: &CanUseTool, bypass: bool) -> Vec<v1::PermissionOption> {
    let mut options = match question.tool.as_str() {
        "ExitPlanMode" => plan_options(bypass),
        _ => tool_options(question),
    };
    if question.prefers_no {
        // The one that rejects is the last.
        options.rotate_right(1);
    }
    options
}

/// Why the person is asked, fit to be shown.
pub fn reason(question: &CanUseTool) -> Option<String> {
    let reason = plain::strip(question.reason.as_deref()?);
    (!reason.trim().is_empty()).then_some(reason)
}

/// The files that a tool would touch, with the one that is out of bounds.
pub fn locations(
    question: &CanUseTool,
    mut shown: Vec<v1::ToolCallLocation>,
) -> Vec<v1::ToolCallLocation> {
    let blocked = question.blocked_path.as_deref();
    if let Some(path) = blocked.filter(|path| Path::new(path).is_absolute())
        && shown.iter().all(|known| known.path.as_str() != path)
    {
        shown.push(v1::ToolCallLocation::new(path));
    }
    shown
}

/// The answer to the CLI when the person has chosen an option.
pub fn answer(question: &CanUseTool, chosen: &str) -> Value {
    if question.tool == "ExitPlanMode" {
        return plan_answer(question, chosen);
    }
    if chosen == "allow" {
        return allow(question, Vec::new());
    }
    let offered = Suggestions::of(question).offered;
    let mut offered = offered.iter().enumerate();
    match offered.find(|(at, _)| always(*at) == chosen) {
        Some((_, suggestion)) => allow(question, vec![suggestion.to_update()]),
        None => deny(question, "The user rejected this."),
    }
}

/// Says that the CLI suggests more than is offered; `None` if every grant it suggests has an option.
pub fn unoffered(question: &CanUseTool) -> Option<String> {
    match Suggestions::of(question).hidden {
        0 => None,
        hidden => Some(format!(
            "Claude suggests {hidden} more lasting {}, too long or too many to show here. Use its own settings for them.",
            if hidden == 1 {
                "permission"
            } else {
                "permissions"
            },
        )),
    }
}

/// The answer when the person closed the question without a choice: the turn ends.
pub fn dismissed(question: &CanUseTool) -> Value {
    response(
        &question.id,
        json!({ "behavior": "deny", "message": "The user closed the question.", "interrupt": true }),
    )
}

/// The answer that a tool may not run.
pub fn deny(question: &CanUseTool, why: &str) -> Value {
    response(&question.id, json!({ "behavior": "deny", "message": why }))
}

/// One question of `AskUserQuestion`.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The question.
    pub question: String,
    /// In a word.
    pub header: String,
    /// Whether several answers may be chosen.
    pub several: bool,
    /// The answers and what they mean.
    pub labels: Vec<(String, String)>,
}

/// The questions of `AskUserQuestion`; none if it is another tool.
pub fn choices(question: &CanUseTool) -> Option<Vec<Choice>> {
    if question.tool != "AskUserQuestion" {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let asked = question.input["questions"].as_array()?;
    let choices = asked.iter().map(|asked| {
        let labels = asked["options"].as_array().into_iter().flatten();
        Choice {
            question: text(&asked["question"]),
            header: text(&asked["header"]),
            several: asked["multiSelect"] == true,
            labels: labels
                .map(|it| (text(&it["label"]), text(&it["description"])))
                .collect(),
        }
    });
    Some(choices.collect())
}

/// All questions as one form.
pub fn form(choices: &[Choice]) -> v1::ElicitationSchema {
    let fields = choices.iter().enumerate().map(|(at, choice)| {
        let labels = choice.labels.iter().map(|(label, what)| {
            let option = v1::EnumOption::new(label.as_str(), label.as_str());
            match what.is_empty() {
                true => option,
                false => option.description(what.as_str()),
            }
        });
        let field = match choice.several {
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

/// The answers of a form, by question.
pub fn filled(
    choices: &[Choice],
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

/// One question as options, for clients without forms.
pub fn choice_options(choice: &Choice) -> Vec<v1::PermissionOption> {
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

/// The answer to the CLI once the questions have been answered.
pub fn answered(question: &CanUseTool, answers: &BTreeMap<String, String>) -> Value {
    let mut input = question.input.clone();
    if let Some(input) = input.as_object_mut() {
        input.insert("answers".to_owned(), json!(answers));
    }
    response(
        &question.id,
        json!({ "behavior": "allow", "updatedInput": input }),
    )
}

/// The answer to a dialog, which no client can draw: what the CLI does without one. An error would leave it open.
pub fn undrawn(id: &str) -> Value {
    response(id, json!({ "behavior": "cancelled" }))
}

fn tool_options(question: &CanUseTool) -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    let offered = Suggestions::of(question).offered;
    let offered = offered.iter().enumerate();
    let lasting = offered.map(|(at, it)| option(&always(at), &it.name(), AllowAlways));
    let mut options = vec![option("allow", "Allow", AllowOnce)];
    options.extend(lasting);
    options.push(option("reject", "Reject", RejectOnce));
    options
}

fn plan_options(bypass: bool) -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    let mut options = Vec::new();
    if bypass {
        options.push(option(BYPASS, "Yes, and never ask", AllowAlways));
    }
    options.push(option("acceptEdits", "Yes, and accept edits", AllowAlways));
    options.push(option("default", "Yes, and ask before edits", AllowOnce));
    options.push(option("plan", "No, keep planning", RejectOnce));
    options
}

fn plan_answer(question: &CanUseTool, chosen: &str) -> Value {
    match chosen {
        "default" | "acceptEdits" | BYPASS => {
            let mode = json!({ "type": "setMode", "mode": chosen, "destination": "session" });
            allow(question, vec![mode])
        }
        _ => deny(question, "The user wants to keep planning."),
    }
}

fn allow(question: &CanUseTool, permissions: Vec<Value>) -> Value {
    let mut answer = json!({ "behavior": "allow", "updatedInput": question.input });
    if !permissions.is_empty() {
        answer["updatedPermissions"] = Value::Array(permissions);
    }
    response(&question.id, answer)
}

fn response(id: &str, answer: Value) -> Value {
    json!({
        "type": "control_response",
        "response": { "subtype": "success", "request_id": id, "response": answer },
    })
}

fn option(id: &str, name: &str, kind: v1::PermissionOptionKind) -> v1::PermissionOption {
    v1::PermissionOption::new(id, name, kind)
}

fn field_name(at: usize) -> String {
    format!("answer{}", at + 1)
}

/// The id of the option for the suggestion at this place.
fn always(at: usize) -> String {
    format!("allow_always:{at}")
}
