//! The user's answers to the agent's requests.

use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, PermissionAnswer};
use attache_host::permissions::{Expiry, Scope};
use attache_text::plain::GUTTER;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

use super::{App, UndoOffer};
use crate::chat::agent_exit::ExitAnswer;
use crate::chat::answer_list::ListOutcome;
use crate::chat::effect::Effect;
use crate::chat::form::FormOutcome;
use crate::chat::login::LoginAnswer;
use crate::chat::panel::{KeyFocus, Panel, Scrolling};
use crate::chat::permission::{self, PermissionOutcome, Rememberer};
use crate::chat::picker::PickerChoice;
use crate::chat::request_queue::RequestDialog;
use crate::chat::text;
use crate::chat::url::UrlOutcome;
use crate::paint::{Scroll, Tone};

/// The panel of the request on the screen.
pub(in crate::chat) enum RequestPanel {
    Panel(Panel),
    Permission(permission::PermissionPage),
}

/// A decision that the user can undo.
#[derive(Debug, Clone)]
pub(super) struct UndoableDecision {
    id: String,
    summary: String,
    scope: Scope,
}

impl App {
    /// Moves the focus into the request on the screen. Returns `false` if there is none, or if it has only just
    /// appeared.
    pub(super) fn enter_request(&mut self, now: Instant) -> bool {
        self.dialog.is_none() && self.requests.enter(now)
    }

    /// A click on the request moves the focus into it; a second click selects the answer below the pointer. A click
    /// anywhere else moves the focus back to the composer.
    pub(super) fn click(&mut self, column: u16, row: u16, now: Instant) {
        if self.dialog.is_some() {
            return;
        }
        if !self.is_in_request(column, row) {
            return self.requests.leave();
        }
        if !self.requests.can_click(now) {
            self.enter_request(now);
            return;
        }
        let session = self.tab().session().cloned();
        if let Some(request) = self.requests.first_mut(session.as_ref())
            && let RequestDialog::Permission(dialog) = &mut request.dialog
        {
            dialog.click(row);
        }
    }

    /// Scrolls the request below the pointer, even while it has no focus. Elsewhere the wheel scrolls the transcript.
    pub(super) fn wheel(&mut self, column: u16, row: u16, lines: i32) {
        let scroll = Scroll::Lines(lines);
        if !self.is_in_request(column, row) {
            return self.tab_mut().view.scroll(scroll);
        }
        let session = self.tab().session().cloned();
        let Some(request) = self.requests.first_mut(session.as_ref()) else {
            return;
        };
        match &mut request.dialog {
            RequestDialog::Permission(dialog) => dialog.scroll(scroll),
            RequestDialog::Form(..)
            | RequestDialog::Url(..)
            | RequestDialog::Login(_)
            | RequestDialog::LoginProgram(_)
            | RequestDialog::AgentExit(_) => request.coverage.scroll(scroll),
        }
    }

    /// Whether a column and row are inside the request on the screen.
    fn is_in_request(&self, column: u16, row: u16) -> bool {
        let position = Position::new(column, row);
        self.request_area
            .is_some_and(|area| area.contains(position))
    }

    /// Handles a key for the request on the screen. If no request is drawn, for example because the screen is too
    /// small, no key decides.
    pub(super) fn request_key(&mut self, key: &KeyEvent, now: Instant) {
        if !self.requests.is_drawn() {
            return match key.code {
                KeyCode::Esc => self.requests.leave(),
                _ => self.toast(Tone::Warning, NOT_SHOWN, now),
            };
        }
        let Some(unread) = self.scroll_or_unread(key, now) else {
            return;
        };
        let session = self.tab().session().cloned();
        let Some(request) = self.requests.first_mut(session.as_ref()) else {
            return;
        };
        match &mut request.dialog {
            RequestDialog::Permission(dialog) => {
                let pressed = dialog.key(key, self.size, now);
                let (number, summary) = (dialog.prompt.id, dialog.prompt.summary());
                let reported = (dialog.rememberer(), dialog.grants(&pressed));
                match pressed {
                    PermissionOutcome::Open => {}
                    PermissionOutcome::Back => self.requests.leave(),
                    PermissionOutcome::Refused(why) => self.passing_toast(&why, now),
                    PermissionOutcome::Answered(answer, expiry) => {
                        self.report_answer(&answer, reported, &summary, now);
                        self.answer_permission(number, answer, expiry);
                    }
                }
            }
            RequestDialog::Form(number, form) => match form.key(key) {
                FormOutcome::Open => {}
                FormOutcome::Back => self.requests.leave(),
                FormOutcome::Answered(action) => {
                    let form = *number;
                    self.answer_form(form, action, unread, now);
                }
            },
            RequestDialog::Url(number, page) => match page.key(key) {
                UrlOutcome::Open => {}
                UrlOutcome::Back => self.requests.leave(),
                UrlOutcome::Copy(url) => self.copy(url, now),
                UrlOutcome::Answered(action) => {
                    let form = *number;
                    self.answer_form(form, action, unread, now);
                }
            },
            RequestDialog::Login(list) => match list.key(key) {
                ListOutcome::Open => {}
                ListOutcome::Back => self.requests.leave(),
                ListOutcome::Answer(Some(_)) if unread > 0 => self.reject_unread(unread, now),
                ListOutcome::Answer(method) => {
                    self.requests.remove_first(session.as_ref());
                    match method {
                        Some(method) => self.choose(PickerChoice::Login(method), now),
                        None => self.toast(Tone::Info, NOT_LOGGED_IN, now),
                    }
                }
            },
            RequestDialog::LoginProgram(login) => match login.key(key) {
                ListOutcome::Open => {}
                ListOutcome::Back => self.requests.leave(),
                ListOutcome::Answer(LoginAnswer::Run) if unread > 0 => {
                    self.reject_unread(unread, now)
                }
                ListOutcome::Answer(permit) => {
                    let command = login.command.clone();
                    self.requests.remove_first(session.as_ref());
                    match permit {
                        LoginAnswer::Run => self.effects.push(Effect::RunLogin(command)),
                        LoginAnswer::Refuse => self.toast(Tone::Info, NOT_LOGGED_IN, now),
                    }
                }
            },
            RequestDialog::AgentExit(exit) => match exit.key(key) {
                ListOutcome::Open => {}
                ListOutcome::Back => self.requests.leave(),
                ListOutcome::Answer(ExitAnswer::Restart) => {
                    self.requests.remove_first(session.as_ref());
                    self.restart();
                }
                ListOutcome::Answer(ExitAnswer::Quit) => self.effects.push(Effect::Quit),
                ListOutcome::Answer(ExitAnswer::Copy) => {
                    let report = exit.report();
                    self.copy(report, now);
                }
            },
        }
    }

