//! The agent's requests to the user, in order of arrival, and whether one of them has the keyboard focus.
//!
//! A key that was meant for something else must never answer a request, so a new request doesn't take the focus. Keys
//! go to the composer until the user moves into the request with Tab, Alt-R or a click, and that works only after the
//! request has been on the screen for a moment. The next request starts over. Whenever the focus leaves a request, its
//! selection is cleared.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use attache::v1;

use super::agent_exit::AgentExitDialog;
use super::form::Form;
use super::line_coverage::LineCoverage;
use super::login::{LoginList, LoginPrompt};
use super::panel::Panel;
use super::permission::PermissionDialog;
use super::url::UrlPrompt;
use crate::paint::theme::Theme;

/// A request of the agent to the user.
#[derive(Debug, Clone)]
pub(crate) struct AgentRequest {
    /// The session that the request belongs to. A request without a session appears in every tab.
    pub(crate) session: Option<v1::SessionId>,
    pub(crate) dialog: RequestDialog,
    /// The lines that have been on the screen. Permission dialogs keep track of that themselves.
    pub(crate) coverage: LineCoverage,
    number: u64,
}

/// The dialog for each kind of request.
#[derive(Debug, Clone)]
pub(crate) enum RequestDialog {
    Permission(Box<PermissionDialog>),
    Form(u64, Box<Form>),
    Url(u64, UrlPrompt),
    Login(LoginList),
    LoginProgram(Box<LoginPrompt>),
    AgentExit(AgentExitDialog),
}

impl RequestDialog {
    /// Whether the request is about a login.
    pub(crate) fn is_login(&self) -> bool {
        matches!(
            self,
            RequestDialog::Login(_) | RequestDialog::LoginProgram(_)
        )
    }

    /// The panel of the request. A permission request has its own page instead.
    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Option<Panel> {
        Some(match self {
            RequestDialog::Permission(_) => return None,
            RequestDialog::Form(_, form) => form.panel(theme, width),
            RequestDialog::Url(_, page) => page.panel(theme, width),
            RequestDialog::Login(list) => list.panel(theme, width),
            RequestDialog::LoginProgram(login) => login.panel(theme, width),
            RequestDialog::AgentExit(exit) => exit.panel(theme, width),
        })
    }

    /// Whether keys currently type text into the request.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self, RequestDialog::Form(_, form) if form.takes_text())
    }

    /// Clears the selection.
    fn deselect(&mut self) {
        match self {
            RequestDialog::Permission(dialog) => dialog.deselect(),
            RequestDialog::Form(_, form) => form.deselect(),
            RequestDialog::Url(_, page) => page.deselect(),
            RequestDialog::Login(list) => list.deselect(),
            RequestDialog::LoginProgram(login) => login.deselect(),
            RequestDialog::AgentExit(exit) => exit.deselect(),
        }
    }
}

/// All open requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestQueue {
    list: VecDeque<AgentRequest>,
    next: u64,
    /// The request that the tab shows, and whether it has the focus.
    current: Option<CurrentRequest>,
    /// The request that was last drawn.
    drawn: Option<DrawnRequest>,
    /// A request that disappeared while it had the focus.
    vanished: Option<VanishedRequest>,
}

#[derive(Debug, Clone, Copy)]
struct CurrentRequest {
    number: u64,
    /// When the user moved into the request.
    entered: Option<Instant>,
}

/// A request on the screen, and how long it has been there without interruption.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnRequest {
    number: u64,
    since: Instant,
}

#[derive(Debug, Clone, Copy)]
struct VanishedRequest {
    at: Instant,
    /// Whether a key has been pressed since then.
    is_noticed: bool,
}

impl RequestQueue {
    /// Adds a request. Returns `false` if there are too many already.
    #[must_use]
    pub(crate) fn push(&mut self, session: Option<v1::SessionId>, dialog: RequestDialog) -> bool {
        if self.list.len() >= LIMIT {
            return false;
        }
        let number = self.next;
        self.next += 1;
        self.list.push_back(AgentRequest {
            session,
            dialog,
            coverage: LineCoverage::default(),
            number,
        });
        true
    }

    /// Replaces all requests: a closed connection has no pending requests.
    pub(crate) fn replace_all(&mut self, dialog: RequestDialog) {
        let number = self.next;
        self.next += 1;
        self.list = VecDeque::from([AgentRequest {
            session: None,
            dialog,
            coverage: LineCoverage::default(),
            number,
        }]);
    }

    /// The first request of a session, or one without a session.
    pub(crate) fn first(&self, session: Option<&v1::SessionId>) -> Option<&AgentRequest> {
        self.list.iter().find(|request| request.concerns(session))
    }

