//! Permission requests: for tool calls, for requests that the client carries out, and for programs that are about to start.
//! Each is one function, [`PermissionRequest::decide`], that reads from top to bottom.

mod exec;
mod pending;
mod settle;

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use attache::v1;
use attache_host::Host;
use attache_host::permissions::{
    self, Action, ChangeSinceAllowed, ComparedChange, ContentBefore, Decision, DiskComparison,
    Expiry, Reason, RememberedDecision, Scope, Verdict, WholeFileChange,
};
use tokio::sync::{Notify, oneshot};

use super::disk;
use super::disk_worker::DiskWorker;
use super::{Conversation, ConversationHandle};
use crate::command::PermissionAnswer;
use crate::event::{HostRequest, PermissionPrompt, ProgramStart, PromptSubject};

pub use exec::ExecPrompts;
pub(super) use pending::{PendingRequests, WithdrawnRequests};

use pending::PendingRequest;

/// A permission request in progress. Dropping it withdraws the request.
#[derive(Debug)]
pub(super) struct PermissionRequest {
    conversation: ConversationHandle,
    host: Host,
    disk_worker: DiskWorker,
    key: u64,
    /// Resolves when the request was withdrawn and the agent may get the response.
    withdrawn: oneshot::Receiver<Infallible>,
}

/// Where a request comes from.
#[derive(Debug)]
pub(super) enum RequestSource {
    ToolCall(v1::RequestPermissionRequest),
    HostRequest(Arc<HostRequest>, Action),
    Exec(ProgramStart, Action),
}

/// The result of a permission request.
#[derive(Debug)]
pub(super) struct PermissionOutcome {
    pub(super) is_allowed: bool,
    pub(super) reason: Reason,
    /// The response for an agent that asked.
    pub(super) answer: v1::RequestPermissionOutcome,
    /// Dropping this withdraws the request.
    _request: Option<PendingRequest>,
}

/// A request at one moment. A tool call may change while the request is being decided.
#[derive(Debug)]
struct RequestSnapshot {
    /// The number of changes of the tool call so far.
    revision: u64,
    action: Action,
    subject: RequestSubject,
    options: Vec<v1::PermissionOption>,
    /// Whether an earlier revision was shown to the user.
    was_shown: bool,
    /// The turn in which the request is decided.
    turn: Option<u64>,
    /// Notified when a remembered decision may decide this request too.
    again: Arc<Notify>,
    /// The changes of a tool call, compared with the disk.
    changes: Vec<ComparedChange>,
    /// What has changed since it was allowed in this turn.
    change: Option<ChangeSinceAllowed>,
}

#[derive(Debug, Clone)]
enum RequestSubject {
    ToolCall(v1::ToolCall),
    HostRequest(Arc<HostRequest>),
    Exec(ProgramStart),
}

/// What decided a request.
#[derive(Debug)]
enum Ruling {
    /// The user allowed the action earlier in this turn.
    Granted(Reason),
    /// A rule, a remembered decision or the preset.
    Rule { is_allowed: bool, reason: Reason },
    /// The user.
    User {
        is_allowed: bool,
        answer: v1::RequestPermissionOutcome,
        /// The decision, if it is remembered.
        remembered: Option<Box<RememberedDecision>>,
    },
    /// Nobody decided, and why.
    Cancelled(&'static str),
}

/// The result of showing a prompt to the user.
enum PromptResult {
    Shown(oneshot::Receiver<(PermissionAnswer, Expiry)>),
    /// The prompt was not shown, and why.
    Refused(&'static str),
    /// The request has changed since.
    Outdated,
}

/// The result of applying a ruling.
#[allow(
    clippy::large_enum_variant,
    reason = "it is made once for each request"
)]
enum SettleResult {
    Done(PermissionOutcome),
    /// The request was withdrawn, or has changed.
    Outdated,
}

