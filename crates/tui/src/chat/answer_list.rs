//! A short list of answers below a text. The arrow keys select, Enter chooses. At first no answer is selected.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::{Line, Span};

use super::panel::{Panel, ScrollTarget};
use super::quotation::Margins;
use super::text;
use crate::paint::theme::{Sign, TextRole, Theme};

/// The answers, and the selected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerList<T> {
    answers: Vec<(AnswerLabel, T)>,
    selected: Option<usize>,
}

/// The label of an answer, already safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerLabel {
    /// Our own words.
    Ours(&'static str),
    /// An agent's words, shown behind a bar.
    Theirs(String),
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListOutcome<T> {
    /// The list is still open.
    Open,
    /// The user goes back to the composer.
    Back,
    /// An answer was chosen.
    Answer(T),
}

impl<T: Clone> AnswerList<T> {
    pub(crate) fn new(
        answers: impl IntoIterator<Item = (impl Into<AnswerLabel>, T)>,
    ) -> AnswerList<T> {
        let answers = answers.into_iter().map(|(words, it)| (words.into(), it));
        AnswerList {
            answers: answers.collect(),
            selected: None,
        }
    }

    pub(crate) fn deselect(&mut self) {
        self.selected = None;
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> ListOutcome<T> {
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return ListOutcome::Open;
        }
        let count = self.answers.len();
        match (key.code, self.selected) {
            (KeyCode::Down, None) => self.selected = Some(0),
            (KeyCode::Down, Some(at)) => self.selected = Some((at + 1) % count),
            (KeyCode::Up, None) => self.selected = count.checked_sub(1),
            (KeyCode::Up, Some(at)) => self.selected = Some((at + count - 1) % count),
            (KeyCode::Enter, Some(at)) => {
                if let Some((_, answer)) = self.answers.get(at) {
                    return ListOutcome::Answer(answer.clone());
                }
            }
            (KeyCode::Esc | KeyCode::Tab, _) => return ListOutcome::Back,
            _ => {}
        }
        ListOutcome::Open
    }

    /// Adds the answers to a panel and scrolls it so that the selected answer is visible.
    pub(crate) fn draw(&self, panel: &mut Panel, theme: &Theme, width: u16) {
        // Our own answers don't have to be read, only the one that is chosen.
        let are_ours = |(words, _): &(AnswerLabel, T)| matches!(words, AnswerLabel::Ours(_));
        if self.answers.iter().all(are_ours) {
            panel.to_read = Some(panel.lines.len());
        }
        for (at, (words, _)) in self.answers.iter().enumerate() {
            let is_selected = self.selected == Some(at);
            let (sign, role) = match is_selected {
                true => (theme.sign(Sign::Cursor), TextRole::Selected),
                false => (" ", TextRole::Text),
            };
            if is_selected {
                panel.scroll_target = ScrollTarget::At(panel.lines.len());
            }
            let (style, width) = (theme.style(role), usize::from(width));
            match words {
                AnswerLabel::Ours(name) => {
                    let row = text::cut(&format!("{sign} {name}"), width);
                    panel.lines.push(Line::styled(row, style));
                }
                AnswerLabel::Theirs(name) => {
                    let bar = theme.sign(Sign::Quoted);
                    let margins = Margins {
                        first: Span::styled(format!("{sign} {bar} "), style),
                        rest: Span::styled(format!("  {bar} "), style),
                    };
                    panel.lines.extend(margins.wrap(name, style, width));
                }
            }
        }
        panel.keys = "↑↓ select · Enter choose · Esc back".to_owned();
    }
}

impl From<&'static str> for AnswerLabel {
    fn from(words: &'static str) -> AnswerLabel {
        AnswerLabel::Ours(words)
    }
}
