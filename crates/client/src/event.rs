//! Events: what a [`Conversation`](crate::Conversation) reports.

mod permission_prompt;

use attache::v1;
use attache_host::permissions::{Expiry, Reason, Scope};

use crate::command::OpenRequest;

pub use permission_prompt::{HostRequest, PermissionPrompt, ProgramStart, PromptSubject};

/// An event of a conversation. Events arrive in the order of the messages on the wire.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "an event is made once and moved a few times"
)]
pub enum Event {
    /// The agent has responded to `initialize`.
    AgentReady(Box<v1::InitializeResponse>),
    /// A session is open.
    SessionOpened(Box<OpenedSession>),
    /// A session was closed.
    SessionClosed(v1::SessionId),
    /// The agent has deleted a session.
    SessionDeleted(v1::SessionId),
    /// A page of the sessions that the agent stores.
    SessionsListed(v1::ListSessionsResponse),
    /// A turn started with this prompt, which may have been queued before.
    TurnStarted {
        /// The session.
        session: v1::SessionId,
        /// The content.
        content: Vec<v1::ContentBlock>,
    },
    /// The queue of prompts has changed.
    QueueChanged {
        /// The session.
        session: v1::SessionId,
        /// The queued prompts, the next one first.
        waiting: Vec<Vec<v1::ContentBlock>>,
    },
    /// The running turn was steered with this content.
    Steered {
        /// The session.
        session: v1::SessionId,
        /// The content.
        content: Vec<v1::ContentBlock>,
    },
    /// A `session/update` from the agent.
    Update(Box<v1::SessionNotification>),
    /// A turn has ended. Comes after all updates of the turn.
    TurnEnded {
        /// The session.
        session: v1::SessionId,
        /// The response to the prompt, or why the turn failed.
        outcome: Result<v1::PromptResponse, CommandFailure>,
    },
    /// The mode was set, as the user commanded.
    ModeSet {
        /// The session.
        session: v1::SessionId,
        /// The mode.
        mode: v1::SessionModeId,
    },
    /// An option was set, as the user commanded.
    OptionsSet {
        /// The session.
        session: v1::SessionId,
        /// All options of the session with their current values.
        options: Vec<v1::SessionConfigOption>,
    },
    /// A permission prompt for the user.
    PermissionRequested(Box<PermissionPrompt>),
    /// A permission prompt was withdrawn: the turn was cancelled, the agent withdrew its request, the tool call
    /// changed, or a decision on another prompt covers this one.
    PermissionWithdrawn(u64),
    /// A permission request was decided without asking the user.
    PermissionDecided {
        /// The prompt that would have been shown. It cannot be answered.
        prompt: Box<PermissionPrompt>,
        /// Whether the action is allowed.
        is_allowed: bool,
        /// The rule, remembered decision or preset that decided.
        reason: Reason,
    },
    /// A decision of the user is in force. [`Command::UndoDecision`](crate::Command::UndoDecision) undoes it.
    ///
    /// [`Scope::Once`] permits what was shown for one use in this turn. Only requests that the client carries out for the
    /// agent need this permission; an agent that uses its own tools already has its answer.
    DecisionRemembered {
        /// The decision's id, for [`Command::UndoDecision`](crate::Command::UndoDecision), and for `attache permissions` if it
        /// is stored.
        id: String,
        /// The session in which the user made the decision.
        session: v1::SessionId,
        /// What the decision is about, on one line that is safe to show. May contain text from the agent.
        summary: String,
        /// The decision's scope.
        scope: Scope,
        /// When the decision expires.
        expiry: Expiry,
        /// Whether the decision allows or denies.
        is_allowed: bool,
    },
    /// The result of [`Command::UndoDecision`](crate::Command::UndoDecision).
    DecisionUndone {
        /// The decision's id.
        id: String,
        /// Whether the decision was in force until now. Otherwise there was nothing to undo: a permission for one use was
        /// used or ended with its turn, or the decision was revoked elsewhere.
        was_in_force: bool,
    },
    /// The agent asks the user to fill in a form or to visit a page.
    FormRequested {
        /// The form's id, for [`Command::AnswerForm`](crate::Command::AnswerForm).
        form: u64,
        /// The agent's request.
        request: Box<v1::CreateElicitationRequest>,
    },
    /// A form was withdrawn and needs no answer any more.
    FormWithdrawn(u64),
    /// The user has completed the step at a URL.
    FormCompleted(v1::ElicitationId),
    /// A terminal has changed. Its state is available from the host.
    TerminalChanged(v1::TerminalId),
    /// Information for the user that needs no action.
    Notice(String),
    /// The agent requires a login with one of these methods.
    LoginRequired(Vec<v1::AuthMethod>),
    /// A login succeeded.
    LoggedIn(v1::AuthMethodId),
    /// The agent has logged out.
    LoggedOut,
    /// Something in the client does not work: for example, a decision could not be stored or the audit log could not be
    /// written.
    Problem(String),
    /// A command failed.
    CommandFailed(CommandFailure),
    /// The agent wrote lines that are not messages. Reported for the first line, then at 10, 100, 1000 lines and so on.
    InvalidOutput {
        /// Number of invalid lines so far.
        count: u64,
        /// The first invalid line, safe to show.
        line: String,
    },
    /// The agent exited, or closed the connection.
    AgentExited {
        /// How the agent ended, in a sentence.
        reason: String,
        /// The last lines of its standard error, safe to show.
        stderr: Vec<String>,
    },
}

/// A session that was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedSession {
    /// The session's id.
    pub session: v1::SessionId,
    /// The request that opened the session.
    pub request: OpenRequest,
    /// The session's modes, if the session has any.
    pub modes: Option<v1::SessionModeState>,
    /// The session's configuration options.
    pub options: Vec<v1::SessionConfigOption>,
}

/// Why a command failed, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// The method that failed, such as `session/load`.
    pub operation: String,
    /// Why the command failed and, if known, what to do.
    pub reason: String,
    /// The kind of failure, for exit codes.
    pub kind: FailureKind,
}

/// The kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The agent responded with an error.
    Refused,
    /// The agent does not offer the method.
    NotOffered,
    /// The session does not exist.
    NoSession,
    /// The agent requires a login.
    LoginRequired,
    /// The agent exited.
    AgentExited,
    /// The agent did not respond in time.
    TimedOut,
    /// The client refused the command: too many commands wait, or the command is invalid.
    Local,
}
