//! The person's answer to what the agent wants.

use std::time::Instant;

use attache_host::permissions::Term;
use crossterm::event::{KeyCode, KeyEvent};

use super::App;
use crate::chat::asks::What;
use crate::chat::death::{After, Death};
use crate::chat::effect::Effect;
use crate::chat::form::Filled;
use crate::chat::picker::Picked;
use crate::chat::url::Visited;
use crate::command::{Answer, Command};
use crate::paint::Tone;

impl App {
    /// A key for the question on the screen.
    pub(super) fn ask_key(&mut self, key: &KeyEvent, now: Instant) {
        let session = self.tab().session().cloned();
        let Some(ask) = self.asks.first_mut(session.as_ref()) else {
            return;
        };
        // In a form and in a list Tab goes on; elsewhere it goes back to what was being written.
        if key.code == KeyCode::Tab && !ask.what.takes_text() {
            return self.asks.turn_to(now, self.last_key, self.draft());
        }
        match &mut ask.what {
            What::Question(question) => {
                if let Some(answer) = question.key(key) {
                    let (number, term) = (question.asked.id, question.term());
                    self.answered(number, answer, term);
                }
            }
            What::Form(number, form) => {
                if let Filled::Done(action) = form.key(key) {
                    let form = *number;
                    self.asks.take(session.as_ref());
                    self.submit(Command::Fill { form, action });
                }
            }
            What::Page(number, page) => match page.key(key) {
                Visited::Open => {}
                Visited::Copy(url) => self.copy(url, now),
                Visited::Done(action) => {
                    let form = *number;
                    self.asks.take(session.as_ref());
                    self.submit(Command::Fill { form, action });
                }
            },
            What::Login(picker) => match picker.key(key) {
                Picked::Open => {}
                Picked::Closed => {
                    self.asks.take(session.as_ref());
                    let text = "not logged in; Ctrl-P, Log in, when you want to";
                    self.toast(Tone::Info, text, now);
                }
                Picked::Chosen(choice) => {
                    self.asks.take(session.as_ref());
                    self.choose(choice, now);
                }
            },
            What::Death(_) => self.after_death(key, now),
        }
    }

    /// Whether the question on the screen is one in which text is typed.
    pub(super) fn asks_for_text(&self) -> bool {
        let ask = self.asks.first(self.tab().session());
        ask.is_some_and(|ask| ask.what.takes_text())
    }

    pub(super) fn ask_paste(&mut self, text: &str) {
        let session = self.tab().session().cloned();
        match self
            .asks
            .first_mut(session.as_ref())
            .map(|ask| &mut ask.what)
        {
            Some(What::Form(_, form)) => form.paste(text),
            Some(What::Login(picker)) => picker.paste(text),
            _ => {}
        }
    }

    fn answered(&mut self, question: u64, answer: Answer, term: Term) {
        let session = self.tab().session().cloned();
        self.asks.take(session.as_ref());
        self.submit(Command::Answer {
            prompt: question,
            answer,
            term,
        });
    }

    fn after_death(&mut self, key: &KeyEvent, now: Instant) {
        match Death::key(key) {
            After::Restart => self.restart(),
            After::Quit => self.effects.push(Effect::Quit),
            After::Copy => {
                let session = self.tab().session().cloned();
                let ask = self.asks.first(session.as_ref());
                if let Some(What::Death(death)) = ask.map(|ask| &ask.what) {
                    let report = death.report();
                    self.copy(report, now);
                }
            }
            After::Nothing => {}
        }
    }

    /// The box of the question on the screen.
    pub(in crate::chat) fn ask_panel(
        &self,
        width: u16,
        now: Instant,
    ) -> Option<crate::chat::panel::Panel> {
        let session = self.tab().session().cloned();
        let brush = self.tab().view.brush();
        let behind = self.asks.count(session.as_ref()).saturating_sub(1);
        let has_keys = self.ask_has_keys(now);
        let ask = self.asks.first(session.as_ref())?;
        let mut panel = match &ask.what {
            What::Question(question) => question.panel(brush, width, behind),
            What::Form(_, form) => form.panel(&brush.theme, width),
            What::Page(_, page) => page.panel(&brush.theme, width),
            What::Login(picker) => picker.panel(&brush.theme, width),
            What::Death(death) => death.panel(&brush.theme, width),
        };
        if !has_keys {
            panel.cursor = None;
            panel.keys = format!("Tab to answer · {}", panel.keys);
        }
        Some(panel)
    }
}
