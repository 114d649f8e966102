//! The user's answer to what the agent wants.

use std::time::Instant;

use attache::process::plain::GUTTER;
use attache_host::permissions::{Scope, Term};
use crossterm::event::{KeyCode, KeyEvent};

use super::{App, Undo};
use crate::chat::answer_list::Chosen;
use crate::chat::asks::What;
use crate::chat::death::After;
use crate::chat::effect::Effect;
use crate::chat::form::Filled;
use crate::chat::login::Permit;
use crate::chat::panel::Panel;
use crate::chat::permission::{self, Keys, Pressed, RememberedBy};
use crate::chat::picker::Choice;
use crate::chat::text;
use crate::chat::url::Visited;
use crate::command::{Answer, Command};
use crate::desk::LoginCommand;
use crate::paint::Tone;

/// The box of the request on the screen.
pub(in crate::chat) enum AskPanel {
    Panel(Panel),
    Permission(permission::Page),
}

/// A decision that the user can undo.
#[derive(Debug, Clone)]
pub(super) struct Undoable {
    id: String,
    what: String,
    scope: Scope,
}

impl App {
    /// Moves into the request on the screen; `false` if there is none, or it has only just appeared.
    pub(super) fn enter_ask(&mut self, now: Instant) -> bool {
        self.dialog.is_none() && self.asks.enter(now)
    }

    /// A click on the box of the request moves into it; a second one selects the answer below the pointer. A click anywhere
    /// else goes back to the composer.
    pub(super) fn click(&mut self, column: u16, row: u16, now: Instant) {
        if self.dialog.is_some() {
            return;
        }
        let is_inside = self.ask_area.is_some_and(|area| {
            let columns = area.x..area.right();
            columns.contains(&column) && (area.y..area.bottom()).contains(&row)
        });
        if !is_inside {
            return self.asks.leave();
        }
        if !self.asks.can_click(now) {
            self.enter_ask(now);
            return;
        }
        let session = self.tab().session().cloned();
        if let Some(ask) = self.asks.first_mut(session.as_ref())
            && let What::Permission(dialog) = &mut ask.what
        {
            dialog.click(row);
        }
    }

    /// A key for the request on the screen.
    pub(super) fn ask_key(&mut self, key: &KeyEvent, now: Instant) {
        let session = self.tab().session().cloned();
        let (size, theme) = (self.size, self.settings.theme);
        let Some(ask) = self.asks.first_mut(session.as_ref()) else {
            return;
        };
        match &mut ask.what {
            What::Permission(dialog) => {
                let pressed = dialog.key(key, size);
                let (number, what) = (dialog.prompt.id, dialog.prompt.summary());
                let by = dialog.remembered_by();
                match pressed {
                    Pressed::Open => {}
                    Pressed::Back => self.asks.leave(),
                    Pressed::Refused(why) => self.toast(Tone::Warning, why, now),
                    Pressed::Answered(answer, term) => {
                        self.report(&answer, by, &what, now);
                        self.answered(number, answer, term);
                    }
                }
            }
            What::Form(number, form) => match form.key(key) {
                Filled::Open => {}
                Filled::Back => self.asks.leave(),
                Filled::Done(action) => {
                    let form = *number;
                    self.asks.take(session.as_ref());
                    self.submit(Command::Fill { form, action });
                }
            },
            What::Page(number, page) => match page.key(key) {
                Visited::Open => {}
                Visited::Back => self.asks.leave(),
                Visited::Copy(url) => self.copy(url, now),
                Visited::Done(action) => {
                    let form = *number;
                    self.asks.take(session.as_ref());
                    self.submit(Command::Fill { form, action });
                }
            },
            What::Login(list) => match list.key(key) {
                Chosen::Open => {}
                Chosen::Back => self.asks.leave(),
                Chosen::Answer(method) => {
                    self.asks.take(session.as_ref());
                    match method {
                        Some(method) => self.choose(Choice::Login(method), now),
                        None => self.toast(Tone::Info, NOT_LOGGED_IN, now),
                    }
                }
            },
            What::LoginProgram(login) => match login.key(key) {
                Chosen::Open => {}
                Chosen::Back => self.asks.leave(),
                Chosen::Answer(permit) => {
                    let does_fit = login.fits(&theme, size);
                    let command = login.command.clone();
                    self.permit_login(permit, command, does_fit, now);
                }
            },
            What::Death(death) => match death.key(key) {
                Chosen::Open => {}
                Chosen::Back => self.asks.leave(),
                Chosen::Answer(After::Restart) => {
                    self.asks.take(session.as_ref());
                    self.restart();
                }
                Chosen::Answer(After::Quit) => self.effects.push(Effect::Quit),
                Chosen::Answer(After::Copy) => {
                    let report = death.report();
                    self.copy(report, now);
                }
            },
        }
    }

    /// The user has decided on a login; what the screen does not show whole does not run.
    fn permit_login(
        &mut self,
        permit: Permit,
        command: LoginCommand,
        is_shown: bool,
        now: Instant,
    ) {
        let session = self.tab().session().cloned();
        match permit {
            Permit::Run if !is_shown => {
                let text = "the screen is too small to show all that would run";
                self.toast(Tone::Warning, text, now);
            }
            Permit::Run => {
                self.asks.take(session.as_ref());
                self.effects.push(Effect::RunLogin(command));
            }
            Permit::Refuse => {
                self.asks.take(session.as_ref());
                self.toast(Tone::Info, NOT_LOGGED_IN, now);
            }
        }
    }