impl PermissionRequest {
    /// Decides the request.
    ///
    /// If the tool call changes before the response, the request is decided again and earlier answers do not count. After a
    /// prompt was shown, only the user can allow the request: see [`Self::judge`].
    pub(super) async fn decide(mut self) -> PermissionOutcome {
        let mut withdrawn = std::mem::replace(&mut self.withdrawn, oneshot::channel().1);
        tokio::select! {
            biased;
            outcome = self.decide_unless_withdrawn() => outcome,
            _ = &mut withdrawn => PermissionOutcome::cancelled(),
        }
    }

    async fn decide_unless_withdrawn(&self) -> PermissionOutcome {
        let key = self.key;
        loop {
            // Describe the action and compare it with the disk.
            let snapshot = self
                .conversation
                .with(move |conversation| conversation.describe(key))
                .await;
            let Some(mut snapshot) = snapshot.flatten() else {
                return pending().await;
            };
            self.compare(&mut snapshot).await;

            // Judge by rules, remembered decisions and preset; then ask the user.
            let ruling = match self.judge(&snapshot).await {
                Some(Verdict::Allow(reason)) if reason.is_grant() => Ruling::Granted(reason),
                Some(Verdict::Allow(reason)) => Ruling::allow(reason),
                Some(Verdict::Deny(reason)) => Ruling::deny(reason),
                Some(Verdict::Ask) => {
                    snapshot.change = self.change_since_allowed(&snapshot);
                    match self.ask_user(&snapshot).await {
                        Some(ruling) => ruling,
                        None => continue,
                    }
                }
                None => Ruling::Cancelled(TOO_MANY),
            };

            // Log, grant and report, unless the tool call has changed since.
            let revision = snapshot.revision;
            let settled = self
                .conversation
                .with(move |conversation| conversation.settle(key, &snapshot, ruling))
                .await;
            let Some(SettleResult::Done(outcome)) = settled else {
                continue;
            };

            // Respond after the log is written, unless the turn was cancelled by then.
            self.host.settle_log().await;
            let finished = self
                .conversation
                .with(move |conversation| conversation.finish(key, revision));
            if let Some(request) = finished.await.flatten() {
                return outcome.of(request);
            }
        }
    }

    /// Resolves the files and compares the changes of a tool call with the disk. The changes of a host request were already
    /// read from the disk.
    async fn compare(&self, snapshot: &mut RequestSnapshot) {
        if let Some(action) = self.with_disk(&snapshot.action).await {
            snapshot.action = action;
        }
        if let RequestSubject::ToolCall(call) = &snapshot.subject {
            let changes = disk::changes(call);
            let session = snapshot.action.session.clone();
            snapshot.changes = disk::compare(&self.host, session, changes).await;
        }
    }

    /// The action with the current state of its files. `None` if too many requests wait for the disk.
    async fn with_disk(&self, action: &Action) -> Option<Action> {
        let (permissions, action) = (self.host.permissions.clone(), action.clone());
        self.disk_worker
            .run(move || permissions.with_disk(action))
            .await
    }

