//! What has happened.

mod permission_prompt;

use attache::v1;
use attache_host::permissions::{Expiry, Reason, Scope};

use crate::command::OpenRequest;

pub use permission_prompt::{
    DiskComparison, HostRequest, PermissionPrompt, ProgramStart, PromptSubject,
};

/// What has happened, in the order of the wire.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "an event is made once and moved a few times"
)]
pub enum Event {
    /// The agent runs and has told what it can do.
    AgentReady(Box<v1::InitializeResponse>),
    /// A session is there.
    SessionOpened(Box<OpenedSession>),
    /// A session was left.
    SessionClosed(v1::SessionId),
    /// The agent has deleted a session.
    SessionDeleted(v1::SessionId),
    /// A page of the sessions that the agent knows.
    SessionsListed(v1::ListSessionsResponse),
    /// A turn began with this prompt; it may have waited.
    TurnStarted {
        /// Whose turn.
        session: v1::SessionId,
        /// What was said.
        content: Vec<v1::ContentBlock>,
    },
    /// The prompts that wait for their turn have changed.
    QueueChanged {
        /// Whose.
        session: v1::SessionId,
        /// What waits, the next one first.
        waiting: Vec<Vec<v1::ContentBlock>>,
    },
    /// Something was said into the turn that runs.
    Steered {
        /// Whose turn.
        session: v1::SessionId,
        /// What was said.
        content: Vec<v1::ContentBlock>,
    },
    /// The agent tells something of a session.
    Update(Box<v1::SessionNotification>),
    /// A turn has ended, after everything that it brought.
    TurnEnded {
        /// Whose turn.
        session: v1::SessionId,
        /// SessionStart, or why not well.
        outcome: Result<v1::PromptResponse, CommandFailure>,
    },
    /// The mode was switched as commanded.
    ModeSet {
        /// Whose mode.
        session: v1::SessionId,
        /// The mode.
        mode: v1::SessionModeId,
    },
    /// An option was set as commanded; these are all options now.
    OptionsSet {
        /// Whose options.
        session: v1::SessionId,
        /// All of them.
        options: Vec<v1::SessionConfigOption>,
    },
    /// Something needs the user's permission.
    PermissionRequested(Box<PermissionPrompt>),
    /// A permission prompt needs no answer any more: the turn was cancelled, the agent withdrew its request, the tool call
    /// changed, or a decision on another prompt covers this one.
    PermissionWithdrawn(u64),
    /// A permission request was decided without asking the user.
    PermissionDecided {
        /// What would have been shown. Its id answers nothing.
        prompt: Box<PermissionPrompt>,
        /// Whether it may be done.
        is_allowed: bool,
        /// What decided.
        reason: Reason,
    },
    /// The user's decision counts from now on. [`Command::UndoDecision`](crate::Command::UndoDecision) undoes it.
    ///
    /// With [`Scope::Once`] it is permission for one use, in this turn, of what was shown. Only what the agent does
    /// through us needs that permission; an agent with tools of its own has had its answer.
    DecisionRemembered {
        /// Names the decision in [`Command::UndoDecision`](crate::Command::UndoDecision), and in `attache permissions` where it
        /// lasts.
        id: String,
        /// The session in which the user decided.
        session: v1::SessionId,
        /// What the decision is about, in a few words, safe to show. They may contain the agent's.
        summary: String,
        /// How far it reaches.
        scope: Scope,
        /// How long it lasts.
        expiry: Expiry,
        /// Whether it allows or denies.
        is_allowed: bool,
    },
    /// A decision was to be undone.
    DecisionUndone {
        /// The decision.
        id: String,
        /// Whether it counted until now. Otherwise there was nothing left to undo: permission for one use was used or
        /// ended with its turn, or the decision had been revoked elsewhere.
        was_in_force: bool,
    },
    /// The agent asks for something to be filled in, or for a page to be visited.
    FormRequested {
        /// Names the form in [`Command::AnswerForm`](crate::Command::AnswerForm).
        form: u64,
        /// What it asks.
        request: Box<v1::CreateElicitationRequest>,
    },
    /// A form needs no answer any more.
    FormWithdrawn(u64),
    /// What was to be done at a URL is done.
    FormCompleted(v1::ElicitationId),
    /// A terminal has changed; its state is with the host.
    TerminalChanged(v1::TerminalId),
    /// Something that the user may want to know, and that needs nothing done.
    Notice(String),
    /// The agent wants a login before it goes on, in one of these ways.
    LoginRequired(Vec<v1::AuthMethod>),
    /// The login has succeeded.
    LoggedIn(v1::AuthMethodId),
    /// Logged out.
    LoggedOut,
    /// Something of ours does not work as it should: a decision could not be stored, or the audit log not be written.
    Problem(String),
    /// What was commanded did not succeed.
    CommandFailed(CommandFailure),
    /// The agent wrote something that is no message. The first line is told by itself, then their number once in a while.
    InvalidOutput {
        /// How many lines so far.
        count: u64,
        /// The first of them, safe to show.
        line: String,
    },
    /// The agent has gone.
    AgentExited {
        /// How it ended, in a sentence.
        reason: String,
        /// Its last words on standard error, safe to show.
        stderr: Vec<String>,
    },
}

/// A session that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedSession {
    /// Its id.
    pub session: v1::SessionId,
    /// How it was opened.
    pub request: OpenRequest,
    /// Its modes, if it has any.
    pub modes: Option<v1::SessionModeState>,
    /// Its configuration options.
    pub options: Vec<v1::SessionConfigOption>,
}

/// Why something did not succeed, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// What was tried, such as `session/load`.
    pub operation: String,
    /// Why it did not succeed, and what to do if that is known.
    pub reason: String,
    /// What sort of failure, for exit codes.
    pub kind: FailureKind,
}

/// What sort of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The agent answered with an error.
    Refused,
    /// The agent does not offer it.
    NotOffered,
    /// There is no such session.
    NoSession,
    /// The agent wants a login first.
    LoginRequired,
    /// The agent has gone.
    AgentExited,
    /// It took too long.
    TimedOut,
    /// Too much waits already, or something is amiss on our side.
    Local,
}