    /// Whether the request on the screen uses a key that otherwise scrolls the transcript.
    pub(super) fn ask_scrolls(&self, key: &KeyEvent) -> bool {
        let ask = self.asks.first(self.tab().session());
        let is_permission = ask.is_some_and(|ask| matches!(ask.what, What::Permission(_)));
        is_permission && matches!(key.code, KeyCode::PageUp | KeyCode::PageDown)
    }

    pub(super) fn ask_is_form(&self) -> bool {
        let ask = self.asks.first(self.tab().session());
        ask.is_some_and(|ask| matches!(ask.what, What::Form(..)))
    }

    /// Whether text is typed in the request on the screen now.
    pub(super) fn asks_for_text(&self) -> bool {
        let ask = self.asks.first(self.tab().session());
        ask.is_some_and(|ask| ask.what.takes_text())
    }

    /// Whether the request on the screen has taken the text.
    pub(super) fn ask_paste(&mut self, text: &str) -> bool {
        let session = self.tab().session().cloned();
        match self
            .asks
            .first_mut(session.as_ref())
            .map(|ask| &mut ask.what)
        {
            Some(What::Form(_, form)) => form.paste(text),
            _ => false,
        }
    }

    fn answered(&mut self, prompt: u64, answer: Answer, term: Term) {
        let session = self.tab().session().cloned();
        self.asks.take(session.as_ref());
        self.submit(Command::Answer {
            prompt,
            answer,
            term,
        });
    }

    /// Says what was decided. A decision that can be undone is reported again when it counts.
    fn report(&mut self, answer: &Answer, by: RememberedBy, what: &str, now: Instant) {
        let text = match answer {
            Answer::Choose { .. } if by == RememberedBy::Agent => {
                // Undoing now would be about an earlier decision.
                self.undoable = None;
                format!("the agent remembers this; Attaché cannot undo it {GUTTER} {what}")
            }
            Answer::Choose { .. } => format!("answered {GUTTER} {what}"),
            Answer::Reject { .. } => format!("rejected {GUTTER} {what}"),
            Answer::Dismiss => format!("request cancelled {GUTTER} {what}"),
        };
        self.toast(Tone::Info, text, now);
    }

    /// A decision counts from now on, and can be undone.
    pub(super) fn remembered(
        &mut self,
        id: String,
        what: &str,
        scope: Scope,
        is_allowed: bool,
        now: Instant,
    ) {
        let what = text::line(what);
        let (tone, word) = match is_allowed {
            true => (Tone::Good, "allowed"),
            false => (Tone::Bad, "rejected"),
        };
        let reach = match scope {
            Scope::Once => "once",
            Scope::Session => "in this session",
            Scope::Workspace => "in this workspace",
            Scope::Always => "always with this agent",
        };
        let undo = match scope {
            Scope::Once => Undo::IfUnused,
            _ => Undo::Offered,
        };
        self.undoable_toast(tone, format!("{word} {reach} {GUTTER} {what}"), undo, now);
        self.undoable = Some(Undoable { id, what, scope });
    }

    /// Takes back the last decision.
    pub(super) fn undo_decision(&mut self, now: Instant) {
        match &self.undoable {
            Some(undoable) => {
                let id = undoable.id.clone();
                self.submit(Command::Forget { id });
            }
            None => self.toast(Tone::Info, "there is no decision to undo", now),
        }
    }

    /// What came of it.
    pub(super) fn forgotten(&mut self, id: &str, was_in_force: bool, now: Instant) {
        let Some(undoable) = self.undoable.take_if(|undoable| undoable.id == id) else {
            return;
        };
        let Undoable { what, scope, .. } = undoable;
        match was_in_force {
            // The agent has its yes, and need not do anything through us.
            true if scope == Scope::Once => {
                let text =
                    format!("withdrawn, but the agent may already have acted {GUTTER} {what}");
                self.toast(Tone::Warning, text, now);
            }
            true => self.toast(Tone::Good, format!("undone {GUTTER} {what}"), now),
            false => {
                let text = format!("too late to undo, it was used already {GUTTER} {what}");
                self.toast(Tone::Warning, text, now);
            }
        }
    }

    /// The box of the request on the screen.
    pub(in crate::chat) fn ask_panel(&self, width: u16) -> Option<AskPanel> {
        let session = self.tab().session().cloned();
        let brush = self.tab().view.brush();
        let behind = self.asks.count(session.as_ref()).saturating_sub(1);
        let has_keys = self.ask_has_keys();
        let ask = self.asks.first(session.as_ref())?;
        let mut panel = match &ask.what {
            What::Permission(dialog) => {
                let keys = match has_keys {
                    true => Keys::Here,
                    false => Keys::Elsewhere,
                };
                let page = dialog.page(brush, width, behind, keys);
                return Some(AskPanel::Permission(page));
            }
            What::Form(_, form) => form.panel(&brush.theme, width),
            What::Page(_, page) => page.panel(&brush.theme, width),
            What::Login(list) => list.panel(&brush.theme, width),
            What::LoginProgram(login) => login.panel(&brush.theme, width),
            What::Death(death) => death.panel(&brush.theme, width),
        };
        if !has_keys {
            panel.cursor = None;
            panel.keys = "Tab to answer".to_owned();
        }
        Some(AskPanel::Panel(panel))
    }
}

const NOT_LOGGED_IN: &str = "not logged in; Ctrl-P, Log in, when you want to";