    /// What has changed since the prompt was shown.
    async fn change_since(&self, shown: &RequestSnapshot) -> Option<&'static str> {
        let now = self.with_disk(&shown.action).await?.on_disk?;
        let before = shown.action.on_disk.as_ref()?;
        match &shown.subject {
            _ if !now.is_shown_as(before) => Some(FILES_CHANGED),
            // The guard of the waiting program compares its file.
            RequestSubject::Exec(_) => None,
            RequestSubject::ToolCall(_) | RequestSubject::HostRequest(_)
                if !before.runs_same_files(&now) =>
            {
                Some(PROGRAM_REPLACED)
            }
            RequestSubject::ToolCall(_) | RequestSubject::HostRequest(_) => None,
        }
    }

    /// The verdict of rules, remembered decisions and preset; `None` if too many requests wait. A request that was shown and
    /// has changed since can be denied but not allowed without the user: otherwise an agent could make a prompt disappear.
    async fn judge(&self, snapshot: &RequestSnapshot) -> Option<Verdict> {
        let permissions = self.host.permissions.clone();
        let (action, subject) = (snapshot.action.clone(), snapshot.subject.clone());
        let judged = self.disk_worker.run(move || match &subject {
            RequestSubject::ToolCall(_) => permissions.judge(&action),
            RequestSubject::Exec(_) => permissions.judge_exec(&action),
            RequestSubject::HostRequest(request) => {
                permissions.judge_host_request(&action, written(request))
            }
        });
        let verdict = judged.await?;
        Some(match verdict {
            Verdict::Allow(_) if snapshot.was_shown => Verdict::Ask,
            verdict => verdict,
        })
    }

    /// What has changed since the same action was allowed in this turn. A tool call is a request of its own.
    fn change_since_allowed(&self, snapshot: &RequestSnapshot) -> Option<ChangeSinceAllowed> {
        let written = match &snapshot.subject {
            RequestSubject::ToolCall(_) => return None,
            RequestSubject::Exec(_) => None,
            RequestSubject::HostRequest(request) => written(request),
        };
        let permissions = &self.host.permissions;
        permissions.change_since_allowed(&snapshot.action, written)
    }

    /// Asks the user. `None`: the tool call or its files have changed meanwhile.
    async fn ask_user(&self, snapshot: &RequestSnapshot) -> Option<Ruling> {
        let (key, revision, prompt) = (self.key, snapshot.revision, snapshot.prompt());
        let shown = self
            .conversation
            .with(move |conversation| conversation.show(key, revision, prompt))
            .await;
        let answered = match shown? {
            PromptResult::Shown(answered) => answered,
            PromptResult::Refused(why) => return Some(snapshot.unasked(why)),
            PromptResult::Outdated => return None,
        };
        tokio::select! {
            biased;
            answer = answered => {
                let (answer, expiry) = answer.ok()?;
                if let Some(change) = self.change_since(snapshot).await {
                    let end = move |conversation: &mut Conversation| conversation.outdated(key, change);
                    self.conversation.with(end).await;
                    return None;
                }
                Some(self.answered(snapshot, answer, expiry).await)
            }
            ruling = self.judge_again(snapshot) => Some(ruling),
        }
    }

    /// Waits until a remembered decision decides this request too.
    async fn judge_again(&self, snapshot: &RequestSnapshot) -> Ruling {
        loop {
            snapshot.again.notified().await;
            match self.judge(snapshot).await {
                Some(Verdict::Allow(reason)) if reason.is_grant() => {
                    return Ruling::Granted(reason);
                }
                Some(Verdict::Allow(reason)) => return Ruling::allow(reason),
                Some(Verdict::Deny(reason)) => return Ruling::deny(reason),
                Some(Verdict::Ask) | None => {}
            }
        }
    }

    /// Handles the user's answer. A remembered decision is on disk before the agent gets the response, so that its next
    /// action needs no prompt.
    async fn answered(
        &self,
        snapshot: &RequestSnapshot,
        answer: PermissionAnswer,
        expiry: Expiry,
    ) -> Ruling {
        let (is_allowed, scope, answer) = match answer {
            PermissionAnswer::Choose { option, remember } => {
                let Some(is_allowed) = permissions::option_allows(&snapshot.options, &option)
                else {
                    return Ruling::Cancelled("the agent does not offer this answer");
                };
                let chosen = v1::SelectedPermissionOutcome::new(option).into();
                (is_allowed, remember, chosen)
            }
            PermissionAnswer::Reject { remember } => {
                let answer = permissions::pick_option(false, &snapshot.options);
                (false, remember, answer)
            }
            PermissionAnswer::Dismiss => {
                return Ruling::Cancelled("the user dismissed the request");
            }
        };
        let remembered = match scope {
            Scope::Once => None,
            scope => {
                self.remember(&snapshot.action, is_allowed, scope, expiry)
                    .await
            }
        };
        Ruling::User {
            is_allowed,
            answer,
            remembered,
        }
    }

    async fn remember(
        &self,
        action: &Action,
        is_allowed: bool,
        scope: Scope,
        expiry: Expiry,
    ) -> Option<Box<RememberedDecision>> {
        let (permissions, action) = (self.host.permissions.clone(), action.clone());
        let session = action.session.clone();
        if !is_allowed {
            permissions.end_grants_about(&action);
        }
        let expiry = match scope {
            Scope::Once | Scope::Session => Expiry::Never,
            Scope::Workspace | Scope::Always => expiry,
        };
        let decision = Decision {
            is_allowed,
            scope,
            expires: permissions.expiry_time(expiry),
        };
        let remembered = self
            .disk_worker
            .run(move || permissions.remember(&action, &decision));
        let remembered = remembered.await.flatten()?;
        let counted = remembered.clone();
        self.conversation
            .post(move |conversation| conversation.remembered(counted, session, expiry));
        Some(Box::new(remembered))
    }
}

