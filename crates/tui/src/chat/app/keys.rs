//! Decides where a key goes: to the dialog, the agent's request, the transcript or the composer.

use std::time::{Duration, Instant};

use attache_client::command::Command;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{App, Dialog, Focus, ToastEnd};
use crate::chat::composer::{ComposerContext, ComposerOutcome};
use crate::chat::effect::{Effect, SendMode};
use crate::chat::help::{DialogState, Help};
use crate::chat::keymap::{self, UiAction};
use crate::chat::paste_detector::{KeyPace, is_printable, pasted_text};
use crate::chat::picker::{PickerChoice, PickerOutcome};
use crate::chat::request_queue::GRACE_PERIOD;
use crate::chat::tab::TurnStatus;
use crate::paint::{Scroll, Tone};

impl App {
    pub(super) fn key(&mut self, key: &KeyEvent, now: Instant) {
        let pace = self.paste_detector.classify(key, now);
        self.end_toast(ToastEnd::NextKey);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return self.interrupt(now);
        }
        if !is_quit(key) {
            self.quit_by = None;
        }
        if self.dialog.is_some() {
            return self.dialog_key(key, now);
        }
        let is_late = self.requests.may_target_vanished(now);
        if is_late && matches!(key.code, KeyCode::Enter | KeyCode::Esc) {
            let text = match self.requests.first(self.tab().session()) {
                Some(_) => "that key did nothing: the request has changed",
                None => "that key did nothing: the request is gone",
            };
            return self.toast(Tone::Warning, text, now);
        }
        if key.code == KeyCode::Esc && self.can_leave() {
            self.left_at = Some(now);
        }
        if self.is_text_beside_request(key, pace) {
            return self.type_beside_request(key, now);
        }
        let is_for_request = self.request_has_keys() && App::scrolls_request(key);
        if !is_for_request && self.scroll_key(key) {
            return;
        }
        if self.request_has_keys() {
            // Pasted text doesn't select anything either.
            if pace == KeyPace::Pasted && !self.request_takes_text() {
                return;
            }
            // A form uses every key itself.
            return match keymap::action(key).filter(|_| !self.request_is_form()) {
                Some(action) => self.run_action(action, now),
                None if self.tab_key(key) => {}
                None => self.request_key(key, now),
            };
        }
        match self.focus {
            Focus::Transcript => self.transcript_key(key, now),
            Focus::Composer => self.composer_key(key, now),
        }
    }

    pub(super) fn paste(&mut self, text: &str, now: Instant) {
        match &mut self.dialog {
            Some(Dialog::Picker(picker)) => return picker.paste(text),
            Some(Dialog::Export(export)) => {
                export.name.insert(&text.replace(['\n', '\r'], " "));
                return;
            }
            Some(Dialog::Search(search)) => {
                return search.paste(text, &mut self.tabs[self.active].view);
            }
            Some(Dialog::Help(_)) => self.dialog = None,
            None => {}
        }
        if self.request_has_keys() {
            if self.paste_into_request(text) {
                return;
            }
            // A list of answers takes no text, so a paste goes to the composer.
            self.requests.leave();
        }
        self.focus = Focus::Composer;
        let left_out = self.tab_mut().composer.editor.insert(text);
        self.tab_mut().composer.completion = None;
        if left_out > 0 {
            let text = format!("too long: {left_out} bytes were left out; attach it as a file");
            self.toast(Tone::Warning, text, now);
        }
    }

    /// Whether a key is text even though a request is open: printable characters always are, Enter and Tab only as part
    /// of a paste. The composer handles single characters itself.
    fn is_text_beside_request(&self, key: &KeyEvent, pace: KeyPace) -> bool {
        let has_request = self.requests.first(self.tab().session()).is_some();
        match pace {
            KeyPace::Alone => {
                self.request_has_keys() && is_printable(key) && !self.request_takes_text()
            }
            KeyPace::Pasted => {
                let is_reading = self.focus == Focus::Transcript && !self.request_has_keys();
                has_request && !is_reading && pasted_text(key).is_some()
            }
        }
    }

    /// Sends text to the composer and moves the focus there, so that typed words are kept and decide nothing. Only a
    /// focused form field takes text.
    fn type_beside_request(&mut self, key: &KeyEvent, now: Instant) {
        if is_printable(key) && !self.request_has_keys() {
            return self.edit_prompt(key, now);
        }
        if let Some(text) = pasted_text(key) {
            self.paste(text.encode_utf8(&mut [0; 4]), now);
        }
        self.refresh_files(now);
    }

    /// Ctrl-C clears the composer; if that is empty, it cancels the turn. Pressed twice, it quits.
    fn interrupt(&mut self, now: Instant) {
        if self.quit_by.take().is_some_and(|by| now <= by) {
            self.effects.push(Effect::Quit);
            return;
        }
        if self.dialog.take().is_some() {
            return;
        }
        if !self.tab().composer.is_empty() {
            let composer = &mut self.tab_mut().composer;
            composer.editor.set_text("");
            composer.attached.clear();
            composer.completion = None;
            self.toast(Tone::Info, "cleared; Ctrl-Z restores it", now);
            return;
        }
        self.quit_by = Some(now + TWICE);
        if self.cancel() {
            self.toast(Tone::Info, "cancelling; press Ctrl-C again to quit", now);
        } else {
            self.toast(Tone::Info, "press Ctrl-C again to quit", now);
        }
    }

    /// Quits. While a turn is running, the key has to be pressed twice.
    pub(super) fn quit(&mut self, now: Instant) {
        let is_meant = self.quit_by.take().is_some_and(|by| now <= by);
        let is_busy = self.tabs.iter().any(|tab| tab.turn.is_some());
        if is_meant || !is_busy {
            self.effects.push(Effect::Quit);
            return;
        }
        self.quit_by = Some(now + TWICE);
        self.toast(Tone::Warning, "a turn is running; press again to quit", now);
    }

    /// Cancels the turn. Returns `false` if no turn is running.
    pub(super) fn cancel(&mut self) -> bool {
        let tab = self.tab_mut();
        let session = tab.session().cloned();
        let (Some(turn), Some(session)) = (&mut tab.turn, session) else {
            return false;
        };
        turn.status = TurnStatus::Cancelling;
        self.submit(Command::Cancel(session));
        true
    }

    fn dialog_key(&mut self, key: &KeyEvent, now: Instant) {
        let Some(dialog) = &mut self.dialog else {
            return;
        };
        match dialog {
            Dialog::Picker(picker) => match picker.key(key) {
                PickerOutcome::Open => {}
                PickerOutcome::Closed => self.dialog = None,
                PickerOutcome::Chosen(PickerChoice::MoreSessions(cursor)) => {
                    self.more_sessions(cursor)
                }
                PickerOutcome::Chosen(choice) => {
                    self.dialog = None;
                    self.choose(choice, now);
                }
            },
            Dialog::Help(help) => {
                if help.key(key) == DialogState::Closed {
                    self.dialog = None;
                }
            }
            Dialog::Search(search) => {
                let view = &mut self.tabs[self.active].view;
                if search.key(key, view) == DialogState::Closed {
                    self.dialog = None;
                }
            }
            Dialog::Export(..) => self.export_key(key),
        }
    }

    /// Handles the keys that scroll wherever the focus is.
    fn scroll_key(&mut self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let scroll = match key.code {
            KeyCode::PageUp if !control => Scroll::Pages(-1),
            KeyCode::PageDown if !control => Scroll::Pages(1),
            KeyCode::Home if control => Scroll::Top,
            KeyCode::End if control => Scroll::Bottom,
            _ => return false,
        };
        self.tab_mut().view.scroll(scroll);
        true
    }

    /// Handles the keys that switch tabs.
    pub(super) fn tab_key(&mut self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let count = self.tabs.len();
        match key.code {
            KeyCode::PageDown if control => self.active = (self.active + 1) % count,
            KeyCode::PageUp if control => self.active = (self.active + count - 1) % count,
            KeyCode::Char(digit @ '1'..='9') if alt => {
                let at = digit
                    .to_digit(10)
                    .and_then(|digit| usize::try_from(digit).ok());
                let at = at.unwrap_or(1) - 1;
                if at < count {
                    self.active = at;
                }
            }
            _ => return false,
        }
        true
    }

    fn composer_key(&mut self, key: &KeyEvent, now: Instant) {
        let composer = &self.tab().composer;
        let is_empty = composer.is_empty();
        let is_completing = composer.completion.is_some();
        if self.tab_key(key) {
            return;
        }
        match key.code {
            KeyCode::Tab if !is_completing => return self.leave_composer(now),
            KeyCode::Char('?') if is_empty && !is_modified(key) => {
                self.dialog = Some(Dialog::Help(Help::default()));
                return;
            }
            KeyCode::Char('d') if is_empty && key.modifiers == KeyModifiers::CONTROL => {
                return self.run_action(UiAction::Quit, now);
            }
            KeyCode::Enter if is_recent(self.list_closed_at, now) => {
                self.list_closed_at = None;
                let text = "that key did nothing: the agent's request closed the list";
                return self.passing_toast(text, now);
            }
            KeyCode::Esc if !is_completing && is_recent(self.left_at, now) => {
                if self.tab().turn.is_some() {
                    self.left_at = None;
                    self.passing_toast("press Esc again to cancel the turn", now);
                }
                return;
            }
            KeyCode::Esc if !is_completing => {
                if self.cancel() {
                    self.toast(Tone::Info, "cancelling", now);
                }
                return;
            }
            _ => {}
        }
        if let Some(action) = keymap::action(key) {
            return self.run_action(action, now);
        }
        self.edit_prompt(key, now);
    }

    /// Tab moves to the agent's request if there is one, otherwise to the transcript. It does nothing while the
    /// composer has text, because it may be meant for that.
    fn leave_composer(&mut self, now: Instant) {
        let is_empty = self.tab().composer.is_empty();
        if is_empty && !self.enter_request(now) {
            self.run_action(UiAction::ReadTranscript, now);
        } else if !is_empty && self.requests.first(self.tab().session()).is_some() {
            self.passing_toast("Alt-R moves to the request", now);
        }
    }

    /// Whether Esc would close something or move the focus back.
    fn can_leave(&self) -> bool {
        self.request_has_keys()
            || self.focus == Focus::Transcript
            || self.tab().composer.completion.is_some()
    }

    fn edit_prompt(&mut self, key: &KeyEvent, now: Instant) {
        let width = self.composer_width();
        let tab = &mut self.tabs[self.active];
        let context = ComposerContext {
            commands: tab.transcript.commands(),
            files: &self.files,
            width,
        };
        match tab.composer.key(key, context, &mut self.history) {
            ComposerOutcome::Send => self.send_prompt(SendMode::Prompt, now),
            ComposerOutcome::Changed => self.refresh_files(now),
            ComposerOutcome::Ignored => {}
        }
    }
}

/// Whether something happened so recently that a key may be meant for the previous state.
fn is_recent(at: Option<Instant>, now: Instant) -> bool {
    at.is_some_and(|at| now.saturating_duration_since(at) < GRACE_PERIOD)
}

fn is_quit(key: &KeyEvent) -> bool {
    key.modifiers == KeyModifiers::CONTROL && matches!(key.code, KeyCode::Char('q' | 'd'))
}

pub(super) fn is_modified(key: &KeyEvent) -> bool {
    key.modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}

pub(super) const TWICE: Duration = Duration::from_secs(3);