    pub(crate) fn first_mut(
        &mut self,
        session: Option<&v1::SessionId>,
    ) -> Option<&mut AgentRequest> {
        self.list
            .iter_mut()
            .find(|request| request.concerns(session))
    }

    /// The number of requests of a session, including those without a session.
    pub(crate) fn count(&self, session: Option<&v1::SessionId>) -> usize {
        self.list
            .iter()
            .filter(|request| request.concerns(session))
            .count()
    }

    /// Whether a request belongs to this session.
    pub(crate) fn has_request_of(&self, session: &v1::SessionId) -> bool {
        let mut list = self.list.iter();
        list.any(|request| request.session.as_ref() == Some(session))
    }

    /// Removes the first request of a session once it is answered. The focus goes back to the composer.
    pub(crate) fn remove_first(&mut self, session: Option<&v1::SessionId>) -> Option<AgentRequest> {
        let at = self
            .list
            .iter()
            .position(|request| request.concerns(session))?;
        self.current = None;
        self.list.remove(at)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&AgentRequest) -> bool) {
        self.list.retain(keep);
    }

    /// Sets the request that the tab shows. If it is a different one than before, it has no focus.
    pub(crate) fn set_current(&mut self, session: Option<&v1::SessionId>, now: Instant) {
        let number = self.first(session).map(|request| request.number);
        if number == self.current.map(|current| current.number) {
            return;
        }
        if self.has_keys() {
            let before = self.current.map(|current| current.number);
            let is_there = self
                .list
                .iter()
                .any(|request| Some(request.number) == before);
            self.vanished = (!is_there).then_some(VanishedRequest {
                at: now,
                is_noticed: false,
            });
            self.leave();
        }
        self.current = number.map(|number| CurrentRequest {
            number,
            entered: None,
        });
    }

    /// Marks that no request is on the screen, and returns the one that was.
    pub(crate) fn hide(&mut self) -> Option<DrawnRequest> {
        for request in &mut self.list {
            if let RequestDialog::Permission(dialog) = &mut request.dialog {
                dialog.hide();
            }
            request.coverage.hide();
        }
        self.drawn.take()
    }

    /// Marks that the tab's request is on the screen, where `before` was drawn last time.
    pub(crate) fn show(&mut self, before: Option<DrawnRequest>, now: Instant) {
        self.drawn = self.current.map(|CurrentRequest { number, .. }| {
            let before = before.filter(|before| before.number == number);
            before.unwrap_or(DrawnRequest { number, since: now })
        });
    }

    /// Whether the tab's request is on the screen.
    pub(crate) fn is_drawn(&self) -> bool {
        let number = self.current.map(|current| current.number);
        number.is_some() && number == self.drawn.map(|drawn| drawn.number)
    }

    /// Moves the focus into the request on the screen. Returns `false` if there is none, or if it has not been there
    /// long enough.
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

    /// Moves the focus back to the composer and clears the selection.
    pub(crate) fn leave(&mut self) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.entered = None;
        let number = current.number;
        if let Some(request) = self
            .list
            .iter_mut()
            .find(|request| request.number == number)
        {
            request.dialog.deselect();
        }
    }

    /// Whether the request on the screen has the focus.
    pub(crate) fn has_keys(&self) -> bool {
        self.current.is_some_and(|it| it.entered.is_some())
    }

    /// Whether a click can select an answer: the request already had the focus, and the click is not the second half of
    /// a double click.
    pub(crate) fn can_click(&self, now: Instant) -> bool {
        let entered = self.current.and_then(|current| current.entered);
        entered.is_some_and(|at| now.saturating_duration_since(at) >= DOUBLE_CLICK)
    }

    /// Whether a key may be meant for a focused request that has vanished: it is the first key since then, or comes
    /// soon after.
    pub(crate) fn may_target_vanished(&mut self, now: Instant) -> bool {
        let Some(vanished) = &mut self.vanished else {
            return false;
        };
        let was_noticed = std::mem::replace(&mut vanished.is_noticed, true);
        !was_noticed || now.saturating_duration_since(vanished.at) < GRACE_PERIOD
    }
}

impl DrawnRequest {
    fn can_be_entered(self, number: u64, now: Instant) -> bool {
        self.number == number && now.saturating_duration_since(self.since) >= GRACE_PERIOD
    }
}

impl AgentRequest {
    fn concerns(&self, session: Option<&v1::SessionId>) -> bool {
        self.session.is_none() || self.session.as_ref() == session
    }
}

const LIMIT: usize = 256;
/// How long a request has to be on the screen before it can get the focus, and how long keys may still be meant for a
/// request that has vanished.
pub(super) const GRACE_PERIOD: Duration = Duration::from_secs(1);
const DOUBLE_CLICK: Duration = Duration::from_millis(500);
