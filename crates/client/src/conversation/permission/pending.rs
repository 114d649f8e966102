//! The permission requests that are under way, and what can happen to them: an answer, a change, a withdrawal.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use attache::v1;
use attache_host::audit;
use attache_host::permissions::{Action, Expiry, Reason, ShownContent};
use tokio::sync::{Notify, oneshot};

use super::tool_call::{supersede, whole};
use super::{Case, PermissionRequest, Shown, Source, Subject, TOO_MANY, TURN_CANCELLED};
use crate::command::PermissionAnswer;
use crate::conversation::Conversation;
use crate::conversation::forms::FormReply;
use crate::event::{Event, PermissionPrompt};

/// The requests that are under way, in the order in which they came.
#[derive(Debug, Default)]
pub(in crate::conversation) struct Pending {
    requests: BTreeMap<u64, PendingRequest>,
    last: u64,
    last_prompt: u64,
}

#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) session: v1::SessionId,
    source: Source,
    revision: u64,
    /// What would be done, as it was last described.
    action: Option<Action>,
    /// Where the user's answer goes, while they have the prompt.
    pub(super) prompt: Option<OpenPrompt>,
    was_shown: bool,
    /// Whether the log says that it was asked, and not yet what came of it.
    pub(super) has_open_record: bool,
    again: Arc<Notify>,
    /// What the request takes.
    bytes: usize,
    /// Dropped once the agent may hear that the request was withdrawn.
    _withdrawn: oneshot::Sender<Infallible>,
}

#[derive(Debug)]
pub(super) struct OpenPrompt {
    pub(super) id: u64,
    answer: oneshot::Sender<(PermissionAnswer, Expiry)>,
}

/// Requests and forms that nobody will answer. The agent is told so when this is dropped.
#[derive(Debug)]
pub(in crate::conversation) struct Withheld {
    _requests: Vec<PendingRequest>,
    _forms: Vec<FormReply>,
}

impl Conversation {
    /// Begins a request that takes so many bytes while it waits.
    pub(in crate::conversation) fn request_permission(
        &mut self,
        session: &v1::SessionId,
        source: Source,
        bytes: usize,
    ) -> PermissionRequest {
        let (guard, withdrawn) = oneshot::channel();
        let request = PendingRequest {
            session: session.clone(),
            source,
            revision: 0,
            action: None,
            prompt: None,
            was_shown: false,
            has_open_record: false,
            again: Arc::default(),
            bytes,
            _withdrawn: guard,
        };
        self.pending.last += 1;
        let key = self.pending.last;
        self.pending.requests.insert(key, request);
        PermissionRequest {
            conversation: self.handle.clone(),
            host: self.setup.host.clone(),
            clerk: self.clerk.clone(),
            key,
            withdrawn,
        }
    }

    /// The request as it is now.
    pub(super) fn describe(&mut self, key: u64) -> Option<Case> {
        let request = self.pending.requests.get(&key)?;
        let action = self.action_of(request);
        let (subject, options) = match &request.source {
            Source::ToolCall(asked) => {
                let told = self.told_of(asked);
                let call = whole(told, &asked.tool_call);
                let options = asked.options.iter().take(MOST_OPTIONS);
                (Subject::ToolCall(call), options.cloned().collect())
            }
            Source::HostRequest(asked, _) => {
                (Subject::HostRequest(Arc::clone(asked)), own_options())
            }
            Source::Exec(exec, _) => (Subject::Exec(exec.clone()), own_options()),
        };
        let omitted_options = match &request.source {
            Source::ToolCall(asked) => asked.options.len().saturating_sub(MOST_OPTIONS),
            Source::HostRequest(..) | Source::Exec(..) => 0,
        };
        let case = Case {
            revision: request.revision,
            action: action.clone(),
            subject,
            options,
            omitted_options,
            was_shown: request.was_shown,
            turn: self.sessions.turn_of(&request.session),
            again: Arc::clone(&request.again),
            disk: Vec::new(),
            content: ShownContent::None,
        };
        if let Some(request) = self.pending.requests.get_mut(&key) {
            request.action = Some(action);
        }
        Some(case)
    }