    /// Returns the number of lines that have not been on the screen, or `None` if the key is used up: it scrolled, or
    /// it would have chosen something that the screen does not show. Permission requests check this on their own.
    fn scroll_or_unread(&mut self, key: &KeyEvent, now: Instant) -> Option<usize> {
        let session = self.tab().session().cloned();
        let (size, theme) = (self.size, self.settings.theme);
        let request = self.requests.first_mut(session.as_ref())?;
        let Some(panel) = request.dialog.panel(&theme, size.0) else {
            return Some(0);
        };
        let is_form = matches!(request.dialog, RequestDialog::Form(..));
        match key.code {
            KeyCode::PageDown => request.coverage.scroll(Scroll::Pages(1)),
            KeyCode::PageUp => request.coverage.scroll(Scroll::Pages(-1)),
            KeyCode::Home if !is_form => request.coverage.scroll(Scroll::Top),
            KeyCode::End if !is_form => request.coverage.scroll(Scroll::Bottom),
            code => {
                request.coverage.follow_selection();
                let is_shown = request.dialog.takes_text() || request.coverage.shows(&panel, size);
                if code != KeyCode::Enter || is_shown {
                    return Some(request.coverage.unread(&panel));
                }
                self.passing_toast(permission::NOT_SHOWN, now);
            }
        }
        None
    }

    /// Answers a form or URL request. The user can't accept text that was not on the screen.
    fn answer_form(
        &mut self,
        form: u64,
        action: v1::ElicitationAction,
        unread: usize,
        now: Instant,
    ) {
        if unread > 0 && matches!(action, v1::ElicitationAction::Accept(_)) {
            return self.reject_unread(unread, now);
        }
        let session = self.tab().session().cloned();
        self.requests.remove_first(session.as_ref());
        self.submit(Command::AnswerForm { form, action });
    }

    fn reject_unread(&mut self, unread: usize, now: Instant) {
        let text = match unread {
            1 => "read it all first: 1 line has not been on the screen (PgUp PgDn)".to_owned(),
            more => {
                format!("read it all first: {more} lines have not been on the screen (PgUp PgDn)")
            }
        };
        self.passing_toast(&text, now);
    }

    /// Whether a key scrolls the request rather than the transcript.
    pub(super) fn scrolls_request(key: &KeyEvent) -> bool {
        let is_page = matches!(key.code, KeyCode::PageUp | KeyCode::PageDown);
        is_page && !key.modifiers.contains(KeyModifiers::CONTROL)
    }

    pub(super) fn request_is_form(&self) -> bool {
        let request = self.requests.first(self.tab().session());
        request.is_some_and(|request| matches!(request.dialog, RequestDialog::Form(..)))
    }

    /// Whether keys type text into the request on the screen.
    pub(super) fn request_takes_text(&self) -> bool {
        let request = self.requests.first(self.tab().session());
        request.is_some_and(|request| request.dialog.takes_text())
    }

    /// Pastes text into the request on the screen. Returns `false` if the request takes no text.
    pub(super) fn paste_into_request(&mut self, text: &str) -> bool {
        let session = self.tab().session().cloned();
        match self
            .requests
            .first_mut(session.as_ref())
            .map(|request| &mut request.dialog)
        {
            Some(RequestDialog::Form(_, form)) => form.paste(text),
            _ => false,
        }
    }

