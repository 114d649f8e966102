//! What the agent wants of the person, in the order in which it came, and when the keyboard is for it.
//!
//! A key that was meant for something else must not answer. So a question that appears gets the keyboard only if
//! nothing is being written, and only after a moment without a key. Otherwise the person gives it the keyboard with
//! Tab. The next question starts over.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use attache::v1;

use super::death::Death;
use super::form::Form;
use super::picker::Picker;
use super::question::Question;
use super::url::Page;

/// Something that the agent wants of the person.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// In which session; without one it is asked in every tab.
    pub(crate) session: Option<v1::SessionId>,
    pub(crate) what: What,
    number: u64,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub(crate) enum What {
    Question(Box<Question>),
    Form(u64, Box<Form>),
    Page(u64, Page),
    Login(Picker),
    Death(Death),
}

impl What {
    /// Whether text is typed in it.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self, What::Form(..) | What::Login(_))
    }
}

/// All that is wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asks {
    list: VecDeque<Ask>,
    next: u64,
    shown: Option<Shown>,
}

/// What is on the screen, since when, and whether the person has turned to it.
#[derive(Debug, Clone, Copy)]
struct Shown {
    number: u64,
    since: Instant,
    turn: Turn,
}

/// To whom the person has turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Nobody,
    Ask,
    Composer,
}

impl Asks {
    /// Adds one; `false` if there are too many already.
    #[must_use]
    pub(crate) fn push(&mut self, session: Option<v1::SessionId>, what: What) -> bool {
        if self.list.len() >= LIMIT {
            return false;
        }
        let number = self.next;
        self.next += 1;
        self.list.push_back(Ask {
            session,
            what,
            number,
        });
        true
    }

    /// Forgets all others: whoever is dead has no questions.
    pub(crate) fn only(&mut self, what: What) {
        let number = self.next;
        self.next += 1;
        self.list = VecDeque::from([Ask {
            session: None,
            what,
            number,
        }]);
    }

    /// The first one that concerns a session.
    pub(crate) fn first(&self, session: Option<&v1::SessionId>) -> Option<&Ask> {
        self.list.iter().find(|ask| ask.concerns(session))
    }

    pub(crate) fn first_mut(&mut self, session: Option<&v1::SessionId>) -> Option<&mut Ask> {
        self.list.iter_mut().find(|ask| ask.concerns(session))
    }

    /// How many concern a session.
    pub(crate) fn count(&self, session: Option<&v1::SessionId>) -> usize {
        self.list.iter().filter(|ask| ask.concerns(session)).count()
    }

    /// Whether a session has one of its own.
    pub(crate) fn waits_in(&self, session: &v1::SessionId) -> bool {
        let mut list = self.list.iter();
        list.any(|ask| ask.session.as_ref() == Some(session))
    }

    /// Takes the first one that concerns a session.
    pub(crate) fn take(&mut self, session: Option<&v1::SessionId>) -> Option<Ask> {
        let at = self.list.iter().position(|ask| ask.concerns(session))?;
        self.list.remove(at)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Ask) -> bool) {
        self.list.retain(keep);
    }

    /// Notes what is on the screen now.
    pub(crate) fn show(&mut self, session: Option<&v1::SessionId>, now: Instant) {
        let number = self.first(session).map(|ask| ask.number);
        if number != self.shown.map(|shown| shown.number) {
            self.shown = number.map(|number| Shown {
                number,
                since: now,
                turn: Turn::Nobody,
            });
        }
    }

    /// The person turns to the question, or away from it.
    pub(crate) fn turn_to(&mut self, now: Instant, last_key: Option<Instant>, draft: Draft) {
        let has_keys = self.has_keys(now, last_key, draft);
        if let Some(shown) = &mut self.shown {
            shown.turn = match has_keys {
                true => Turn::Composer,
                false => Turn::Ask,
            };
        }
    }

    /// Whoever has pressed a key for the question has turned to it.
    pub(crate) fn keep_keys(&mut self) {
        if let Some(shown) = &mut self.shown {
            shown.turn = Turn::Ask;
        }
    }

    /// Whether the keyboard is for the question on the screen.
    pub(crate) fn has_keys(&self, now: Instant, last_key: Option<Instant>, draft: Draft) -> bool {
        let Some(shown) = self.shown else {
            return false;
        };
        let is_quiet = |since: Instant| now.saturating_duration_since(since) >= QUIET;
        match shown.turn {
            Turn::Ask => true,
            Turn::Composer => false,
            Turn::Nobody => {
                draft == Draft::Empty && is_quiet(shown.since) && last_key.is_none_or(is_quiet)
            }
        }
    }

    /// When the keyboard will be for the question if nothing else happens.
    pub(crate) fn ready_at(&self, last_key: Option<Instant>) -> Option<Instant> {
        let since = self.shown?.since;
        Some(last_key.map_or(since, |key| key.max(since)) + QUIET)
    }
}

/// Whether something is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draft {
    Empty,
    Begun,
}

impl Ask {
    fn concerns(&self, session: Option<&v1::SessionId>) -> bool {
        self.session.is_none() || self.session.as_ref() == session
    }
}

const QUIET: Duration = Duration::from_millis(300);
const LIMIT: usize = 256;
