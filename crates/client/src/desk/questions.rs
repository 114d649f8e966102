//! Questions for permission: judged, and asked of a person where no rule decides. An answer holds for what was shown.

mod told;

use std::collections::BTreeMap;

use attache::schema::error;
use attache::{Reply, json, v1};
use attache_host::audit;
use attache_host::permissions::{
    self, Action, Because, Decision, Remembered, Scope, Term, Verdict,
};
use tokio::sync::oneshot;

use super::forms::FormReply;
use super::grants::Grant;
use super::{Desk, before, disk};
use crate::command::Answer;
use crate::event::{Event, HostRequest, OnDisk, PermissionPrompt, PromptSubject};
use told::{supersede, whole};

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
    stage: Stage,
    request: v1::RequestPermissionRequest,
    /// What the agent does through us, where it is that.
    host: Option<HostRequest>,
    what: Action,
    outcome: Outcome,
    /// What the request takes.
    bytes: usize,
}

/// How far a question has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It is being judged, and nobody has seen it.
    Considered,
    /// A person has it.
    Asked,
}

/// Takes what became of a question. Dropped, it was cancelled.
pub(super) type Outcome = oneshot::Sender<v1::RequestPermissionOutcome>;

/// A question that a person has answered.
struct Answered {
    pending: Pending,
    is_allowed: bool,
    scope: Scope,
    outcome: v1::RequestPermissionOutcome,
    /// The turn in which it was answered.
    turn: Option<u64>,
}

