//! One field of a form.

use attache::v1;

use super::{safe_line, safe_lines};
use crate::chat::editor::Editor;

/// One field of a form.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The name of the property in the schema.
    pub(super) name: String,
    /// The title of the field, safe to show.
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) is_required: bool,
    pub(super) value: FieldValue,
    /// What is wrong with the value, found when the user tried to send the form.
    pub(super) problem: Option<String>,
}

/// The value of a field.
#[derive(Debug, Clone)]
pub(super) enum FieldValue {
    Text(Editor, Box<v1::StringPropertySchema>),
    Number(Editor, v1::NumberPropertySchema),
    Integer(Editor, v1::IntegerPropertySchema),
    Boolean(Option<bool>),
    One(FieldChoices),
    Many(FieldChoices, ChoiceBounds),
    /// A kind of field that this version can't show.
    Unknown,
}

/// The choices of a field, and the row with the cursor.
#[derive(Debug, Clone)]
pub(super) struct FieldChoices {
    pub(super) list: Vec<FieldChoice>,
    pub(super) row: usize,
}

#[derive(Debug, Clone)]
pub(super) struct FieldChoice {
    pub(super) value: String,
    pub(super) title: String,
    pub(super) is_chosen: bool,
}

/// The number of choices that may be selected.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChoiceBounds {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

impl Field {
    pub(super) fn new(
        name: &str,
        property: &v1::ElicitationPropertySchema,
        is_required: bool,
    ) -> Field {
        use v1::ElicitationPropertySchema as Property;
        let (title, description) = match property {
            Property::String(it) => (&it.title, &it.description),
            Property::Number(it) => (&it.title, &it.description),
            Property::Integer(it) => (&it.title, &it.description),
            Property::Boolean(it) => (&it.title, &it.description),
            Property::Array(it) => (&it.title, &it.description),
            Property::Other(_) => (&None, &None),
            _ => (&None, &None),
        };
        Field {
            name: name.to_owned(),
            title: safe_line(title.as_deref().unwrap_or(name)),
            description: description.as_deref().map(safe_lines),
            is_required,
            value: FieldValue::from_schema(property),
            problem: None,
        }
    }

    /// Whether the field takes text.
    pub(super) fn has_text(&self) -> bool {
        matches!(
            self.value,
            FieldValue::Text(..) | FieldValue::Number(..) | FieldValue::Integer(..)
        )
    }

    pub(super) fn editor(&mut self) -> Option<&mut Editor> {
        match &mut self.value {
            FieldValue::Text(editor, _)
            | FieldValue::Number(editor, _)
            | FieldValue::Integer(editor, _) => Some(editor),
            _ => None,
        }
    }

    pub(super) fn choices(&mut self) -> Option<&mut FieldChoices> {
        match &mut self.value {
            FieldValue::One(choices) | FieldValue::Many(choices, _) => Some(choices),
            _ => None,
        }
    }
}

impl FieldValue {
    fn from_schema(property: &v1::ElicitationPropertySchema) -> FieldValue {
        use v1::ElicitationPropertySchema as Property;
        match property {
            Property::String(it) => FieldValue::from_string_schema(it),
            Property::Number(it) => FieldValue::Number(editor(it.default.as_ref()), it.clone()),
            Property::Integer(it) => FieldValue::Integer(editor(it.default.as_ref()), it.clone()),
            Property::Boolean(it) => FieldValue::Boolean(it.default),
            Property::Array(it) => {
                let chosen = it.default.as_deref().unwrap_or_default();
                let list = match &it.items {
                    v1::MultiSelectItems::String(items) => plain_choices(&items.values, chosen),
                    v1::MultiSelectItems::Titled(items) => titled_choices(&items.options, chosen),
                    v1::MultiSelectItems::Other(_) => return FieldValue::Unknown,
                    _ => return FieldValue::Unknown,
                };
                let bounds = ChoiceBounds {
                    least: it.min_items,
                    most: it.max_items,
                };
                FieldValue::Many(FieldChoices { list, row: 0 }, bounds)
            }
            Property::Other(_) => FieldValue::Unknown,
            _ => FieldValue::Unknown,
        }
    }

    fn from_string_schema(schema: &v1::StringPropertySchema) -> FieldValue {
        let chosen: Vec<String> = schema.default.iter().cloned().collect();
        let list = match (&schema.one_of, &schema.enum_values) {
            (Some(options), _) => titled_choices(options, &chosen),
            (None, Some(values)) => plain_choices(values, &chosen),
            (None, None) => {
                let editor = editor(schema.default.as_ref());
                return FieldValue::Text(editor, Box::new(schema.clone()));
            }
        };
        let row = list.iter().position(|choice| choice.is_chosen);
        let row = row.unwrap_or(0);
        FieldValue::One(FieldChoices { list, row })
    }
}

fn editor<T: ToString>(default: Option<&T>) -> Editor {
    let text = default.map(T::to_string);
    Editor::with(&text.unwrap_or_default())
}

fn plain_choices(values: &[String], chosen: &[String]) -> Vec<FieldChoice> {
    let choices = values.iter().map(|value| FieldChoice {
        value: value.clone(),
        title: safe_line(value),
        is_chosen: chosen.contains(value),
    });
    choices.take(CHOICES).collect()
}

fn titled_choices(options: &[v1::EnumOption], chosen: &[String]) -> Vec<FieldChoice> {
    let choices = options.iter().map(|option| FieldChoice {
        value: option.value.clone(),
        title: match option.description.as_deref() {
            Some(more) => safe_line(&format!("{} – {more}", option.title)),
            None => safe_line(&option.title),
        },
        is_chosen: chosen.contains(&option.value),
    });
    choices.take(CHOICES).collect()
}

const CHOICES: usize = 1000;
