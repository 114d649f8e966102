//! Permission requests in progress, and what can happen to them: an answer, a change, a withdrawal.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use attache::{Transcript, v1};
use attache_host::audit;
use attache_host::permissions::{Action, Expiry, Reason};
use tokio::sync::{Notify, oneshot};

use super::{
    PermissionRequest, PromptResult, RequestSnapshot, RequestSource, RequestSubject, TOO_MANY,
    TURN_CANCELLED,
};
use crate::command::PermissionAnswer;
use crate::conversation::Conversation;
use crate::conversation::forms::FormReply;
use crate::event::{Event, PermissionPrompt};
use crate::tool_call::ReportedToolCall;

/// Permission requests in progress, in order of arrival.
#[derive(Debug, Default)]
pub(in crate::conversation) struct PendingRequests {
    requests: BTreeMap<u64, PendingRequest>,
    last: u64,
    last_prompt: u64,
}

#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) session: v1::SessionId,
    source: RequestSource,
    revision: u64,
    /// The action, as last described.
    action: Option<Action>,
    /// The prompt, while it is shown to the user.
    pub(super) prompt: Option<OpenPrompt>,
    was_shown: bool,
    /// Whether the audit log has the request but not yet its outcome.
    pub(super) has_open_record: bool,
    again: Arc<Notify>,
    /// Size of the request.
    bytes: usize,
    /// Dropped when the agent may get the response to a withdrawn request.
    _withdrawn: oneshot::Sender<Infallible>,
}

#[derive(Debug)]
pub(super) struct OpenPrompt {
    pub(super) id: u64,
    answer: oneshot::Sender<(PermissionAnswer, Expiry)>,
}

/// Withdrawn requests and forms. Dropping this sends their responses to the agent.
#[derive(Debug)]
pub(in crate::conversation) struct WithdrawnRequests {
    _requests: Vec<PendingRequest>,
    _forms: Vec<FormReply>,
}

