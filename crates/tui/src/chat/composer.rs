//! The composer: the prompt text, its attachments and completion, and the prompt history.

use std::path::PathBuf;

use attache::v1;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::completion::{self, Completion, ListDirection};
use super::editor::{EditOutcome, Editor, LineMode};

/// The prompt that is being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Composer {
    pub(crate) editor: Editor,
    pub(crate) attached: Vec<PathBuf>,
    pub(crate) completion: Option<Completion>,
}

/// The possible completions, and the width of the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComposerContext<'a> {
    pub(crate) commands: &'a [v1::AvailableCommand],
    pub(crate) files: &'a [String],
    pub(crate) width: usize,
}

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComposerOutcome {
    /// The text or the cursor has changed.
    Changed,
    /// Send the prompt.
    Send,
    /// The key has no meaning here.
    Ignored,
}

/// Earlier prompts of all tabs.
#[derive(Debug, Clone, Default)]
pub(crate) struct PromptHistory {
    prompts: Vec<String>,
    /// The index of the prompt on display, and the draft that it replaced.
    shown: Option<(usize, String)>,
}

impl Composer {
    pub(crate) fn is_empty(&self) -> bool {
        self.editor.is_empty() && self.attached.is_empty()
    }

    pub(crate) fn key(
        &mut self,
        key: &KeyEvent,
        context: ComposerContext<'_>,
        history: &mut PromptHistory,
    ) -> ComposerOutcome {
        if self.completion_key(key, context) {
            return ComposerOutcome::Changed;
        }
        let is_plain = !key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Enter if is_plain => return ComposerOutcome::Send,
            KeyCode::Up => {
                if !self.editor.up(context.width) {
                    history.previous(&mut self.editor);
                }
                return ComposerOutcome::Changed;
            }
            KeyCode::Down => {
                if !self.editor.down(context.width) {
                    history.next(&mut self.editor);
                }
                return ComposerOutcome::Changed;
            }
            KeyCode::Backspace if self.editor.is_empty() => {
                self.attached.pop();
                return ComposerOutcome::Changed;
            }
            _ => {}
        }
        match self.editor.key(key, LineMode::Multi) {
            EditOutcome::Edited => {
                history.shown = None;
                self.complete(context);
                ComposerOutcome::Changed
            }
            EditOutcome::Moved => {
                self.completion = None;
                ComposerOutcome::Changed
            }
            EditOutcome::Ignored => ComposerOutcome::Ignored,
        }
    }

    /// Updates the completions at the cursor.
    pub(crate) fn complete(&mut self, context: ComposerContext<'_>) {
        self.completion = Completion::at(&self.editor, context.commands, context.files);
    }

    /// Handles a key of the completion list. Returns `false` if the key is not for the list.
    fn completion_key(&mut self, key: &KeyEvent, context: ComposerContext<'_>) -> bool {
        let Some(completion) = &mut self.completion else {
            return false;
        };
        match key.code {
            KeyCode::Down => completion.step(ListDirection::Next),
            KeyCode::Up => completion.step(ListDirection::Previous),
            KeyCode::Esc => self.completion = None,
            KeyCode::Tab => self.accept(context),
            KeyCode::Enter if key.modifiers.is_empty() => {
                // Enter sends a command that is already typed in full.
                let chosen = completion.chosen();
                let is_whole = completion.kind == completion::CompletionKind::Command
                    && chosen.is_some_and(|choice| choice.label == self.editor.text());
                if is_whole {
                    self.completion = None;
                    return false;
                }
                self.accept(context);
            }
            _ => return false,
        }
        true
    }

    fn accept(&mut self, context: ComposerContext<'_>) {
        if let Some(completion) = self.completion.take()
            && let Some(choice) = completion.chosen()
        {
            self.editor.replace(completion.range.clone(), &choice.text);
            self.complete(context);
        }
    }
}

impl PromptHistory {
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

    fn previous(&mut self, editor: &mut Editor) {
        let (at, draft) = match self.shown.take() {
            Some((at, draft)) => (at, draft),
            None => (self.prompts.len(), editor.text().to_owned()),
        };
        let at = at.saturating_sub(1);
        if let Some(prompt) = self.prompts.get(at) {
            editor.set_text(prompt);
            self.shown = Some((at, draft));
        }
    }

    fn next(&mut self, editor: &mut Editor) {
        let Some((at, draft)) = self.shown.take() else {
            return;
        };
        match self.prompts.get(at + 1) {
            Some(prompt) => {
                editor.set_text(prompt);
                self.shown = Some((at + 1, draft));
            }
            None => editor.set_text(&draft),
        }
    }
}

const PROMPTS: usize = 500;
