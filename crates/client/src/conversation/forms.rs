//! Elicitation: forms for the user to fill in and pages to visit.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use std::collections::{BTreeMap, VecDeque};

use attache::schema::error;
use attache::{Reply, v1};
use tokio::sync::oneshot;

use super::Conversation;
use crate::event::Event;

/// Forms that wait for the user.
#[derive(Debug, Default)]
pub(super) struct Forms {
    pending: BTreeMap<u64, PendingForm>,
    last: u64,
    /// Pages that the user was asked to visit and has not completed.
    pages: VecDeque<v1::ElicitationId>,
}

#[derive(Debug)]
struct PendingForm {
    session: Option<v1::SessionId>,
    action: FormReply,
}

/// Takes the user's response. Dropping it cancels the form.
pub(super) type FormReply = oneshot::Sender<v1::ElicitationAction>;

impl Conversation {
    pub(super) fn handle_elicitation(
        &mut self,
        request: v1::CreateElicitationRequest,
        reply: Reply<v1::CreateElicitationResponse>,
    ) {
        let session = match &request.scope {
            v1::ElicitationScope::Session(scope) => Some(scope.session_id.clone()),
            v1::ElicitationScope::Request(_) => None,
            _ => return reply.fail(error::unusable_params("unknown scope")),
        };
        if let Some(unknown) = session
            .as_ref()
            .filter(|it| self.sessions.get(it).is_none())
        {
            return reply.fail(error::session_not_found(unknown));
        }
        if !self.offers(&request.mode) {
            return reply.fail(error::unusable_params(
                "the client does not offer this mode",
            ));
        }
        let is_cancelling = session
            .as_ref()
            .is_some_and(|it| self.sessions.is_cancelling(it));
        if is_cancelling || self.forms.pending.len() >= MOST_PENDING {
            return reply.ok(response(CANCEL));
        }
        if let v1::ElicitationMode::Url(page) = &request.mode {
            self.forms.expect(page.elicitation_id.clone());
        }
        let (action, filled) = oneshot::channel();
        self.forms.last += 1;
        let form = self.forms.last;
        self.forms
            .pending
            .insert(form, PendingForm { session, action });
        let request = Box::new(request);
        self.emit(Event::FormRequested { form, request });
        let settled = async move {
            tokio::select! {
                biased;
                action = filled => reply.ok(response(action.unwrap_or(CANCEL))),
                () = reply.cancelled() => {}
            }
        };
        self.run_then(settled, move |conversation, ()| {
            drop(conversation.withdraw_form(form))
        });
    }

    /// Handles the user's response. Ignores one to a form that no longer exists.
    pub(super) fn answer_form(&mut self, form: u64, action: v1::ElicitationAction) {
        if let Some(pending) = self.forms.pending.remove(&form) {
            // The agent may have cancelled its request.
            pending.action.send(action).ok();
        }
    }

    /// Handles the completion of a page. Ignores pages that were never requested.
    pub(super) fn complete_elicitation(&mut self, page: v1::ElicitationId) {
        let known = self.forms.pages.iter().position(|it| *it == page);
        if let Some(at) = known {
            self.forms.pages.remove(at);
            self.emit(Event::FormCompleted(page));
        }
    }

    pub(super) fn withdraw_forms(&mut self, session: &v1::SessionId) -> Vec<FormReply> {
        let pending = self.forms.pending.iter();
        let of_session = pending.filter(|(_, form)| form.session.as_ref() == Some(session));
        let forms: Vec<u64> = of_session.map(|(form, _)| *form).collect();
        let forms = forms.into_iter();
        forms.filter_map(|form| self.withdraw_form(form)).collect()
    }

    pub(super) fn withdraw_all_forms(&mut self) {
        let forms: Vec<u64> = self.forms.pending.keys().copied().collect();
        for form in forms {
            drop(self.withdraw_form(form));
        }
    }

    fn withdraw_form(&mut self, form: u64) -> Option<FormReply> {
        let pending = self.forms.pending.remove(&form)?;
        self.emit(Event::FormWithdrawn(form));
        Some(pending.action)
    }

    fn offers(&self, mode: &v1::ElicitationMode) -> bool {
        let offer = self.setup.offer.elicitation.as_ref();
        offer.is_some_and(|offer| match mode {
            v1::ElicitationMode::Form(_) => offer.form.is_some(),
            v1::ElicitationMode::Url(_) => offer.url.is_some(),
            v1::ElicitationMode::Other(_) => false,
            _ => false,
        })
    }
}

impl Forms {
    fn expect(&mut self, page: v1::ElicitationId) {
        if self.pages.len() >= MOST_PENDING {
            self.pages.pop_front();
        }
        self.pages.push_back(page);
    }
}

fn response(action: v1::ElicitationAction) -> v1::CreateElicitationResponse {
    v1::CreateElicitationResponse::new(action)
}

const CANCEL: v1::ElicitationAction = v1::ElicitationAction::Cancel;
const MOST_PENDING: usize = 64;
