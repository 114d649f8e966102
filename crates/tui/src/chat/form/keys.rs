//! The keys of a form.

use attache::v1;
use crossterm::event::{KeyCode, KeyEvent};

use super::field::{FieldChoices, FieldValue};
use super::{Form, FormFocus, FormOutcome};
use crate::chat::completion::ListDirection;
use crate::chat::editor::LineMode;

impl Form {
    pub(crate) fn key(&mut self, key: &KeyEvent) -> FormOutcome {
        match key.code {
            KeyCode::Esc => return FormOutcome::Back,
            KeyCode::Tab => self.move_focus(ListDirection::Next),
            KeyCode::BackTab => self.move_focus(ListDirection::Previous),
            KeyCode::Down => self.move_row(ListDirection::Next),
            KeyCode::Up => self.move_row(ListDirection::Previous),
            KeyCode::Enter => return self.enter(),
            KeyCode::Left | KeyCode::Right if self.toggle() => {}
            _ => {
                if let Some(editor) = self.focused_field().and_then(|field| field.editor()) {
                    editor.key(key, LineMode::Single);
                }
            }
        }
        FormOutcome::Open
    }

    /// Pastes text into the focused field. Returns `false` if no text field has the focus.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let editor = self.focused_field().and_then(|field| field.editor());
        editor.is_some_and(|editor| {
            editor.insert(&text.replace(['\n', '\r'], " "));
            true
        })
    }

    fn focused_field(&mut self) -> Option<&mut super::Field> {
        match self.focus {
            FormFocus::Field(index) => self.fields.get_mut(index),
            FormFocus::Nothing | FormFocus::Send | FormFocus::Decline | FormFocus::Dismiss => None,
        }
    }

    fn enter(&mut self) -> FormOutcome {
        match self.focus {
            FormFocus::Send => return self.send(),
            FormFocus::Decline => return FormOutcome::Answered(v1::ElicitationAction::Decline),
            FormFocus::Dismiss => return FormOutcome::Answered(v1::ElicitationAction::Cancel),
            FormFocus::Nothing => return FormOutcome::Open,
            FormFocus::Field(_) => {}
        }
        if let Some(choices) = self.focused_field().and_then(|field| field.single_choice()) {
            choices.choose_current();
        }
        self.move_focus(ListDirection::Next);
        FormOutcome::Open
    }

    fn move_focus(&mut self, direction: ListDirection) {
        let last = self.fields.len().checked_sub(1);
        self.focus = match (self.focus, direction) {
            (FormFocus::Field(index), ListDirection::Next) if Some(index) != last => {
                FormFocus::Field(index + 1)
            }
            (FormFocus::Field(_), ListDirection::Next) => FormFocus::Send,
            (FormFocus::Send, ListDirection::Next) => FormFocus::Decline,
            (FormFocus::Decline, ListDirection::Next) => FormFocus::Dismiss,
            (FormFocus::Nothing | FormFocus::Dismiss, ListDirection::Next) => {
                last.map_or(FormFocus::Send, |_| FormFocus::Field(0))
            }
            (FormFocus::Nothing | FormFocus::Field(0), ListDirection::Previous) => {
                FormFocus::Dismiss
            }
            (FormFocus::Field(index), ListDirection::Previous) => FormFocus::Field(index - 1),
            (FormFocus::Send, ListDirection::Previous) => {
                last.map_or(FormFocus::Dismiss, FormFocus::Field)
            }
            (FormFocus::Dismiss, ListDirection::Previous) => FormFocus::Decline,
            (FormFocus::Decline, ListDirection::Previous) => FormFocus::Send,
        };
    }

    /// Moves through the choices of a field, then to the next field.
    fn move_row(&mut self, direction: ListDirection) {
        if let Some(choices) = self.focused_field().and_then(|field| field.choices()) {
            match direction {
                ListDirection::Next if choices.row + 1 < choices.list.len() => {
                    choices.row += 1;
                    return;
                }
                ListDirection::Previous if choices.row > 0 => {
                    choices.row -= 1;
                    return;
                }
                _ => {}
            }
        }
        self.move_focus(direction);
    }

    /// Toggles the focused value. Returns `false` if it can't be toggled.
    fn toggle(&mut self) -> bool {
        let Some(field) = self.focused_field() else {
            return false;
        };
        match &mut field.value {
            FieldValue::Boolean(on) => *on = Some(!on.unwrap_or(false)),
            FieldValue::One(choices) => choices.choose_current(),
            FieldValue::Many(choices, _) => {
                if let Some(choice) = choices.list.get_mut(choices.row) {
                    choice.is_chosen = !choice.is_chosen;
                }
            }
            FieldValue::Text(..)
            | FieldValue::Number(..)
            | FieldValue::Integer(..)
            | FieldValue::Unknown => {
                return false;
            }
        }
        true
    }
}

impl super::Field {
    fn single_choice(&mut self) -> Option<&mut FieldChoices> {
        match &mut self.value {
            FieldValue::One(choices) => Some(choices),
            _ => None,
        }
    }
}

impl FieldChoices {
    fn choose_current(&mut self) {
        for (index, choice) in self.list.iter_mut().enumerate() {
            choice.is_chosen = index == self.row;
        }
    }
}
