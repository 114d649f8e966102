//! What a ruling brings about: it is noted, granted for the turn, told, and can be undone.

use attache::process::plain::visible;
use attache::v1;
use attache_host::audit;
use attache_host::permissions::{self, Action, Because, Grant, GrantedBy, Remembered, Scope};

use super::{CANCELLED, Case, Outcome, Ruling, Settled, Subject};
use crate::desk::{Desk, before};
use crate::event::{Event, HostRequest};

impl Desk {
    /// Has a ruling count, unless the request is no longer what was decided on.
    pub(super) fn settle(&mut self, key: u64, case: &Case, ruling: Ruling) -> Settled {
        let Some(request) = self.pending.get_mut(key, case.revision) else {
            return Settled::Outdated;
        };
        let (open, was_shown) = (request.prompt.take(), request.was_shown);
        if let Some(open) = open {
            self.tell(Event::Withdrawn(open.id));
        }
        let session = &case.action.session;
        let is_over =
            self.sessions.is_cancelling(session) || self.sessions.turn_of(session) != case.turn;
        let outcome = match ruling {
            Ruling::Rule {
                is_allowed,
                because,
            } => {
                let outcome = self.ruled(case, was_shown, is_allowed, because);
                // It grants what was shown, once; what the agent then does is judged by itself as well.
                if outcome.is_allowed && !is_over {
                    drop(self.grant_shown(case, GrantedBy::Rule));
                }
                outcome
            }
            // What is allowed in a turn is over with it.
            _ if is_over => self.cancelled(&case.action),
            Ruling::Cancelled => self.cancelled(&case.action),
            Ruling::Granted => {
                let because = Because("allowed before in this turn".to_owned());
                Outcome::new(true, because, CANCELLED)
            }
            Ruling::User {
                is_allowed,
                answer,
                remembered,
            } => {
                let because = Because("the user".to_owned());
                self.note_decided(&case.action, is_allowed, &because);
                if is_allowed {
                    self.grant(case, remembered, &answer);
                }
                Outcome::new(is_allowed, because, answer)
            }
        };
        Settled::Done(outcome)
    }

    /// What a rule has decided. Reading through us is too common to be worth a word of it.
    fn ruled(
        &mut self,
        case: &Case,
        was_shown: bool,
        is_allowed: bool,
        because: Because,
    ) -> Outcome {
        let answer = permissions::outcome(is_allowed, &case.options);
        let is_allowed = is_allowed && answer != CANCELLED;
        if !(is_allowed && case.is_read_through_us()) {
            if !was_shown {
                self.note(&audit::Event::Asked(&case.action));
            }
            self.note_decided(&case.action, is_allowed, &because);
            self.tell(Event::Decided {
                prompt: Box::new(case.prompt()),
                is_allowed,
                because: because.clone(),
            });
        }
        Outcome::new(is_allowed, because, answer)
    }

    fn note_decided(&self, action: &Action, is_allowed: bool, because: &Because) {
        self.note(&audit::Event::Decided {
            action,
            is_allowed: Some(is_allowed),
            because,
        });
    }

    fn cancelled(&mut self, action: &Action) -> Outcome {
        self.note_cancelled(action);
        Outcome::cancelled()
    }

    /// A decision of the user is remembered for longer than once. It may decide other requests, and can be undone.
    pub(super) fn remembered(&mut self, remembered: Remembered, session: v1::SessionId) {
        self.tell(Event::Remembered {
            id: remembered.id,
            session,
            what: visible(&remembered.shown).into_owned(),
            scope: remembered.scope,
            is_allowed: remembered.is_allowed,
        });
        self.judge_all();
    }

    /// Grants what the user has allowed: for as long as the decision is remembered, or for one use, which can be undone.
    /// An option that the agent itself remembers cannot be.
    fn grant(
        &mut self,
        case: &Case,
        remembered: Option<String>,
        answer: &v1::RequestPermissionOutcome,
    ) {
        if let Some(id) = remembered {
            return self.grant_remembered(case, &id);
        }
        let granted = self.grant_shown(case, GrantedBy::User);
        if let Some(id) = granted.filter(|_| !case.lasts_with_agent(answer)) {
            self.tell(Event::Remembered {
                id,
                session: case.action.session.clone(),
                what: case.action.summary(),
                scope: Scope::Once,
                is_allowed: true,
            });
        }
    }

    /// Grants what a tool call has shown, for one use. What is done through us is done by the answer itself.
    fn grant_shown(&mut self, case: &Case, by: GrantedBy) -> Option<String> {
        let Subject::ToolCall(_) = &case.subject else {
            return None;
        };
        let grant = Grant::of_shown(&case.action, &case.content, by)?;
        self.setup.host.permissions.grant(grant)
    }

    fn grant_remembered(&mut self, case: &Case, id: &str) {
        if let Subject::ToolCall(_) = &case.subject {
            let grant = Grant::of_remembered(&case.action, id);
            // Beyond the limit the agent is asked about when it acts.
            self.setup.host.permissions.grant(grant);
        }
    }

    /// Undoes a decision of the user.
    pub(in crate::desk) fn forget(&mut self, id: String) {
        let permissions = self.setup.host.permissions.clone();
        let was_granted = permissions.end_grant(&id);
        let revoked = {
            let id = id.clone();
            self.clerk.hand(move || permissions.revoke(&id))
        };
        self.served.push(before(revoked, move |desk, revoked| {
            let was_in_force = match revoked {
                Some(Ok(revoked)) => was_granted || revoked.is_some(),
                Some(Err(error)) => {
                    let why = format!("the decision could not be revoked: {error}");
                    return desk.tell(Event::Trouble(why));
                }
                None => was_granted,
            };
            desk.tell(Event::Forgotten { id, was_in_force });
        }));
    }
}

impl Case {
    /// Whether the agent remembers the answer by rules of its own.
    fn lasts_with_agent(&self, answer: &v1::RequestPermissionOutcome) -> bool {
        let v1::RequestPermissionOutcome::Selected(chosen) = answer else {
            return false;
        };
        let mut options = self.options.iter();
        let option = options.find(|option| option.option_id == chosen.option_id);
        option.is_some_and(|option| option.kind == v1::PermissionOptionKind::AllowAlways)
    }

    fn is_read_through_us(&self) -> bool {
        match &self.subject {
            Subject::HostRequest(request) => matches!(**request, HostRequest::Read { .. }),
            Subject::ToolCall(_) | Subject::Exec(_) => false,
        }
    }
}
