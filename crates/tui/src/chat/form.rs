//! A form that the agent wants filled in: its fields, the keys in it, and when it may be sent.

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
    /// What the agent says above it.
    message: String,
    title: Option<String>,
    description: Option<String>,
    fields: Vec<Field>,
    focus: FormFocus,
}

/// Where the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormFocus {
    /// Nowhere yet: the user has to go to a field or a button.
    Nothing,
    Field(usize),
    Send,
    Decline,
    Dismiss,
}

/// What a key has done to a form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormOutcome {
    /// It is still open.
    Open,
    /// The user goes back to the composer.
    Back,
    /// It is answered.
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

    /// Whether text is typed in it now.
    pub(crate) fn takes_text(&self) -> bool {
        match self.focus {
            FormFocus::Field(index) => self.fields.get(index).is_some_and(Field::has_text),
            _ => false,
        }
    }

    pub(crate) fn deselect(&mut self) {
        self.focus = FormFocus::Nothing;
    }

    /// Checks every field. Either the answer, or the first field with a problem gets the focus.
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
                let accept = v1::ElicitationAcceptAction {
                    content: Some(content),
                };
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

/// More fields than this are no form for a person.
const FIELDS: usize = 100;
