//! What the agent wants of the user, in the order in which it came, and whether the keys go to it.
//!
//! A key that was meant for something else must never answer. So nothing that appears takes the keys: they go to the
//! composer until the user moves into the request, with Tab, a key of its own or a click, and not before it has been on the
//! screen for a moment. The next request starts over, and whenever the keys leave a request nothing is selected in it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use attache::v1;

use super::death::Death;
use super::form::Form;
use super::login::{LoginList, LoginPrompt};
use super::panel::Panel;
use super::permission::PermissionDialog;
use super::seen::SeenLines;
use super::url::Page;
use crate::paint::theme::Theme;

/// Something that the agent wants of the user.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// In which session; without one it is asked in every tab.
    pub(crate) session: Option<v1::SessionId>,
    pub(crate) what: What,
    /// What of its box has been on the screen; a permission request notes that by itself.
    pub(crate) seen: SeenLines,
    number: u64,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub(crate) enum What {
    Permission(Box<PermissionDialog>),
    Form(u64, Box<Form>),
    Page(u64, Page),
    Login(LoginList),
    LoginProgram(Box<LoginPrompt>),
    Death(Death),
}

impl What {
    /// Whether it is about a login.
    pub(crate) fn is_login(&self) -> bool {
        matches!(self, What::Login(_) | What::LoginProgram(_))
    }

    /// Its box; a permission request has a page of its own.
    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Option<Panel> {
        Some(match self {
            What::Permission(_) => return None,
            What::Form(_, form) => form.panel(theme, width),
            What::Page(_, page) => page.panel(theme, width),
            What::Login(list) => list.panel(theme, width),
            What::LoginProgram(login) => login.panel(theme, width),
            What::Death(death) => death.panel(theme, width),
        })
    }

    /// Whether text is typed in it now.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self, What::Form(_, form) if form.takes_text())
    }

    /// Nothing is selected in it any more.
    fn deselect(&mut self) {
        match self {
            What::Permission(dialog) => dialog.deselect(),
            What::Form(_, form) => form.deselect(),
            What::Page(_, page) => page.deselect(),
            What::Login(list) => list.deselect(),
            What::LoginProgram(login) => login.deselect(),
            What::Death(death) => death.deselect(),
        }
    }
}

/// All that is wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asks {
    list: VecDeque<Ask>,
    next: u64,
    /// The request that the tab shows, and whether the keys go to it.
    current: Option<Current>,
    /// The request that is on the screen.
    drawn: Option<DrawnAsk>,
    /// A request that has vanished under the user's fingers.
    vanished: Option<Vanished>,
}

#[derive(Debug, Clone, Copy)]
struct Current {
    number: u64,
    /// When the user moved into it, if they did.
    entered: Option<Instant>,
}

/// A request on the screen, and since when it has been there without a break.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnAsk {
    number: u64,
    since: Instant,
}

#[derive(Debug, Clone, Copy)]
struct Vanished {
    at: Instant,
    /// Whether a key was pressed since.
    is_noticed: bool,
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
            seen: SeenLines::default(),
            number,
        });
        true
    }

    /// Forgets all others: a connection that is closed has no pending requests.
    pub(crate) fn only(&mut self, what: What) {
        let number = self.next;
        self.next += 1;
        self.list = VecDeque::from([Ask {
            session: None,
            what,
            seen: SeenLines::default(),
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

    /// Takes the first one that concerns a session: the user is done with it, and the keys go back to the composer.
    pub(crate) fn take(&mut self, session: Option<&v1::SessionId>) -> Option<Ask> {
        let at = self.list.iter().position(|ask| ask.concerns(session))?;
        self.current = None;
        self.list.remove(at)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Ask) -> bool) {
        self.list.retain(keep);
    }

    /// Notes which request the tab shows. Another one than before does not have the keys.
    pub(crate) fn settle(&mut self, session: Option<&v1::SessionId>, now: Instant) {
        let number = self.first(session).map(|ask| ask.number);
        if number == self.current.map(|current| current.number) {
            return;
        }
        if self.has_keys() {
            let before = self.current.map(|current| current.number);
            let is_there = self.list.iter().any(|ask| Some(ask.number) == before);
            self.vanished = (!is_there).then_some(Vanished {
                at: now,
                is_noticed: false,
            });
            self.leave();
        }
        self.current = number.map(|number| Current {
            number,
            entered: None,
        });
    }

    /// Nothing is on the screen for now. Gives what was.
    pub(crate) fn hide(&mut self) -> Option<DrawnAsk> {
        for ask in &mut self.list {
            if let What::Permission(dialog) = &mut ask.what {
                dialog.hide();
            }
            ask.seen.hide();
        }
        self.drawn.take()
    }

    /// The request of the tab is on the screen, where `before` was.
    pub(crate) fn show(&mut self, before: Option<DrawnAsk>, now: Instant) {
        self.drawn = self.current.map(|Current { number, .. }| {
            let before = before.filter(|before| before.number == number);
            before.unwrap_or(DrawnAsk { number, since: now })
        });
    }

    /// Whether the request of the tab is on the screen.
    pub(crate) fn is_drawn(&self) -> bool {
        let number = self.current.map(|current| current.number);
        number.is_some() && number == self.drawn.map(|drawn| drawn.number)
    }

    /// The user moves into the request on the screen; `false` if there is none, or it was not there for long enough.
    pub(crate) fn enter(&mut self, now: Instant) -> bool {
        let drawn = self.drawn;
        match &mut self.current {
            Some(current) if drawn.is_some_and(|it| it.can_be_entered(current.number, now)) => {
                current.entered = current.entered.or(Some(now));
                true
            }
            _ => false,
        }
    }

    /// The user goes back to the composer. Nothing stays selected in the request.
    pub(crate) fn leave(&mut self) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.entered = None;
        let number = current.number;
        if let Some(ask) = self.list.iter_mut().find(|ask| ask.number == number) {
            ask.what.deselect();
        }
    }

    /// Whether the keys go to the request on the screen.
    pub(crate) fn has_keys(&self) -> bool {
        self.current.is_some_and(|it| it.entered.is_some())
    }

    /// Whether a click can select: the user was in the request before, and it is not the second half of a double click.
    pub(crate) fn can_click(&self, now: Instant) -> bool {
        let entered = self.current.and_then(|current| current.entered);
        entered.is_some_and(|at| now.saturating_duration_since(at) >= DOUBLE_CLICK)
    }

    /// Whether a key may be meant for a request that had the keys and has vanished: it is the next key, or comes soon.
    pub(crate) fn may_mean_vanished(&mut self, now: Instant) -> bool {
        let Some(vanished) = &mut self.vanished else {
            return false;
        };
        let was_noticed = std::mem::replace(&mut vanished.is_noticed, true);
        !was_noticed || now.saturating_duration_since(vanished.at) < MOMENT
    }
}

impl DrawnAsk {
    fn can_be_entered(self, number: u64, now: Instant) -> bool {
        self.number == number && now.saturating_duration_since(self.since) >= MOMENT
    }
}

impl Ask {
    fn concerns(&self, session: Option<&v1::SessionId>) -> bool {
        self.session.is_none() || self.session.as_ref() == session
    }
}

const LIMIT: usize = 256;
/// How long a request is on the screen before it can be entered, and how long keys may still be meant for one that has
/// vanished.
pub(super) const MOMENT: Duration = Duration::from_secs(1);
const DOUBLE_CLICK: Duration = Duration::from_millis(500);
