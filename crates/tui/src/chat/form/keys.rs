//! The keys of a form.

use attache::v1;
use crossterm::event::{KeyCode, KeyEvent};

use super::field::{Choices, Value};
use super::{Filled, Focus, Form};
use crate::chat::completion::Step;
use crate::chat::editor::Lines;

impl Form {
    pub(crate) fn key(&mut self, key: &KeyEvent) -> Filled {
        match key.code {
            KeyCode::Esc => return Filled::Back,
            KeyCode::Tab => self.step(Step::Next),
            KeyCode::BackTab => self.step(Step::Previous),
            KeyCode::Down => self.row(Step::Next),
            KeyCode::Up => self.row(Step::Previous),
            KeyCode::Enter => return self.enter(),
            KeyCode::Left | KeyCode::Right if self.toggle() => {}
            _ => {
                if let Some(editor) = self.field().and_then(|field| field.editor()) {
                    editor.key(key, Lines::One);
                }
            }
        }
        Filled::Open
    }

    /// Whether there was a field to paste into.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let editor = self.field().and_then(|field| field.editor());
        editor.is_some_and(|editor| {
            editor.insert(&text.replace(['\n', '\r'], " "));
            true
        })
    }

    fn field(&mut self) -> Option<&mut super::Field> {
        match self.focus {
            Focus::Field(index) => self.fields.get_mut(index),
            Focus::Nothing | Focus::Send | Focus::Decline | Focus::Dismiss => None,
        }
    }

    fn enter(&mut self) -> Filled {
        match self.focus {
            Focus::Send => return self.send(),
            Focus::Decline => return Filled::Done(v1::ElicitationAction::Decline),
            Focus::Dismiss => return Filled::Done(v1::ElicitationAction::Cancel),
            Focus::Nothing => return Filled::Open,
            Focus::Field(_) => {}
        }
        if let Some(choices) = self.field().and_then(|field| field.choices_of_one()) {
            choices.choose_this();
        }
        self.step(Step::Next);
        Filled::Open
    }

    fn step(&mut self, step: Step) {
        let last = self.fields.len().checked_sub(1);
        self.focus = match (self.focus, step) {
            (Focus::Field(index), Step::Next) if Some(index) != last => Focus::Field(index + 1),
            (Focus::Field(_), Step::Next) => Focus::Send,
            (Focus::Send, Step::Next) => Focus::Decline,
            (Focus::Decline, Step::Next) => Focus::Dismiss,
            (Focus::Nothing | Focus::Dismiss, Step::Next) => {
                last.map_or(Focus::Send, |_| Focus::Field(0))
            }
            (Focus::Nothing | Focus::Field(0), Step::Previous) => Focus::Dismiss,
            (Focus::Field(index), Step::Previous) => Focus::Field(index - 1),
            (Focus::Send, Step::Previous) => last.map_or(Focus::Dismiss, Focus::Field),
            (Focus::Dismiss, Step::Previous) => Focus::Decline,
            (Focus::Decline, Step::Previous) => Focus::Send,
        };
    }

    /// Up and down go through the rows of a field with choices, then on to the next field.
    fn row(&mut self, step: Step) {
        if let Some(choices) = self.field().and_then(|field| field.choices()) {
            match step {
                Step::Next if choices.row + 1 < choices.list.len() => {
                    choices.row += 1;
                    return;
                }
                Step::Previous if choices.row > 0 => {
                    choices.row -= 1;
                    return;
                }
                _ => {}
            }
        }
        self.step(step);
    }

    /// Whether there was something to toggle.
    fn toggle(&mut self) -> bool {
        let Some(field) = self.field() else {
            return false;
        };
        match &mut field.value {
            Value::Switch(on) => *on = Some(!on.unwrap_or(false)),
            Value::One(choices) => choices.choose_this(),
            Value::Many(choices, _) => {
                if let Some(choice) = choices.list.get_mut(choices.row) {
                    choice.is_chosen = !choice.is_chosen;
                }
            }
            Value::Text(..) | Value::Number(..) | Value::Integer(..) | Value::Unknown => {
                return false;
            }
        }
        true
    }
}

impl super::Field {
    fn choices_of_one(&mut self) -> Option<&mut Choices> {
        match &mut self.value {
            Value::One(choices) => Some(choices),
            _ => None,
        }
    }
}

impl Choices {
    fn choose_this(&mut self) {
        for (index, choice) in self.list.iter_mut().enumerate() {
            choice.is_chosen = index == self.row;
        }
    }
}
