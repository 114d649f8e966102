//! Completes the word at the cursor: a slash command of the agent, or a file after `@`.

use std::ops::Range;

use attache::v1;

use super::editor::Editor;
use super::{fuzzy, mentions};

/// The completions for the word at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The bytes of the text that a completion replaces.
    pub(crate) range: Range<usize>,
    pub(crate) choices: Vec<CompletionItem>,
    pub(crate) selected: usize,
    pub(crate) kind: CompletionKind,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompletionItem {
    pub(crate) label: String,
    pub(crate) detail: String,
    /// The text to insert.
    pub(crate) text: String,
}

/// What kind of word is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompletionKind {
    Command,
    File,
}

impl Completion {
    /// The completions at the cursor, if there are any.
    pub(crate) fn at(
        editor: &Editor,
        commands: &[v1::AvailableCommand],
        files: &[String],
    ) -> Option<Completion> {
        let before = &editor.text()[..editor.cursor()];
        let found = match before.strip_prefix('/') {
            Some(name) if !name.contains(char::is_whitespace) => commands_like(name, commands),
            _ => files_like(before, files)?,
        };
        Some(found).filter(|found| !found.choices.is_empty())
    }

    pub(crate) fn chosen(&self) -> Option<&CompletionItem> {
        self.choices.get(self.selected)
    }

    /// Selects the next or previous completion, wrapping around.
    pub(crate) fn step(&mut self, direction: ListDirection) {
        let count = self.choices.len().max(1);
        self.selected = match direction {
            ListDirection::Next => (self.selected + 1) % count,
            ListDirection::Previous => (self.selected + count - 1) % count,
        };
    }
}

/// The direction of a step in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListDirection {
    Next,
    Previous,
}

/// The agent's hint for the input of a command, while the text is only that command.
pub(crate) fn input_hint<'a>(text: &str, commands: &'a [v1::AvailableCommand]) -> Option<&'a str> {
    let name = text.strip_prefix('/')?.strip_suffix(' ')?;
    let command = commands.iter().find(|command| command.name == name)?;
    match &command.input {
        Some(v1::AvailableCommandInput::Unstructured(input)) => Some(&input.hint),
        _ => None,
    }
}

/// Whether the word at the cursor is a file mention.
pub(crate) fn wants_files(editor: &Editor) -> bool {
    mentions::unfinished_mention(&editor.text()[..editor.cursor()]).is_some()
}

fn commands_like(name: &str, commands: &[v1::AvailableCommand]) -> Completion {
    let names = commands.iter().map(|command| command.name.as_str());
    let best = fuzzy::best(name, names, COMMANDS);
    let choices = best.into_iter().map(|index| {
        let command = &commands[index];
        CompletionItem {
            label: format!("/{}", command.name),
            detail: command.description.clone(),
            text: format!("/{} ", command.name),
        }
    });
    Completion {
        range: 0..name.len() + 1,
        choices: choices.collect(),
        selected: 0,
        kind: CompletionKind::Command,
    }
}

fn files_like(before: &str, files: &[String]) -> Option<Completion> {
    let open = mentions::unfinished_mention(before)?;
    let best = fuzzy::best(&open.name, files.iter().map(String::as_str), FILES);
    let choices = best.into_iter().map(|index| CompletionItem {
        label: files[index].clone(),
        detail: String::new(),
        text: mentions::mention_of(&files[index]) + " ",
    });
    Some(Completion {
        range: open.start..before.len(),
        choices: choices.collect(),
        selected: 0,
        kind: CompletionKind::File,
    })
}

const COMMANDS: usize = 200;
const FILES: usize = 50;