/// Questions and forms that nobody will answer. The agent is told so when this is dropped.
#[derive(Debug)]
pub(super) struct Withheld {
    _questions: Vec<Outcome>,
    _forms: Vec<FormReply>,
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
        let bytes = json::to_string(&request).len();
        if self.sessions.is_cancelling(session) || !self.questions.has_room(bytes) {
            return reply.ok(response(CANCELLED));
        }
        let what = self.question(&request);
        let (key, answered) = self.hold(request, None, what, bytes, Stage::Considered);
        self.consider(key);
        let host = self.setup.host.clone();
        let settled = async move {
            tokio::select! {
                biased;
                outcome = answered => {
                    host.noted().await;
                    reply.ok(response(outcome.unwrap_or(CANCELLED)));
                }
                () = reply.cancelled() => {}
            }
        };
        self.wait(settled, move |desk, ()| drop(desk.take_back(key)));
    }

    /// Whether a person may be asked something for a session now.
    pub(super) fn can_ask(&self, session: &v1::SessionId) -> bool {
        !self.sessions.is_cancelling(session) && self.questions.asked() < MOST_ASKED
    }

    /// Puts a question to a person that no rule decides: its key, and what becomes of it.
    pub(super) fn put(
        &mut self,
        request: v1::RequestPermissionRequest,
        host: HostRequest,
        what: Action,
    ) -> (u64, oneshot::Receiver<v1::RequestPermissionOutcome>) {
        // What is to be written has a limit of its own.
        let bytes = 0;
        let (key, answered) = self.hold(request, Some(host), what, bytes, Stage::Asked);
        if let Some(pending) = self.questions.pending.remove(&key) {
            self.show(&pending, Vec::new());
            self.questions.pending.insert(key, pending);
        }
        (key, answered)
    }

    fn hold(
        &mut self,
        request: v1::RequestPermissionRequest,
        host: Option<HostRequest>,
        what: Action,
        bytes: usize,
        stage: Stage,
    ) -> (u64, oneshot::Receiver<v1::RequestPermissionOutcome>) {
        let key = self.questions.next();
        let (outcome, answered) = oneshot::channel();
        let pending = Pending {
            shown: key,
            stage,
            request,
            host,
            what,
            outcome,
            bytes,
        };
        self.questions.pending.insert(key, pending);
        (key, answered)
    }

    /// Has a question judged, and what it shows of files compared with the disk, while everything else goes on.
    fn consider(&mut self, key: u64) {
        let Some(pending) = self.questions.pending.get(&key) else {
            return;
        };
        let (shown, what) = (pending.shown, pending.what.clone());
        let changes = match pending.stage {
            Stage::Considered => disk::changes(&self.whole(&pending.request)),
            Stage::Asked => Vec::new(),
        };
        let (host, clerk) = (self.setup.host.clone(), self.clerk.clone());
        let considered = async move {
            let disk = match changes.is_empty() {
                true => Vec::new(),
                false => disk::compare(host.clone(), what.session.clone(), changes).await,
            };
            let verdict = clerk.hand(move || host.permissions.judge(&what)).await;
            (verdict, disk)
        };
        let then = move |desk: &mut Desk, (verdict, disk)| {
            desk.considered(key, shown, verdict, disk);
        };
        self.served.push(before(considered, then));
    }

    /// A verdict on what was not changed meanwhile.
    fn considered(&mut self, key: u64, shown: u64, verdict: Option<Verdict>, disk: Vec<OnDisk>) {
        let Some(mut pending) = self.questions.take_if(key, shown) else {
            return;
        };
        let (is_allowed, because) = match verdict {
            Some(Verdict::Allow(because)) => (true, because),
            Some(Verdict::Deny(because)) => (false, because),
            Some(Verdict::Ask) if pending.stage == Stage::Asked => {
                self.questions.pending.insert(key, pending);
                return;
            }
            Some(Verdict::Ask) if self.can_ask(&pending.what.session) => {
                pending.stage = Stage::Asked;
                self.show(&pending, disk);
                self.questions.pending.insert(key, pending);
                return;
            }
            Some(Verdict::Ask) | None => return drop(self.cancel_question(pending)),
        };
        if pending.stage == Stage::Asked {
            self.tell(Event::Withdrawn(shown));
        }
        self.decide(pending, is_allowed, because, disk);
    }

    /// A person's answer. One to a question that is gone, or was asked anew, is no answer.
    pub(super) fn answer(&mut self, question: u64, answer: Answer, term: Term) {
        let Some(pending) = self.questions.take(question) else {
            return;
        };
        let (is_allowed, scope, outcome) = match answer {
            Answer::Choose { option, remember } => {
                let options = &pending.request.options;
                let Some(is_allowed) = permissions::is_allowed_by(options, &option) else {
                    return drop(self.cancel_question(pending));
                };
                let chosen = v1::SelectedPermissionOutcome::new(option).into();
                (is_allowed, remember, chosen)
            }
            Answer::Reject { remember } => (false, remember, CANCELLED),
            Answer::Dismiss => return drop(self.cancel_question(pending)),
        };
        self.note(&audit::Event::Decided {
            action: &pending.what,
            is_allowed: Some(is_allowed && grants(&outcome)),
            because: &Because("a person".to_owned()),
        });
        let answered = Answered {
            turn: self.sessions.turn_of(&pending.what.session),
            pending,
            is_allowed,
            scope,
            outcome,
        };
        if scope == Scope::Once {
            return self.tell_agent(answered);
        }
        if !is_allowed {
            self.sessions.retract(&answered.pending.what);
        }
        let permissions = self.setup.host.permissions.clone();
        let decision = Decision {
            is_allowed,
            scope,
            expires: permissions.end_of(match scope {
                Scope::Once | Scope::Session => Term::Endless,
                Scope::Workspace | Scope::Always => term,
            }),
        };
        let what = answered.pending.what.clone();
        // The agent hears of it when it is on disk, so that nothing it does then is asked about again.
        let remembered = self
            .clerk
            .hand(move || permissions.remember(&what, &decision));
        let then = move |desk: &mut Desk, remembered: Option<Option<Remembered>>| {
            if let Some(remembered) = remembered.flatten() {
                desk.tell(Event::Remembered {
                    id: remembered.id,
                    session: answered.pending.what.session.clone(),
                    what: remembered.shown,
                    scope: remembered.scope,
                    is_allowed: remembered.is_allowed,
                });
            }
            desk.tell_agent(answered);
            desk.judge_all();
        };
        self.served.push(before(remembered, then));
    }

    /// Undoes a decision.
    pub(super) fn forget(&mut self, id: String) {
        let permissions = self.setup.host.permissions.clone();
        let revoked = {
            let id = id.clone();
            self.clerk.hand(move || permissions.revoke(&id))
        };
        let then = move |desk: &mut Desk, revoked| {
            let was_in_force = match revoked {
                Some(Ok(revoked)) => Option::is_some(&revoked),
                Some(Err(error)) => {
                    let why = format!("the decision is not revoked: {error}");
                    return desk.tell(Event::Trouble(why));
                }
                None => return,
            };
            desk.tell(Event::Forgotten { id, was_in_force });
        };
        self.served.push(before(revoked, then));
    }

    /// Tells the agent what a person has answered, unless the turn in which it asked is over.
    fn tell_agent(&mut self, answered: Answered) {
        let Answered {
            pending,
            is_allowed,
            scope,
            outcome,
            turn,
        } = answered;
        let session = &pending.what.session;
        if self.sessions.is_cancelling(session) || self.sessions.turn_of(session) != turn {
            return;
        }
        if is_allowed && grants(&outcome) {
            self.grant(&pending, scope);
        }
        // An agent that has taken it back does not want to know.
        pending.outcome.send(outcome).ok();
    }

    /// What the agent does through us is done by the answer itself.
    fn grant(&mut self, pending: &Pending, scope: Scope) {
        let (request, what) = (&pending.request, &pending.what);
        if pending.host.is_some() {
            return;
        }
        let grant = match scope {
            Scope::Once => Grant::of_shown(what, &self.whole(request)),
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
            pending.host.is_none()
                && request.session_id == *session
                && request.tool_call.tool_call_id == *tool
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
            if pending.stage == Stage::Asked {
                self.tell(Event::Withdrawn(pending.shown));
            }
            pending.shown = self.questions.next();
            pending.stage = Stage::Considered;
            pending.what = what;
            self.questions.pending.insert(key, pending);
            self.consider(key);
        }
    }

    /// Something was decided for longer: it may answer others.
    fn judge_all(&mut self) {
        for key in self.questions.keys(|_| true) {
            self.consider(key);
        }
    }

    /// Answers a question that a rule has decided.
    fn decide(&mut self, pending: Pending, is_allowed: bool, because: Because, disk: Vec<OnDisk>) {
        let what = &pending.what;
        let outcome = permissions::outcome(is_allowed, &pending.request.options);
        let is_allowed = is_allowed && grants(&outcome);
        if is_allowed {
            self.sessions.grant(&what.session, Grant::of_subject(what));
        }
        if pending.stage == Stage::Considered {
            self.note(&audit::Event::Asked(what));
        }
        self.note(&audit::Event::Decided {
            action: what,
            is_allowed: Some(is_allowed),
            because: &because,
        });
        let prompt = Box::new(self.as_asked(&pending, disk));
        self.tell(Event::Decided {
            prompt,
            is_allowed,
            because,
        });
        pending.outcome.send(outcome).ok();
    }

    fn question(&self, request: &v1::RequestPermissionRequest) -> Action {
        let session = self.sessions.get(&request.session_id);
        let workspace = session.map(|it| it.cwd.clone()).unwrap_or_default();
        Action::of(&self.setup.agent, workspace, request, self.told_of(request))
    }

    /// What the agent has told of the tool call before.
    fn told_of(&self, request: &v1::RequestPermissionRequest) -> Option<&v1::ToolCall> {
        let id = &request.tool_call.tool_call_id;
        let session = self.sessions.get(&request.session_id);
        session?.tool(id)
    }

    fn show(&mut self, pending: &Pending, disk: Vec<OnDisk>) {
        self.note(&audit::Event::Asked(&pending.what));
        let asked = self.as_asked(pending, disk);
        self.tell(Event::Asked(Box::new(asked)));
    }

    fn as_asked(&self, pending: &Pending, disk: Vec<OnDisk>) -> PermissionPrompt {
        PermissionPrompt {
            id: pending.shown,
            action: pending.what.clone(),
            subject: match &pending.host {
                Some(request) => PromptSubject::HostRequest(request.clone()),
                None => PromptSubject::ToolCall(self.whole(&pending.request)),
            },
            options: pending.request.options.clone(),
            disk,
        }
    }

    /// The tool call that a request is about, with what was told of it before.
    pub(super) fn whole(&self, request: &v1::RequestPermissionRequest) -> v1::ToolCall {
        whole(self.told_of(request), &request.tool_call)
    }

    /// The agent has taken a question back, unless it was answered.
    pub(super) fn take_back(&mut self, key: u64) -> Option<Outcome> {
        let pending = self.questions.pending.remove(&key)?;
        if pending.stage == Stage::Asked {
            self.tell(Event::Withdrawn(pending.shown));
        }
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
            action: &pending.what,
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

    /// Whether a request of so many bytes may wait.
    fn has_room(&self, bytes: usize) -> bool {
        let held: usize = self.pending.values().map(|pending| pending.bytes).sum();
        held.saturating_add(bytes) <= MOST_BYTES
    }

    /// What is told of a tool call counts before what a request has said of it earlier. Of what it does through us an
    /// agent cannot tell anything.
    pub(super) fn supersede(&mut self, told: &v1::SessionNotification) {
        for pending in self.pending.values_mut() {
            let request = &mut pending.request;
            if pending.host.is_none() && request.session_id == told.session_id {
                supersede(&mut request.tool_call, &told.update);
            }
        }
    }

    /// How many a person has.
    fn asked(&self) -> usize {
        let pending = self.pending.values();
        pending.filter(|it| it.stage == Stage::Asked).count()
    }

    fn take_if(&mut self, key: u64, shown: u64) -> Option<Pending> {
        let is_it = self.pending.get(&key).is_some_and(|it| it.shown == shown);
        is_it.then(|| self.pending.remove(&key)).flatten()
    }

    fn keys(&self, which: impl Fn(&Pending) -> bool) -> Vec<u64> {
        let pending = self.pending.iter();
        let keys = pending.filter(|(_, pending)| which(pending));
        keys.map(|(key, _)| *key).collect()
    }

    fn take(&mut self, shown: u64) -> Option<Pending> {
        let is_it = |pending: &Pending| pending.shown == shown && pending.stage == Stage::Asked;
        let key = self.keys(is_it).pop()?;
        self.pending.remove(&key)
    }
}

fn grants(outcome: &v1::RequestPermissionOutcome) -> bool {
    matches!(outcome, v1::RequestPermissionOutcome::Selected(_))
}

fn response(outcome: v1::RequestPermissionOutcome) -> v1::RequestPermissionResponse {
    v1::RequestPermissionResponse::new(outcome)
}

const CANCELLED: v1::RequestPermissionOutcome = v1::RequestPermissionOutcome::Cancelled;
/// Questions that a person has at the same time; the next are cancelled.
const MOST_ASKED: usize = 64;
/// What requests may take while they are judged or wait for a person; the next are cancelled.
const MOST_BYTES: usize = 16 << 20;
