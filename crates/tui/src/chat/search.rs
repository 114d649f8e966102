//! The dialog that searches the transcript.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Span;

use super::editor::{EditOutcome, Editor, LineMode};
use super::help::DialogState;
use super::panel::Panel;
use crate::paint::TranscriptView;
use crate::paint::theme::{TextRole, Theme};

/// The search query.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchDialog {
    query: Editor,
}

impl SearchDialog {
    pub(crate) fn key(&mut self, key: &KeyEvent, view: &mut TranscriptView) -> DialogState {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => {
                view.search("");
                return DialogState::Closed;
            }
            KeyCode::Enter | KeyCode::Up => view.previous_match(),
            KeyCode::Down => view.next_match(),
            KeyCode::Char('f') if control => view.previous_match(),
            _ => {
                if self.query.key(key, LineMode::Single) == EditOutcome::Edited {
                    view.search(self.query.text());
                }
            }
        }
        DialogState::Open
    }

    pub(crate) fn paste(&mut self, text: &str, view: &mut TranscriptView) {
        self.query.insert(&text.replace(['\n', '\r'], " "));
        view.search(self.query.text());
    }

    pub(crate) fn panel(&self, view: &TranscriptView, theme: &Theme) -> Panel {
        let mut panel = Panel::new("Search");
        let found = match view.search_status() {
            None => String::new(),
            Some(found) => {
                let so_far = if found.is_complete { "" } else { " so far" };
                match found.entries {
                    0 if found.is_complete => "  nothing found".to_owned(),
                    entries => format!("  {} of {entries}{so_far}", found.current),
                }
            }
        };
        panel.cursor = Some((self.query.cursor_position(usize::MAX).1, 0));
        panel.line(vec![
            Span::styled(self.query.text().to_owned(), theme.style(TextRole::Strong)),
            Span::styled(found, theme.style(TextRole::Dim)),
        ]);
        panel.keys = "Enter ↑ previous · ↓ next · Esc close".to_owned();
        panel
    }
}
