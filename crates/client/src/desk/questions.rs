//! Questions for permission: judged, and asked of a person where no rule decides. An answer holds for what was shown.

use std::collections::BTreeMap;

use attache::schema::error;
use attache::{Reply, Transcript, v1};
use attache_host::audit;
use attache_host::permissions::{self, Because, Decision, Question, Scope, Term, Verdict};
use tokio::sync::oneshot;

use super::forms::Action;
use super::grants::Grant;
use super::{Desk, deeds};
use crate::command::Answer;
use crate::event::{Asked, Event};

/// The questions that wait for a person, by the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Questions {
    pending: BTreeMap<u64, Pending>,
    last: u64,
}

#[derive(Debug)]
struct Pending {
    /// Its number for the person. One that is asked anew gets another.
    shown: u64,
    request: v1::RequestPermissionRequest,
    what: Question,
    outcome: Outcome,
}

/// Takes what became of a question. Dropped, it was cancelled.
pub(super) type Outcome = oneshot::Sender<v1::RequestPermissionOutcome>;

/// Questions and forms that nobody will answer. The agent is told so when this is dropped.
#[derive(Debug)]
pub(super) struct Withheld {
    _questions: Vec<Outcome>,
    _forms: Vec<Action>,
}

impl Desk {
    pub(super) fn asked(
        &mut self,
        request: v1::RequestPermissionRequest,
        reply: Reply<v1::RequestPermissionResponse>,
    ) {
        let session = &request.session_id;
        if self.sessions.get(session).is_none() {
            return reply.fail(error::session_not_found(session));
        }
        if !self.can_ask(session) {
            return reply.ok(response(CANCELLED));
        }
        let what = self.question(&request);
        if let Some(outcome) = self.judge(&what, &request.options) {
            return reply.ok(response(outcome));
        }
        let (key, answered) = self.put(request, what);
        let settled = async move {
            tokio::select! {
                biased;
                outcome = answered => reply.ok(response(outcome.unwrap_or(CANCELLED))),
                () = reply.cancelled() => {}
            }
        };
        self.wait(settled, move |desk, ()| drop(desk.take_back(key)));
    }

    /// Whether a person may be asked something for a session now.
    pub(super) fn can_ask(&self, session: &v1::SessionId) -> bool {
        !self.sessions.is_cancelling(session) && self.questions.pending.len() < MOST_PENDING
    }

    /// Puts a question to a person: its key, and what becomes of it.
    pub(super) fn put(
        &mut self,
        request: v1::RequestPermissionRequest,
        what: Question,
    ) -> (u64, oneshot::Receiver<v1::RequestPermissionOutcome>) {
        let key = self.questions.next();
        let (outcome, answered) = oneshot::channel();
        let pending = Pending {
            shown: key,
            request,
            what,
            outcome,
        };
        self.show(&pending);
        self.questions.pending.insert(key, pending);
        (key, answered)
    }

    /// A person's answer. One to a question that is gone, or was asked anew, is no answer.
    pub(super) fn answer(&mut self, question: u64, answer: Answer, term: Term) {
        let Some(pending) = self.questions.take(question) else {
            return;
        };
        let (is_allowed, scope) = match answer {
            Answer::Allow(scope) => (true, scope),
            Answer::Reject(scope) => (false, scope),
            Answer::Dismiss => return drop(self.cancel_question(pending)),
        };
        if scope != Scope::Once {
            let permissions = &self.setup.host.permissions;
            let decision = Decision {
                is_allowed,
                scope,
                expires: permissions.end_of(match scope {
                    Scope::Once | Scope::Session => Term::Endless,
                    Scope::Workspace | Scope::Always => term,
                }),
            };
            permissions.remember(&pending.what, &decision);
        }
        let outcome = permissions::outcome_within(scope, is_allowed, &pending.request.options);
        self.note(&audit::Event::Decided {
            question: &pending.what,
            is_allowed: Some(is_allowed && grants(&outcome)),
            because: &Because("a person".to_owned()),
        });
        if is_allowed && grants(&outcome) {
            self.grant(&pending, scope);
        }
        // An agent that has taken it back does not want to know.
        pending.outcome.send(outcome).ok();
        if scope != Scope::Once {
            self.judge_all();
        }
    }

    /// What the agent does through us is done by the answer itself.
    fn grant(&mut self, pending: &Pending, scope: Scope) {
        let (request, what) = (&pending.request, &pending.what);
        if request.tool_call.tool_call_id.as_str() == deeds::OWN {
            return;
        }
        let grant = match scope {
            Scope::Once => Grant::of_shown(what, &whole(self.told_of(request), &request.tool_call)),
            _ => Grant::of_subject(what),
        };
        self.sessions.grant(&what.session, grant);
    }

    /// Nobody is asked any more about what a session wants: its turn was cancelled, or it has ended.
    pub(super) fn withdraw(&mut self, session: &v1::SessionId) -> Withheld {
        Withheld {
            _questions: self.withdraw_where(|pending| pending.request.session_id == *session),
            _forms: self.withdraw_forms(session),
        }
    }

    pub(super) fn withdraw_all(&mut self) {
        drop(self.withdraw_where(|_| true));
        self.withdraw_all_forms();
    }