impl Conversation {
    /// Starts a permission request. `bytes` is its size while it waits.
    pub(in crate::conversation) fn request_permission(
        &mut self,
        session: &v1::SessionId,
        source: RequestSource,
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
            disk_worker: self.disk_worker.clone(),
            key,
            withdrawn,
        }
    }

    /// Describes the request in its current revision.
    pub(super) fn describe(&mut self, key: u64) -> Option<RequestSnapshot> {
        let request = self.pending.requests.get(&key)?;
        let action = self.action_of(request);
        let (subject, options) = match &request.source {
            RequestSource::ToolCall(asked) => {
                let told = self.told_of(asked);
                let call = merge_tool_call(told, &asked.tool_call);
                (RequestSubject::ToolCall(call), asked.options.clone())
            }
            RequestSource::HostRequest(asked, _) => (
                RequestSubject::HostRequest(Arc::clone(asked)),
                own_options(),
            ),
            RequestSource::Exec(exec, _) => (RequestSubject::Exec(exec.clone()), own_options()),
        };
        let snapshot = RequestSnapshot {
            revision: request.revision,
            action: action.clone(),
            subject,
            options,
            was_shown: request.was_shown,
            turn: self.sessions.turn_of(&request.session),
            again: Arc::clone(&request.again),
            changes: Vec::new(),
            change: None,
        };
        if let Some(request) = self.pending.requests.get_mut(&key) {
            request.action = Some(action);
        }
        Some(snapshot)
    }

    /// Shows a prompt to the user.
    pub(super) fn show(
        &mut self,
        key: u64,
        revision: u64,
        mut prompt: PermissionPrompt,
    ) -> PromptResult {
        let Some(request) = self.pending.requests.get(&key) else {
            return PromptResult::Outdated;
        };
        if request.revision != revision {
            return PromptResult::Outdated;
        }
        let is_full = self.pending.open() >= MOST_OPEN
            || (request.is_exec() && self.pending.open_execs() >= MOST_EXECS);
        if self.sessions.is_cancelling(&request.session) {
            return PromptResult::Refused(TURN_CANCELLED);
        }
        if is_full {
            return PromptResult::Refused(TOO_MANY);
        }
        self.log_event(&audit::Event::Asked(&prompt.action));
        self.pending.last_prompt += 1;
        prompt.id = self.pending.last_prompt;
        let (answer, answered) = oneshot::channel();
        if let Some(request) = self.pending.requests.get_mut(&key) {
            let id = prompt.id;
            request.prompt = Some(OpenPrompt { id, answer });
            request.was_shown = true;
            request.has_open_record = true;
        }
        self.emit(Event::PermissionRequested(Box::new(prompt)));
        PromptResult::Shown(answered)
    }

    /// Handles the user's answer. Ignores an answer to a withdrawn prompt.
    pub(in crate::conversation) fn answer_permission(
        &mut self,
        prompt: u64,
        answer: PermissionAnswer,
        expiry: Expiry,
    ) {
        let mut requests = self.pending.requests.values_mut();
        let open = requests.find_map(|request| request.prompt.take_if(|it| it.id == prompt));
        if let Some(open) = open {
            // The request may just have been withdrawn.
            open.answer.send((answer, expiry)).ok();
        }
    }

    /// Handles an update of a tool call: requests about it may have changed.
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
            if let RequestSource::ToolCall(asked) = &mut request.source {
                supersede(&mut asked.tool_call, &told.update);
            }
            let digest = request.action.as_ref().map(|action| action.digest);
            if digest.is_some_and(|digest| digest != self.action_of(&request).digest) {
                request.revision += 1;
                if let Some(open) = request.prompt.take() {
                    self.emit(Event::PermissionWithdrawn(open.id));
                }
                self.log_end(&mut request, "the tool call has changed");
            }
            self.pending.requests.insert(key, request);
        }
    }

    /// Judges all requests again, because a remembered decision may decide them.
    pub(super) fn judge_all(&mut self) {
        for request in self.pending.requests.values() {
            request.again.notify_one();
        }
    }

    /// Withdraws all requests and forms of a session, because its turn was cancelled or has ended.
    pub(in crate::conversation) fn withdraw(
        &mut self,
        session: &v1::SessionId,
        why: &'static str,
    ) -> WithdrawnRequests {
        WithdrawnRequests {
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
            .filter_map(|key| self.withdraw_request(key, why))
            .collect()
    }

    /// Withdraws a request that nobody waits for any more.
    pub(super) fn abandon(&mut self, key: u64) {
        let request = self.pending.requests.get(&key);
        let why = match request.is_some_and(PendingRequest::is_exec) {
            true => "the program no longer waits",
            false => "the agent withdrew the request",
        };
        drop(self.withdraw_request(key, why));
    }

    /// Ends a request without a decision.
    fn withdraw_request(&mut self, key: u64, why: &'static str) -> Option<PendingRequest> {
        let request = self.pending.requests.remove(&key)?;
        if let Some(open) = &request.prompt {
            self.emit(Event::PermissionWithdrawn(open.id));
        }
        if let Some(action) = &request.action {
            self.log_cancelled(action, why);
        }
        Some(request)
    }

    /// Discards the user's answer because what was shown has changed. The log and the user get the reason.
    pub(super) fn outdated(&mut self, key: u64, why: &'static str) {
        if let Some(mut request) = self.pending.requests.remove(&key) {
            self.log_end(&mut request, why);
            self.pending.requests.insert(key, request);
            self.emit(Event::Notice(format!("your answer does not count: {why}")));
        }
    }

    fn log_end(&self, request: &mut PendingRequest, why: &'static str) {
        if std::mem::take(&mut request.has_open_record)
            && let Some(action) = &request.action
        {
            self.log_cancelled(action, why);
        }
    }

    pub(super) fn log_cancelled(&self, action: &Action, why: &str) {
        self.log_event(&audit::Event::Decided {
            action,
            is_allowed: None,
            reason: &Reason::new(why),
            answer: None,
        });
    }

    /// Ends a decided request, unless it has changed since.
    pub(super) fn finish(&mut self, key: u64, revision: u64) -> Option<PendingRequest> {
        self.pending.get_mut(key, revision)?;
        self.pending.requests.remove(&key)
    }

    fn action_of(&self, request: &PendingRequest) -> Action {
        match &request.source {
            RequestSource::ToolCall(asked) => {
                let session = self.sessions.get(&request.session);
                let workspace = session.map(|it| it.cwd.clone()).unwrap_or_default();
                Action::from_request(&self.setup.agent, workspace, asked, self.told_of(asked))
            }
            RequestSource::HostRequest(_, action) | RequestSource::Exec(_, action) => {
                action.clone()
            }
        }
    }

    /// The tool call as reported before the request.
    fn told_of(&self, asked: &v1::RequestPermissionRequest) -> Option<&v1::ToolCall> {
        let session = self.sessions.get(&asked.session_id)?;
        session.tool(&asked.tool_call.tool_call_id)
    }
}