    /// Puts a request to the user.
    pub(super) fn show(&mut self, key: u64, revision: u64, mut prompt: PermissionPrompt) -> Shown {
        let Some(request) = self.pending.requests.get(&key) else {
            return Shown::Outdated;
        };
        if request.revision != revision {
            return Shown::Outdated;
        }
        let is_full = self.pending.open() >= MOST_OPEN
            || (request.is_exec() && self.pending.open_execs() >= MOST_EXECS);
        if self.sessions.is_cancelling(&request.session) {
            return Shown::Refused(TURN_CANCELLED);
        }
        if is_full {
            return Shown::Refused(TOO_MANY);
        }
        self.note(&audit::Event::Asked(&prompt.action));
        self.pending.last_prompt += 1;
        prompt.id = self.pending.last_prompt;
        let (answer, answered) = oneshot::channel();
        if let Some(request) = self.pending.requests.get_mut(&key) {
            let id = prompt.id;
            request.prompt = Some(OpenPrompt { id, answer });
            request.was_shown = true;
            request.has_open_record = true;
        }
        self.tell(Event::PermissionRequested(Box::new(prompt)));
        Shown::Prompt(answered)
    }

    /// The user's answer. An answer to a withdrawn prompt is ignored.
    pub(in crate::conversation) fn answer(
        &mut self,
        prompt: u64,
        answer: PermissionAnswer,
        expiry: Expiry,
    ) {
        let mut requests = self.pending.requests.values_mut();
        let open = requests.find_map(|request| request.prompt.take_if(|it| it.id == prompt));
        if let Some(open) = open {
            // A request that was withdrawn just now needs no answer.
            open.answer.send((answer, expiry)).ok();
        }
    }

    /// A tool call was told anew: what is asked about it may no longer be what would be done.
    pub(in crate::conversation) fn tool_call_changed(
        &mut self,
        told: &v1::SessionNotification,
        tool: &v1::ToolCallId,
    ) {
        for key in self
            .pending
            .keys(|request| request.is_about(&told.session_id, tool))
        {
            let Some(mut request) = self.pending.requests.remove(&key) else {
                continue;
            };
            if let Source::ToolCall(asked) = &mut request.source {
                supersede(&mut asked.tool_call, &told.update);
            }
            let digest = request.action.as_ref().map(|action| action.digest);
            if digest.is_some_and(|digest| digest != self.action_of(&request).digest) {
                request.revision += 1;
                if let Some(open) = request.prompt.take() {
                    self.tell(Event::PermissionWithdrawn(open.id));
                }
                self.note_end(&mut request, "the tool call has changed");
            }
            self.pending.requests.insert(key, request);
        }
    }

    /// Something was decided for longer: it may decide what the user has before them.
    pub(super) fn judge_all(&mut self) {
        for request in self.pending.requests.values() {
            request.again.notify_one();
        }
    }

    /// Nobody is asked any more about what a session wants: its turn was cancelled, or it has ended.
    pub(in crate::conversation) fn withdraw(
        &mut self,
        session: &v1::SessionId,
        why: &'static str,
    ) -> Withheld {
        Withheld {
            _requests: self.withdraw_where(|request| request.session == *session, why),
            _forms: self.withdraw_forms(session),
        }
    }

    pub(in crate::conversation) fn withdraw_all(&mut self, why: &'static str) {
        drop(self.withdraw_where(|_| true, why));
        self.withdraw_all_forms();
    }

    fn withdraw_where(
        &mut self,
        which: impl Fn(&PendingRequest) -> bool,
        why: &'static str,
    ) -> Vec<PendingRequest> {
        let keys = self.pending.keys(which);
        keys.into_iter()
            .filter_map(|key| self.take_back(key, why))
            .collect()
    }

    /// Nobody waits for a request any more.
    pub(super) fn abandon(&mut self, key: u64) {
        let request = self.pending.requests.get(&key);
        let why = match request.is_some_and(PendingRequest::is_exec) {
            true => "the program no longer waits",
            false => "the agent withdrew the request",
        };
        drop(self.take_back(key, why));
    }

    /// Ends a request that was not decided.
    fn take_back(&mut self, key: u64, why: &'static str) -> Option<PendingRequest> {
        let request = self.pending.requests.remove(&key)?;
        if let Some(open) = &request.prompt {
            self.tell(Event::PermissionWithdrawn(open.id));
        }
        if let Some(action) = &request.action {
            self.note_cancelled(action, why);
        }
        Some(request)
    }

