//! The keys of the transcript: select, unfold and copy entries. Single letters work here because no text is typed.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};

use super::keys::is_modified;
use super::{App, Dialog, Focus};
use crate::chat::effect::Effect;
use crate::chat::help::Help;
use crate::chat::keymap::{self, UiAction};
use crate::chat::search::SearchDialog;
use crate::paint::view::text_of;
use crate::paint::{Scroll, SelectionStep, Tone};

impl App {
    pub(super) fn transcript_key(&mut self, key: &KeyEvent, now: Instant) {
        if self.tab_key(key) {
            return;
        }
        if let Some(action) = keymap::action(key) {
            return self.run_action(action, now);
        }
        if is_modified(key) {
            return;
        }
        let view = &mut self.tab_mut().view;
        match key.code {
            KeyCode::Down | KeyCode::Char('j') => view.select(SelectionStep::Next),
            KeyCode::Up | KeyCode::Char('k') => view.select(SelectionStep::Previous),
            KeyCode::Char(']') => view.select(SelectionStep::NextPrompt),
            KeyCode::Char('[') => view.select(SelectionStep::PreviousPrompt),
            KeyCode::Enter | KeyCode::Char(' ') => {
                if let Some(entry) = view.selected() {
                    view.toggle(entry);
                }
            }
            KeyCode::Char('g') | KeyCode::Home => view.scroll(Scroll::Top),
            KeyCode::Char('G') | KeyCode::End => view.scroll(Scroll::Bottom),
            KeyCode::Char('n') => view.next_match(),
            KeyCode::Char('N') => view.previous_match(),
            KeyCode::Char('/') => self.dialog = Some(Dialog::Search(SearchDialog::default())),
            KeyCode::Char('?') => self.dialog = Some(Dialog::Help(Help::default())),
            KeyCode::Char('c' | 'y') => self.copy_selected(now),
            KeyCode::Char('d') => self.run_action(UiAction::Diffs, now),
            KeyCode::Esc | KeyCode::Tab | KeyCode::Char('i' | 'q') => self.focus_composer(),
            _ => {}
        }
    }

    pub(super) fn focus_transcript(&mut self) {
        self.focus = Focus::Transcript;
        self.tab_mut().view.select(SelectionStep::Previous);
    }

    pub(super) fn focus_composer(&mut self) {
        self.focus = Focus::Composer;
        self.tab_mut().view.unselect();
    }

    fn copy_selected(&mut self, now: Instant) {
        let tab = self.tab();
        let entry = tab.view.selected();
        let entry = entry.and_then(|entry| tab.transcript.entry(entry));
        if let Some(text) = entry.map(text_of) {
            self.copy(text, now);
        }
    }

    /// Copies a text to the clipboard, unless it is longer than terminals accept.
    pub(super) fn copy(&mut self, text: String, now: Instant) {
        if text.is_empty() {
            return self.toast(Tone::Info, "nothing to copy", now);
        }
        if text.len() > CLIPBOARD {
            let why = "too long for the terminal's clipboard; export it instead (Alt-E)";
            return self.toast(Tone::Warning, why, now);
        }
        let count = text.chars().count();
        self.toast(Tone::Good, format!("copied {count} characters"), now);
        self.effects.push(Effect::Copy(text));
    }
}

/// The most bytes that common terminals accept in one copy.
const CLIPBOARD: usize = 74_000;