impl Drop for PermissionRequest {
    fn drop(&mut self) {
        let key = self.key;
        self.conversation
            .post(move |conversation| conversation.abandon(key));
    }
}

impl RequestSnapshot {
    fn prompt(&self) -> PermissionPrompt {
        PermissionPrompt {
            id: 0,
            action: self.action.clone(),
            subject: match &self.subject {
                RequestSubject::ToolCall(call) => PromptSubject::ToolCall(call.clone()),
                RequestSubject::HostRequest(request) => {
                    PromptSubject::HostRequest(HostRequest::clone(request))
                }
                RequestSubject::Exec(exec) => PromptSubject::Exec(exec.clone()),
            },
            options: self.options.clone(),
            change: self.change.clone(),
            changes: self.changes.clone(),
        }
    }

    /// The ruling without asking the user: `cancelled` for an agent that asked, denied for everything else.
    fn unasked(&self, why: &'static str) -> Ruling {
        match &self.subject {
            RequestSubject::ToolCall(_) => Ruling::Cancelled(why),
            RequestSubject::HostRequest(_) | RequestSubject::Exec(_) => {
                Ruling::deny(Reason::new(why))
            }
        }
    }
}

impl Ruling {
    fn allow(reason: Reason) -> Ruling {
        Ruling::Rule {
            is_allowed: true,
            reason,
        }
    }

    fn deny(reason: Reason) -> Ruling {
        Ruling::Rule {
            is_allowed: false,
            reason,
        }
    }
}

impl PermissionOutcome {
    fn new(
        is_allowed: bool,
        reason: Reason,
        answer: v1::RequestPermissionOutcome,
    ) -> PermissionOutcome {
        PermissionOutcome {
            is_allowed,
            reason,
            answer,
            _request: None,
        }
    }

    pub(super) fn cancelled() -> PermissionOutcome {
        let reason = Reason::new("the user did not allow it");
        PermissionOutcome::new(false, reason, CANCELLED)
    }

    fn of(self, request: PendingRequest) -> PermissionOutcome {
        PermissionOutcome {
            _request: Some(request),
            ..self
        }
    }
}

/// The change of a whole file, for a request to write.
fn written(request: &HostRequest) -> Option<WholeFileChange<'_>> {
    match request {
        HostRequest::Write { change } => Some(WholeFileChange {
            old: match change.disk {
                DiskComparison::Applies => change.diff.old_text.as_deref().into(),
                _ => ContentBefore::Unknown,
            },
            new: &change.diff.new_text,
        }),
        HostRequest::Read { .. } | HostRequest::Run { .. } => None,
    }
}

/// Reasons why an answer does not count.
const FILES_CHANGED: &str = "the files have changed";
const PROGRAM_REPLACED: &str = "a program or script was replaced while the request waited";
/// Reasons why a request is not shown to the user.
const TOO_MANY: &str = "too many requests wait for an answer";
pub(super) const TURN_CANCELLED: &str = "the turn was cancelled";
pub(super) const TURN_ENDED: &str = "the turn ended";
const CANCELLED: v1::RequestPermissionOutcome = v1::RequestPermissionOutcome::Cancelled;