    /// The user's answer does not count, because what was shown has changed: the log and the user are told why.
    pub(super) fn outdated(&mut self, key: u64, why: &'static str) {
        if let Some(mut request) = self.pending.requests.remove(&key) {
            self.note_end(&mut request, why);
            self.pending.requests.insert(key, request);
            self.tell(Event::Notice(format!("your answer does not count: {why}")));
        }
    }

    fn note_end(&self, request: &mut PendingRequest, why: &'static str) {
        if std::mem::take(&mut request.has_open_record)
            && let Some(action) = &request.action
        {
            self.note_cancelled(action, why);
        }
    }

    pub(super) fn note_cancelled(&self, action: &Action, why: &str) {
        self.note(&audit::Event::Decided {
            action,
            is_allowed: None,
            reason: &Reason::new(why),
            answer: None,
        });
    }

    /// Ends a request that is still what was decided on.
    pub(super) fn finish(&mut self, key: u64, revision: u64) -> Option<PendingRequest> {
        self.pending.get_mut(key, revision)?;
        self.pending.requests.remove(&key)
    }

    fn action_of(&self, request: &PendingRequest) -> Action {
        match &request.source {
            Source::ToolCall(asked) => {
                let session = self.sessions.get(&request.session);
                let workspace = session.map(|it| it.cwd.clone()).unwrap_or_default();
                Action::from_request(&self.setup.agent, workspace, asked, self.told_of(asked))
            }
            Source::HostRequest(_, action) | Source::Exec(_, action) => action.clone(),
        }
    }

    /// What the agent has told of the tool call before.
    fn told_of(&self, asked: &v1::RequestPermissionRequest) -> Option<&v1::ToolCall> {
        let session = self.sessions.get(&asked.session_id)?;
        session.tool(&asked.tool_call.tool_call_id)
    }
}

impl Pending {
    /// Whether a request of so many bytes may wait.
    pub(in crate::conversation) fn has_room(&self, bytes: usize) -> bool {
        let held: usize = self.requests.values().map(|request| request.bytes).sum();
        held.saturating_add(bytes) <= MOST_BYTES
    }

    /// A request that is still what it was.
    pub(super) fn get_mut(&mut self, key: u64, revision: u64) -> Option<&mut PendingRequest> {
        let request = self.requests.get_mut(&key)?;
        (request.revision == revision).then_some(request)
    }

    /// Whether a request is about a tool call.
    pub(in crate::conversation) fn is_about(
        &self,
        session: &v1::SessionId,
        tool: &v1::ToolCallId,
    ) -> bool {
        let mut requests = self.requests.values();
        requests.any(|request| request.is_about(session, tool))
    }

    /// How many prompts the user has.
    fn open(&self) -> usize {
        let requests = self.requests.values();
        requests.filter(|request| request.prompt.is_some()).count()
    }

    /// How many of them are about programs that are about to start.
    fn open_execs(&self) -> usize {
        let requests = self.requests.values();
        let execs = requests.filter(|request| request.is_exec() && request.prompt.is_some());
        execs.count()
    }

    fn keys(&self, which: impl Fn(&PendingRequest) -> bool) -> Vec<u64> {
        let requests = self.requests.iter();
        let keys = requests.filter(|(_, request)| which(request));
        keys.map(|(key, _)| *key).collect()
    }
}

impl PendingRequest {
    fn is_exec(&self) -> bool {
        matches!(self.source, Source::Exec(..))
    }

    /// Only a tool call can be told of: what an agent does through us is as it was done.
    fn is_about(&self, session: &v1::SessionId, tool: &v1::ToolCallId) -> bool {
        match &self.source {
            Source::ToolCall(asked) => {
                self.session == *session && asked.tool_call.tool_call_id == *tool
            }
            Source::HostRequest(..) | Source::Exec(..) => false,
        }
    }
}

fn own_options() -> Vec<v1::PermissionOption> {
    vec![
        v1::PermissionOption::new("yes", "Allow", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("no", "Reject", v1::PermissionOptionKind::RejectOnce),
    ]
}

/// Prompts that the user has at the same time; the next requests are cancelled.
const MOST_OPEN: usize = 64;
/// Prompts about programs that are about to start: one command can start thousands, and what the agent asks still gets
/// through.
const MOST_EXECS: usize = 48;
/// What requests may take while they are judged or wait for the user; the next are cancelled.
const MOST_BYTES: usize = 16 << 20;
/// Options of an agent that are looked at.
const MOST_OPTIONS: usize = 16;
