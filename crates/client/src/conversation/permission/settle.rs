//! Applies a ruling: logs it, grants the action for the turn, reports it, and undoes it on request.

use std::time::{Duration, UNIX_EPOCH};

use attache::v1;
use attache_host::audit::{self, AnswerReach, UserAnswer};
use attache_host::permissions::{
    self, Action, Expiry, Grant, GrantedBy, Reason, RememberedDecision, Scope, ShownContent,
};
use attache_text::plain::visible;

use super::{
    CANCELLED, PermissionOutcome, RequestSnapshot, RequestSubject, Ruling, SettleResult,
    TURN_CANCELLED, TURN_ENDED,
};
use crate::conversation::{Conversation, with_continuation};
use crate::event::{Event, HostRequest};

impl Conversation {
    /// Applies a ruling, unless the request has changed since.
    pub(super) fn settle(
        &mut self,
        key: u64,
        snapshot: &RequestSnapshot,
        ruling: Ruling,
    ) -> SettleResult {
        let Some(request) = self.pending.get_mut(key, snapshot.revision) else {
            return SettleResult::Outdated;
        };
        let open = request.prompt.take();
        let has_record = std::mem::take(&mut request.has_open_record);
        if let Some(open) = open {
            self.emit(Event::PermissionWithdrawn(open.id));
        }
        let session = &snapshot.action.session;
        let over = match self.sessions.turn_of(session) == snapshot.turn {
            _ if self.sessions.is_cancelling(session) => Some(TURN_CANCELLED),
            true => None,
            false => Some(TURN_ENDED),
        };
        let outcome = match (ruling, over) {
            (Ruling::Rule { is_allowed, reason }, over) => {
                let outcome = self.ruled(snapshot, has_record, is_allowed, reason);
                // Grants what was shown, once. The agent's later request is judged too.
                if outcome.is_allowed && over.is_none() {
                    drop(self.grant_shown(snapshot, GrantedBy::Rule));
                }
                outcome
            }
            // A permission ends with its turn.
            (_, Some(why)) | (Ruling::Cancelled(why), None) => {
                self.log_cancelled(&snapshot.action, why);
                PermissionOutcome::cancelled()
            }
            (Ruling::Granted(reason), None) => {
                if has_record {
                    self.log_decided(&snapshot.action, true, &reason, None);
                }
                PermissionOutcome::new(true, reason, CANCELLED)
            }
            (
                Ruling::User {
                    is_allowed,
                    answer,
                    remembered,
                },
                None,
            ) => self.answered(snapshot, is_allowed, answer, remembered),
        };
        SettleResult::Done(outcome)
    }

