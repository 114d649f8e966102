//! What a person is writing: the text, what is attached to it, its completion, and the prompts of before.

use std::path::PathBuf;

use attache::v1;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::completion::{self, Completion, Step};
use super::editor::{Editor, Handled, Lines};

/// What is being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Composer {
    pub(crate) editor: Editor,
    pub(crate) attached: Vec<PathBuf>,
    pub(crate) completion: Option<Completion>,
}

/// What can be completed, and how wide the text is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) commands: &'a [v1::AvailableCommand],
    pub(crate) files: &'a [String],
    pub(crate) width: usize,
}

/// What a key has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// The text or the cursor has changed.
    Yes,
    /// It is to be sent.
    Send,
    /// The key means nothing here.
    No,
}

/// The prompts of before, of all tabs.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    prompts: Vec<String>,
    /// Which one is shown, and what was written before it was.
    shown: Option<(usize, String)>,
}

impl Composer {
    pub(crate) fn is_empty(&self) -> bool {
        self.editor.is_empty() && self.attached.is_empty()
    }

    pub(crate) fn key(
        &mut self,
        key: &KeyEvent,
        around: Around<'_>,
        history: &mut History,
    ) -> Written {
        if self.completion_key(key, around) {
            return Written::Yes;
        }
        let is_plain = !key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Enter if is_plain => return Written::Send,
            KeyCode::Up => {
                if !self.editor.up(around.width) {
                    history.back(&mut self.editor);
                }
                return Written::Yes;
            }
            KeyCode::Down => {
                if !self.editor.down(around.width) {
                    history.forth(&mut self.editor);
                }
                return Written::Yes;
            }
            KeyCode::Backspace if self.editor.is_empty() => {
                self.attached.pop();
                return Written::Yes;
            }
            _ => {}
        }
        match self.editor.key(key, Lines::Many) {
            Handled::Edited => {
                history.shown = None;
                self.complete(around);
                Written::Yes
            }
            Handled::Moved => {
                self.completion = None;
                Written::Yes
            }
            Handled::No => Written::No,
        }
    }

    /// Looks again what could stand at the cursor.
    pub(crate) fn complete(&mut self, around: Around<'_>) {
        self.completion = Completion::at(&self.editor, around.commands, around.files);
    }

    /// Whether the key belonged to the completion.
    fn completion_key(&mut self, key: &KeyEvent, around: Around<'_>) -> bool {
        let Some(completion) = &mut self.completion else {
            return false;
        };
        match key.code {
            KeyCode::Down => completion.step(Step::Next),
            KeyCode::Up => completion.step(Step::Previous),
            KeyCode::Esc => self.completion = None,
            KeyCode::Tab => self.accept(around),
            KeyCode::Enter if key.modifiers.is_empty() => {
                // A command that stands there in full is meant to be sent.
                let chosen = completion.chosen();
                let is_whole = completion.kind == completion::Kind::Command
                    && chosen.is_some_and(|choice| choice.label == self.editor.text());
                if is_whole {
                    self.completion = None;
                    return false;
                }
                self.accept(around);
            }
            _ => return false,
        }
        true
    }

    fn accept(&mut self, around: Around<'_>) {
        if let Some(completion) = self.completion.take()
            && let Some(choice) = completion.chosen()
        {
            self.editor.replace(completion.range.clone(), &choice.text);
            self.complete(around);
        }
    }
}

impl History {
    pub(crate) fn push(&mut self, prompt: &str) {
        self.shown = None;
        if prompt.trim().is_empty() || self.prompts.last().is_some_and(|last| last == prompt) {
            return;
        }
        self.prompts.push(prompt.to_owned());
        if self.prompts.len() > PROMPTS {
            self.prompts.remove(0);
        }
    }

    fn back(&mut self, editor: &mut Editor) {
        let (at, draft) = match self.shown.take() {
            Some((at, draft)) => (at, draft),
            None => (self.prompts.len(), editor.text().to_owned()),
        };
        let at = at.saturating_sub(1);
        if let Some(prompt) = self.prompts.get(at) {
            editor.put(prompt);
            self.shown = Some((at, draft));
        }
    }

    fn forth(&mut self, editor: &mut Editor) {
        let Some((at, draft)) = self.shown.take() else {
            return;
        };
        match self.prompts.get(at + 1) {
            Some(prompt) => {
                editor.put(prompt);
                self.shown = Some((at + 1, draft));
            }
            None => editor.put(&draft),
        }
    }
}

const PROMPTS: usize = 500;
