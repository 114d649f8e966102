//! A form that the agent asks the user to fill in: its fields, its keys, and when it can be sent.

mod draw;
mod field;
mod keys;
mod validation;

use std::collections::BTreeMap;

use attache::v1;
use attache_text::plain::{visible, visible_lines};

use field::Field;

/// A form that is being filled in.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    /// The agent's message above the form.
    message: String,
    title: Option<String>,
    description: Option<String>,
    fields: Vec<Field>,
    focus: FormFocus,
}

/// The field or button that has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormFocus {
    /// Nothing yet: the user has to move to a field or a button.
    Nothing,
    Field(usize),
    Send,
    Decline,
    Dismiss,
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormOutcome {
    /// The form is still open.
    Open,
    /// The user goes back to the composer.
    Back,
    /// The form is answered.
    Answered(v1::ElicitationAction),
}

impl Form {
    pub(crate) fn new(message: &str, schema: &v1::ElicitationSchema) -> Form {
        let required = schema.required.as_deref().unwrap_or_default();
        let fields = schema.properties.iter().take(FIELDS);
        let fields = fields.map(|(name, property)| {
            Field::new(name, property, required.iter().any(|one| one == name))
        });
        let mut fields: Vec<Field> = fields.collect();
        fields.sort_by_key(|field| !field.is_required);
        Form {
            message: visible_lines(message).into_owned(),
            title: schema.title.as_deref().map(safe_line),
            description: schema.description.as_deref().map(safe_lines),
            fields,
            focus: FormFocus::Nothing,
        }
    }

    /// Whether keys currently type text into a field.
    pub(crate) fn takes_text(&self) -> bool {
        match self.focus {
            FormFocus::Field(index) => self.fields.get(index).is_some_and(Field::has_text),
            _ => false,
        }
    }

    pub(crate) fn deselect(&mut self) {
        self.focus = FormFocus::Nothing;
    }

    /// Checks every field. Returns the answer, or moves the focus to the first field with a problem.
    fn send(&mut self) -> FormOutcome {
        let mut content = BTreeMap::new();
        let mut first = None;
        for (index, field) in self.fields.iter_mut().enumerate() {
            match validation::field_value(field) {
                Ok(Some(value)) => {
                    content.insert(field.name.clone(), value);
                    field.problem = None;
                }
                Ok(None) => field.problem = None,
                Err(problem) => {
                    field.problem = Some(problem);
                    first = first.or(Some(index));
                }
            }
        }
        match first {
            Some(index) => {
                self.focus = FormFocus::Field(index);
                FormOutcome::Open
            }
            None => {
                let accept = v1::ElicitationAcceptAction::new().content(content);
                FormOutcome::Answered(v1::ElicitationAction::Accept(accept))
            }
        }
    }
}

fn safe_line(text: &str) -> String {
    visible(text).into_owned()
}

fn safe_lines(text: &str) -> String {
    visible_lines(text).into_owned()
}

/// The most fields that are shown.
const FIELDS: usize = 100;