    /// Applies the user's decision.
    fn answered(
        &mut self,
        snapshot: &RequestSnapshot,
        is_allowed: bool,
        answer: v1::RequestPermissionOutcome,
        remembered: Option<Box<RememberedDecision>>,
    ) -> PermissionOutcome {
        let reason = Reason::new("the user");
        let option = snapshot.chosen(&answer);
        let is_agents = remembered.is_none() && option.is_some_and(lasts_with_agent);
        let granted = match (is_allowed, &remembered) {
            (false, _) => None,
            (true, Some(remembered)) => {
                self.grant_remembered(snapshot, &remembered.id);
                None
            }
            // A decision that the agent remembers cannot be undone here.
            (true, None) => self
                .grant_shown(snapshot, GrantedBy::User)
                .filter(|_| !is_agents),
        };
        let id = remembered.as_ref().map(|it| it.id.as_str());
        let end = remembered.as_ref().and_then(|it| it.expires);
        let scope = remembered.as_ref().map_or(Scope::Once, |it| it.scope);
        let noted = UserAnswer {
            reach: match is_agents {
                true => AnswerReach::Agent,
                false => AnswerReach::Scope(scope),
            },
            expires: end.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)),
            option: option.map(|option| option.name.as_str()),
            id: id.or(granted.as_deref()),
        };
        self.log_decided(&snapshot.action, is_allowed, &reason, Some(noted));
        if let Some(id) = granted {
            self.emit(Event::DecisionRemembered {
                id,
                session: snapshot.action.session.clone(),
                summary: snapshot.action.summary(),
                scope: Scope::Once,
                expiry: Expiry::Never,
                is_allowed: true,
            });
        }
        PermissionOutcome::new(is_allowed, reason, answer)
    }

    /// Applies a rule's decision. Allowed reads are too common to report.
    fn ruled(
        &mut self,
        snapshot: &RequestSnapshot,
        has_record: bool,
        is_allowed: bool,
        reason: Reason,
    ) -> PermissionOutcome {
        let answer = permissions::pick_option(is_allowed, &snapshot.options);
        let is_offered = answer != CANCELLED;
        let reason = match is_allowed && !is_offered {
            true => Reason::new(NOT_OFFERED),
            false => reason,
        };
        let is_allowed = is_allowed && is_offered;
        if !(is_allowed && snapshot.is_read_through_us()) {
            if !has_record {
                self.log_event(&audit::Event::Asked(&snapshot.action));
            }
            self.log_decided(&snapshot.action, is_allowed, &reason, None);
            self.emit(Event::PermissionDecided {
                prompt: Box::new(snapshot.prompt()),
                is_allowed,
                reason: reason.clone(),
            });
        }
        PermissionOutcome::new(is_allowed, reason, answer)
    }

    fn log_decided(
        &self,
        action: &Action,
        is_allowed: bool,
        reason: &Reason,
        answer: Option<UserAnswer<'_>>,
    ) {
        self.log_event(&audit::Event::Decided {
            action,
            is_allowed: Some(is_allowed),
            reason,
            answer,
        });
    }

    /// Reports a remembered decision of the user, and judges the other requests again.
    pub(super) fn remembered(
        &mut self,
        remembered: RememberedDecision,
        session: v1::SessionId,
        expiry: Expiry,
    ) {
        self.emit(Event::DecisionRemembered {
            id: remembered.id,
            session,
            summary: visible(&remembered.summary).into_owned(),
            scope: remembered.scope,
            expiry,
            is_allowed: remembered.is_allowed,
        });
        self.judge_all();
    }

    /// Grants what a tool call has shown, for one use. A host request needs no grant.
    fn grant_shown(&mut self, snapshot: &RequestSnapshot, by: GrantedBy) -> Option<String> {
        let RequestSubject::ToolCall(_) = &snapshot.subject else {
            return None;
        };
        let content = ShownContent::of(&snapshot.changes);
        let grant = Grant::for_shown_action(&snapshot.action, &content, by)?;
        self.setup.host.permissions.grant(grant)
    }

    fn grant_remembered(&mut self, snapshot: &RequestSnapshot, id: &str) {
        if let RequestSubject::ToolCall(_) = &snapshot.subject {
            let grant = Grant::for_remembered_decision(&snapshot.action, id);
            // Beyond the limit of grants, the agent's request needs another prompt.
            self.setup.host.permissions.grant(grant);
        }
    }

    /// Undoes a decision of the user.
    pub(in crate::conversation) fn undo_decision(&mut self, id: String) {
        let permissions = self.setup.host.permissions.clone();
        let granted = permissions.end_grant(&id);
        let revoked = {
            let id = id.clone();
            self.disk_worker.run(move || permissions.revoke(&id))
        };
        self.served
            .push(with_continuation(revoked, move |conversation, revoked| {
                let revoked = match revoked.transpose() {
                    Ok(revoked) => revoked.flatten(),
                    Err(error) => {
                        let why = format!("the decision could not be revoked: {error}");
                        return conversation.emit(Event::Problem(why));
                    }
                };
                let was_in_force = granted.is_some() || revoked.is_some();
                let shown = revoked.as_ref().map(|it| it.summary.clone());
                let session = revoked.as_ref().and_then(|it| it.session.as_deref());
                let granted = granted.as_ref();
                conversation.log_event(&audit::Event::Undone {
                    id: &id,
                    agent: &conversation.setup.agent,
                    session: session.or(granted.map(|action| action.session.as_str())),
                    subject: shown.or(granted.map(Action::summary)).as_deref(),
                    was_in_force,
                });
                conversation.emit(Event::DecisionUndone { id, was_in_force });
            }));
    }
}

const NOT_OFFERED: &str = "the agent offers no option to allow it once";

/// Whether the agent itself remembers this answer.
fn lasts_with_agent(option: &v1::PermissionOption) -> bool {
    use v1::PermissionOptionKind as Kind;
    matches!(option.kind, Kind::AllowAlways | Kind::RejectAlways)
}

impl RequestSnapshot {
    /// The option that an answer names.
    fn chosen(&self, answer: &v1::RequestPermissionOutcome) -> Option<&v1::PermissionOption> {
        let v1::RequestPermissionOutcome::Selected(chosen) = answer else {
            return None;
        };
        let mut options = self.options.iter();
        options.find(|option| option.option_id == chosen.option_id)
    }

    fn is_read_through_us(&self) -> bool {
        match &self.subject {
            RequestSubject::HostRequest(request) => matches!(**request, HostRequest::Read { .. }),
            RequestSubject::ToolCall(_) | RequestSubject::Exec(_) => false,
        }
    }
}