impl PendingRequests {
    /// Whether a request of this size may wait.
    pub(in crate::conversation) fn has_room(&self, bytes: usize) -> bool {
        let held: usize = self.requests.values().map(|request| request.bytes).sum();
        held.saturating_add(bytes) <= MOST_BYTES
    }

    /// A request, if it is still in this revision.
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

    /// Number of prompts that are shown.
    fn open(&self) -> usize {
        let requests = self.requests.values();
        requests.filter(|request| request.prompt.is_some()).count()
    }

    /// Number of shown prompts about programs that are about to start.
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
        matches!(self.source, RequestSource::Exec(..))
    }

    /// Whether the request is about this tool call. Only requests for tool calls can change.
    fn is_about(&self, session: &v1::SessionId, tool: &v1::ToolCallId) -> bool {
        match &self.source {
            RequestSource::ToolCall(asked) => {
                self.session == *session && asked.tool_call.tool_call_id == *tool
            }
            RequestSource::HostRequest(..) | RequestSource::Exec(..) => false,
        }
    }
}

/// The tool call as reported before, with the changes in the request.
fn merge_tool_call(told: Option<&v1::ToolCall>, asked: &v1::ToolCallUpdate) -> v1::ToolCall {
    let mut fold = Transcript::new();
    if let Some(told) = told {
        fold.apply(v1::SessionUpdate::ToolCall(told.clone()));
    }
    fold.apply(v1::SessionUpdate::ToolCallUpdate(asked.clone()));
    match fold.tool_call(&asked.tool_call_id) {
        Some(call) => call.report.clone(),
        None => v1::ToolCall::new(asked.tool_call_id.clone(), ""),
    }
}

/// Removes the fields from a request that a later update of the tool call replaces.
fn supersede(asked: &mut v1::ToolCallUpdate, update: &v1::SessionUpdate) {
    let changed = match ReportedToolCall::in_update(update) {
        Some(ReportedToolCall::New(call)) if call.tool_call_id == asked.tool_call_id => [
            call.kind != v1::ToolKind::Other,
            !call.title.is_empty(),
            call.name.is_some(),
            call.raw_input.is_some(),
            !call.locations.is_empty(),
            !call.content.is_empty(),
        ],
        Some(ReportedToolCall::Changed(call)) if call.tool_call_id == asked.tool_call_id => [
            call.kind.is_some(),
            call.title.is_some(),
            call.name.is_some(),
            call.raw_input.is_some(),
            call.locations.is_some(),
            call.content.is_some(),
        ],
        Some(_) | None => return,
    };
    let [kind, title, name, raw_input, locations, content] = changed;
    asked.kind.take_if(|_| kind);
    asked.title.take_if(|_| title);
    asked.name.take_if(|_| name);
    asked.raw_input.take_if(|_| raw_input);
    asked.locations.take_if(|_| locations);
    asked.content.take_if(|_| content);
}

fn own_options() -> Vec<v1::PermissionOption> {
    vec![
        v1::PermissionOption::new("yes", "Allow", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("no", "Reject", v1::PermissionOptionKind::RejectOnce),
    ]
}

/// Maximum prompts at the same time; further requests are cancelled.
const MOST_OPEN: usize = 64;
/// Maximum prompts about programs at the same time. One command can start thousands, and the agent's own requests must
/// still get through.
const MOST_EXECS: usize = 48;
/// Maximum total size of waiting requests; further requests are cancelled.
const MOST_BYTES: usize = 16 << 20;
