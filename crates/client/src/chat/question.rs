//! A question for permission: what would happen in our words, what the agent says of it as a quotation, and keys.

mod draw;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use attache::v1;
use attache_host::permissions::{Scope, Term};

use crate::command::Answer;
use crate::event::{OnDisk, PermissionPrompt};

/// A question that waits for a person.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) asked: PermissionPrompt,
    extent: Extent,
    against: Against,
    top: usize,
    /// How long an answer can hold, the first for now.
    terms: Vec<Term>,
}

/// How much of it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Digest,
    Everything,
}

/// What changes are shown against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// What the agent shows as the old text.
    Shown,
    Disk,
}

impl Question {
    pub(crate) fn new(asked: PermissionPrompt, term: Term) -> Question {
        Question {
            asked,
            extent: Extent::Digest,
            against: Against::Shown,
            top: 0,
            terms: terms(term),
        }
    }

    /// How long an answer holds that is given now.
    pub(crate) fn term(&self) -> Term {
        self.terms.first().copied().unwrap_or_default()
    }

    /// Takes a key; an answer if it was one. No key is an answer by default: not Enter, not a space.
    pub(crate) fn key(&mut self, key: &KeyEvent) -> Option<Answer> {
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return None;
        }
        match key.code {
            KeyCode::Down => self.top += 1,
            KeyCode::Up => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown => self.top += 10,
            KeyCode::PageUp => self.top = self.top.saturating_sub(10),
            KeyCode::Char('d') => {
                self.extent = match self.extent {
                    Extent::Digest => Extent::Everything,
                    Extent::Everything => Extent::Digest,
                };
                self.top = 0;
            }
            KeyCode::Char('v') if self.differs() => {
                self.against = match self.against {
                    Against::Shown => Against::Disk,
                    Against::Disk => Against::Shown,
                };
                self.top = 0;
            }
            KeyCode::Char('t') => self.terms.rotate_left(1),
            KeyCode::Esc if self.extent == Extent::Everything => {
                self.extent = Extent::Digest;
                self.top = 0;
            }
            KeyCode::Esc => return Some(Answer::Dismiss),
            KeyCode::Char(char) => return self.answer(char),
            _ => {}
        }
        None
    }

    /// Whether a file on disk is not what the agent shows.
    fn differs(&self) -> bool {
        let mut found = self.asked.disk.iter();
        found.any(|found| matches!(found, OnDisk::Otherwise(_)))
    }

    fn answer(&self, char: char) -> Option<Answer> {
        match char {
            'y' => self.allow(Scope::Once),
            's' => self.allow(Scope::Session),
            'w' => self.allow(Scope::Workspace),
            'a' => self.allow(Scope::Always),
            'n' => Some(self.reject(Scope::Once)),
            'N' => Some(self.reject(Scope::Workspace)),
            _ => None,
        }
    }

    /// A yes, where the agent offers a way to say it: a yes for this time is never told as one for ever, and leave to
    /// touch a protected file holds only once.
    fn allow(&self, remember: Scope) -> Option<Answer> {
        use v1::PermissionOptionKind::{AllowAlways, AllowOnce};
        if remember != Scope::Once && self.asked.action.is_protected() {
            return None;
        }
        let lasting = || match remember {
            Scope::Once => None,
            _ => self.option(&AllowAlways),
        };
        let option = self.option(&AllowOnce).or_else(lasting)?;
        Some(Answer::Choose { option, remember })
    }

    fn reject(&self, remember: Scope) -> Answer {
        use v1::PermissionOptionKind::{RejectAlways, RejectOnce};
        let option = self
            .option(&RejectOnce)
            .or_else(|| self.option(&RejectAlways));
        match option {
            Some(option) => Answer::Choose { option, remember },
            None => Answer::Reject { remember },
        }
    }

    fn option(&self, kind: &v1::PermissionOptionKind) -> Option<v1::PermissionOptionId> {
        let mut options = self.asked.options.iter();
        let option = options.find(|option| option.kind == *kind)?;
        Some(option.option_id.clone())
    }
}

/// What the key goes through, from the one that is configured on.
fn terms(configured: Term) -> Vec<Term> {
    let mut terms: Vec<Term> = TERMS.to_vec();
    match terms.iter().position(|term| *term == configured) {
        Some(at) => terms.rotate_left(at),
        None => terms.insert(0, configured),
    }
    terms
}

const HOUR: u64 = 60 * 60;
const TERMS: [Term; 5] = [
    Term::Endless,
    Term::For(Duration::from_secs(HOUR)),
    Term::For(Duration::from_secs(8 * HOUR)),
    Term::For(Duration::from_secs(7 * 24 * HOUR)),
    Term::For(Duration::from_secs(30 * 24 * HOUR)),
];