    fn answer_permission(&mut self, prompt: u64, answer: PermissionAnswer, expiry: Expiry) {
        let session = self.tab().session().cloned();
        self.requests.remove_first(session.as_ref());
        self.submit(Command::AnswerPermission {
            prompt,
            answer,
            expiry,
        });
    }

    /// Shows a toast with the user's decision. A decision that can be undone gets another toast once it is in force.
    fn report_answer(
        &mut self,
        answer: &PermissionAnswer,
        (by, is_allowed): (Rememberer, bool),
        summary: &str,
        now: Instant,
    ) {
        let text = match answer {
            PermissionAnswer::Choose { .. } if by == Rememberer::Agent => {
                // An undo now would affect an earlier decision.
                self.undoable = None;
                format!("the agent remembers this; Attaché can't undo it {GUTTER} {summary}")
            }
            PermissionAnswer::Choose { .. } if is_allowed => format!("allowed {GUTTER} {summary}"),
            PermissionAnswer::Choose { .. } | PermissionAnswer::Reject { .. } => {
                format!("rejected {GUTTER} {summary}")
            }
            PermissionAnswer::Dismiss => format!("request cancelled {GUTTER} {summary}"),
        };
        self.toast(Tone::Info, text, now);
    }

    /// Reports a decision that is now in force, and offers to undo it.
    pub(super) fn decision_remembered(
        &mut self,
        id: String,
        summary: &str,
        (scope, expiry): (Scope, Expiry),
        is_allowed: bool,
        now: Instant,
    ) {
        let summary = text::safe_line(summary);
        let (tone, word) = match is_allowed {
            true => (Tone::Good, "allowed"),
            false => (Tone::Bad, "rejected"),
        };
        let reach = match (scope, expiry) {
            (Scope::Once, _) => "once".to_owned(),
            (Scope::Session, _) => "in this session".to_owned(),
            (Scope::Workspace, Expiry::Never) => "in this workspace".to_owned(),
            (Scope::Workspace, expiry) => {
                format!("in this workspace {}", permission::expiry_phrase(expiry))
            }
            (Scope::Always, Expiry::Never) => "always with this agent".to_owned(),
            (Scope::Always, expiry) => {
                format!("with this agent {}", permission::expiry_phrase(expiry))
            }
        };
        let undo = match scope {
            Scope::Once => UndoOffer::IfUnused,
            _ => UndoOffer::Always,
        };
        self.undoable_toast(
            tone,
            format!("{word} {reach} {GUTTER} {summary}"),
            undo,
            now,
        );
        self.undoable = Some(UndoableDecision { id, summary, scope });
    }

    /// Undoes the last decision.
    pub(super) fn undo_decision(&mut self, now: Instant) {
        match &self.undoable {
            Some(undoable) => {
                let id = undoable.id.clone();
                self.submit(Command::UndoDecision { id });
            }
            None => self.toast(Tone::Info, "there is no decision to undo", now),
        }
    }

    /// Reports the result of an undo.
    pub(super) fn decision_undone(&mut self, id: &str, was_in_force: bool, now: Instant) {
        let Some(undoable) = self.undoable.take_if(|undoable| undoable.id == id) else {
            return;
        };
        let UndoableDecision { summary, scope, .. } = undoable;
        match was_in_force {
            // The agent has its permission and may act on its own, without asking us.
            true if scope == Scope::Once => {
                let text = format!(
                    "withdrawn; if the agent acts by itself, it may have done so already {GUTTER} {summary}"
                );
                self.toast(Tone::Warning, text, now);
            }
            true => self.toast(Tone::Good, format!("undone {GUTTER} {summary}"), now),
            false => {
                let text = format!("too late to undo: already used {GUTTER} {summary}");
                self.toast(Tone::Warning, text, now);
            }
        }
    }

    /// The panel of the request on the screen.
    pub(in crate::chat) fn request_panel(&self, width: u16) -> Option<RequestPanel> {
        let session = self.tab().session().cloned();
        let appearance = self.tab().view.appearance();
        let behind = self.requests.count(session.as_ref()).saturating_sub(1);
        let has_keys = self.request_has_keys();
        let entrance = match self.tab().composer.is_empty() {
            true => "Tab to answer",
            false => "Alt-R to answer",
        };
        let request = self.requests.first(session.as_ref())?;
        if let RequestDialog::Permission(dialog) = &request.dialog {
            let page = match has_keys {
                true => dialog.page(appearance, width, behind, KeyFocus::Here),
                false => {
                    let page = dialog.page(appearance, width, behind, KeyFocus::Elsewhere);
                    page.with_hint(entrance)
                }
            };
            return Some(RequestPanel::Permission(page));
        }
        let mut panel = request.dialog.panel(&appearance.theme, width)?;
        request.coverage.prepare(&mut panel);
        match has_keys {
            true => panel.scrolling = Scrolling::ByPages,
            false => {
                panel.cursor = None;
                panel.keys = entrance.to_owned();
            }
        }
        Some(RequestPanel::Panel(panel))
    }
}

const NOT_SHOWN: &str = "that key did nothing: the request is not on the screen";
const NOT_LOGGED_IN: &str = "not logged in; to log in later, press Ctrl-P and choose Log in";
