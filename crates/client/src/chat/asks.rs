//! What the agent wants of the user, in the order in which it came, and whether the keys go to it.
//!
//! A key that was meant for something else must never answer. So nothing that appears takes the keys: they go to the
//! composer until the user moves into the request, with Tab, a key of its own or a click. The next request starts over.

use std::collections::VecDeque;

use attache::v1;

use super::death::Death;
use super::form::Form;
use super::login::LoginPrompt;
use super::permission::PermissionDialog;
use super::picker::Picker;
use super::url::Page;

/// Something that the agent wants of the user.
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
    Permission(Box<PermissionDialog>),
    Form(u64, Box<Form>),
    Page(u64, Page),
    Login(Picker),
    LoginProgram(Box<LoginPrompt>),
    Death(Death),
}

impl What {
    /// Whether it is about a login.
    pub(crate) fn is_login(&self) -> bool {
        matches!(self, What::Login(_) | What::LoginProgram(_))
    }

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
    /// The request that the tab shows, and whether the keys go to it.
    current: Option<Current>,
    /// The request that is on the screen.
    drawn: Option<u64>,
    /// Whether a request has vanished under the user's fingers.
    has_vanished: bool,
}

#[derive(Debug, Clone, Copy)]
struct Current {
    number: u64,
    has_keys: bool,
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

    /// Forgets all others: a connection that is closed has no pending requests.
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
    pub(crate) fn settle(&mut self, session: Option<&v1::SessionId>) {
        let number = self.first(session).map(|ask| ask.number);
        if number == self.current.map(|current| current.number) {
            return;
        }
        if let Some(before) = self.current.filter(|current| current.has_keys) {
            self.has_vanished = !self.list.iter().any(|ask| ask.number == before.number);
        }
        self.current = number.map(|number| Current {
            number,
            has_keys: false,
        });
    }

    /// Notes whether the request of the tab is on the screen.
    pub(crate) fn set_drawn(&mut self, is_drawn: bool) {
        let current = self.current.map(|current| current.number);
        self.drawn = current.filter(|_| is_drawn);
        if !is_drawn {
            for ask in &mut self.list {
                if let What::Permission(dialog) = &mut ask.what {
                    dialog.set_drawn(None);
                }
            }
        }
    }

    /// The user moves into the request on the screen; `false` if there is none.
    pub(crate) fn enter(&mut self) -> bool {
        let drawn = self.drawn;
        match &mut self.current {
            Some(current) if drawn == Some(current.number) => {
                current.has_keys = true;
                true
            }
            _ => false,
        }
    }

    /// The user goes back to the composer.
    pub(crate) fn leave(&mut self) {
        if let Some(current) = &mut self.current {
            current.has_keys = false;
        }
    }

    /// Whether the keys go to the request on the screen.
    pub(crate) fn has_keys(&self) -> bool {
        self.current.is_some_and(|current| current.has_keys)
    }

    /// Whether a request that had the keys has vanished since this was last asked: the next key may be meant for it.
    pub(crate) fn take_vanished(&mut self) -> bool {
        std::mem::take(&mut self.has_vanished)
    }
}

impl Ask {
    fn concerns(&self, session: Option<&v1::SessionId>) -> bool {
        self.session.is_none() || self.session.as_ref() == session
    }
}

const LIMIT: usize = 256;