    /// A tool call was told anew: what was asked about it may no longer be what would be done.
    pub(super) fn ask_anew(&mut self, session: &v1::SessionId, tool: &v1::ToolCallId) {
        let about = |pending: &Pending| {
            let request = &pending.request;
            request.session_id == *session && request.tool_call.tool_call_id == *tool
        };
        for key in self.questions.keys(about) {
            let Some(mut pending) = self.questions.pending.remove(&key) else {
                continue;
            };
            let what = self.question(&pending.request);
            if what.digest == pending.what.digest {
                self.questions.pending.insert(key, pending);
                continue;
            }
            self.tell(Event::Withdrawn(pending.shown));
            pending.what = what;
            if let Some(pending) = self.judge_again(pending) {
                let shown = self.questions.next();
                let pending = Pending { shown, ..pending };
                self.show(&pending);
                self.questions.pending.insert(key, pending);
            }
        }
    }

    /// Something was decided for longer: it may answer others.
    fn judge_all(&mut self) {
        for key in self.questions.keys(|_| true) {
            let Some(pending) = self.questions.pending.remove(&key) else {
                continue;
            };
            let shown = pending.shown;
            match self.judge_again(pending) {
                Some(pending) => drop(self.questions.pending.insert(key, pending)),
                None => self.tell(Event::Withdrawn(shown)),
            }
        }
    }

    /// Answers a question that is decided by now; it is given back if it is not.
    fn judge_again(&mut self, pending: Pending) -> Option<Pending> {
        let Some(outcome) = self.judge(&pending.what, &pending.request.options) else {
            return Some(pending);
        };
        pending.outcome.send(outcome).ok();
        None
    }

    /// What the rules say, noted and told; nothing when a person is to be asked.
    fn judge(
        &mut self,
        what: &Question,
        options: &[v1::PermissionOption],
    ) -> Option<v1::RequestPermissionOutcome> {
        let (is_allowed, because) = match self.setup.host.permissions.judge(what) {
            Verdict::Allow(because) => (true, because),
            Verdict::Deny(because) => (false, because),
            Verdict::Ask => return None,
        };
        let outcome = permissions::outcome(is_allowed, options);
        let is_allowed = is_allowed && grants(&outcome);
        if is_allowed {
            self.sessions.grant(&what.session, Grant::of_subject(what));
        }
        self.note(&audit::Event::Asked(what));
        self.note(&audit::Event::Decided {
            question: what,
            is_allowed: Some(is_allowed),
            because: &because,
        });
        self.tell(Event::Decided {
            question: Box::new(what.clone()),
            is_allowed,
            because,
        });
        Some(outcome)
    }

    fn question(&self, request: &v1::RequestPermissionRequest) -> Question {
        let session = self.sessions.get(&request.session_id);
        let workspace = session.map(|it| it.cwd.clone()).unwrap_or_default();
        Question::of(&self.setup.agent, workspace, request, self.told_of(request))
    }

    /// What the agent has told of the tool call before. Of what it does through us it cannot tell anything.
    fn told_of(&self, request: &v1::RequestPermissionRequest) -> Option<&v1::ToolCall> {
        let id = &request.tool_call.tool_call_id;
        let session = self.sessions.get(&request.session_id);
        session.filter(|_| id.as_str() != deeds::OWN)?.tool(id)
    }

    fn show(&mut self, pending: &Pending) {
        self.note(&audit::Event::Asked(&pending.what));
        let request = &pending.request;
        let told = self.told_of(request);
        let asked = Asked {
            question: pending.shown,
            what: pending.what.clone(),
            tool_call: whole(told, &request.tool_call),
            options: request.options.clone(),
        };
        self.tell(Event::Asked(Box::new(asked)));
    }

    /// The agent has taken a question back, unless it was answered.
    pub(super) fn take_back(&mut self, key: u64) -> Option<Outcome> {
        let pending = self.questions.pending.remove(&key)?;
        self.tell(Event::Withdrawn(pending.shown));
        Some(self.cancel_question(pending))
    }

    fn withdraw_where(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<Outcome> {
        let keys = self.questions.keys(which);
        keys.into_iter()
            .filter_map(|key| self.take_back(key))
            .collect()
    }

    fn cancel_question(&mut self, pending: Pending) -> Outcome {
        self.note(&audit::Event::Decided {
            question: &pending.what,
            is_allowed: None,
            because: &Because("cancelled".to_owned()),
        });
        pending.outcome
    }
}

impl Questions {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn keys(&self, which: impl Fn(&Pending) -> bool) -> Vec<u64> {
        let pending = self.pending.iter();
        let keys = pending.filter(|(_, pending)| which(pending));
        keys.map(|(key, _)| *key).collect()
    }

    fn take(&mut self, shown: u64) -> Option<Pending> {
        let key = self.keys(|pending| pending.shown == shown).pop()?;
        self.pending.remove(&key)
    }
}

/// The tool call with what the question says of it.
fn whole(told: Option<&v1::ToolCall>, asked: &v1::ToolCallUpdate) -> v1::ToolCall {
    let mut fold = Transcript::new();
    if let Some(told) = told {
        fold.apply(v1::SessionUpdate::ToolCall(told.clone()));
    }
    fold.apply(v1::SessionUpdate::ToolCallUpdate(asked.clone()));
    match fold.tool_call(&asked.tool_call_id) {
        Some(call) => call.said.clone(),
        None => v1::ToolCall::new(asked.tool_call_id.clone(), ""),
    }
}

fn grants(outcome: &v1::RequestPermissionOutcome) -> bool {
    matches!(outcome, v1::RequestPermissionOutcome::Selected(_))
}

fn response(outcome: v1::RequestPermissionOutcome) -> v1::RequestPermissionResponse {
    v1::RequestPermissionResponse::new(outcome)
}

const CANCELLED: v1::RequestPermissionOutcome = v1::RequestPermissionOutcome::Cancelled;
const MOST_PENDING: usize = 64;
