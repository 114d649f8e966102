//! What a person wants.

use std::path::PathBuf;

use attache::v1;
use attache_host::permissions::{Expiry, Scope};

/// What a person wants. A command never waits; what comes of it is an [`Event`](crate::Event).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Begin or take up a session.
    OpenSession(OpenRequest),
    /// Leave a session; the agent may forget what it holds of it in memory.
    CloseSession(v1::SessionId),
    /// Have the agent delete a session.
    DeleteSession(v1::SessionId),
    /// Ask for the sessions that the agent knows.
    ListSessions {
        /// Only those of this directory.
        cwd: Option<PathBuf>,
        /// Where the page before ended.
        cursor: Option<String>,
    },
    /// Run a turn. While one runs the prompt waits for its turn.
    Prompt {
        /// Whose turn.
        session: v1::SessionId,
        /// What to say.
        content: Vec<v1::ContentBlock>,
    },
    /// Say something into the turn that runs, where the agent can take it.
    Steer {
        /// Whose turn.
        session: v1::SessionId,
        /// What to say.
        content: Vec<v1::ContentBlock>,
    },
    /// Take back a prompt that waits for its turn.
    RemoveQueuedPrompt {
        /// Whose.
        session: v1::SessionId,
        /// Which, counted from the one that is next.
        index: usize,
    },
    /// Cancel the turn that runs.
    Cancel(v1::SessionId),
    /// Switch the mode.
    SetMode {
        /// Whose mode.
        session: v1::SessionId,
        /// The mode.
        mode: v1::SessionModeId,
    },
    /// Set a configuration option.
    SetOption {
        /// Whose option.
        session: v1::SessionId,
        /// The option.
        option: v1::SessionConfigId,
        /// Its value.
        value: v1::SessionConfigOptionValue,
    },
    /// PermissionAnswer a permission prompt.
    AnswerPermission {
        /// The prompt's id. An answer to a prompt that was withdrawn does nothing.
        prompt: u64,
        /// The answer.
        answer: PermissionAnswer,
        /// How long it holds, where it is remembered for longer than the session.
        expiry: Expiry,
    },
    /// Undo a decision: one that lasts is revoked, permission for one use is withdrawn if it was not used yet.
    /// [`Event::DecisionUndone`](crate::Event::DecisionUndone) says what came of it.
    UndoDecision {
        /// The id from [`Event::DecisionRemembered`](crate::Event::DecisionRemembered).
        id: String,
    },
    /// PermissionAnswer an elicitation.
    AnswerForm {
        /// Which form.
        form: u64,
        /// The answer.
        action: v1::ElicitationAction,
    },
    /// Log in with one of the agent's methods.
    Login(v1::AuthMethodId),
    /// Log out.
    Logout,
    /// Start the agent anew, after it has died or hangs.
    Restart,
}

/// How a session begins.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// New, or which one to take up and how.
    pub start: SessionStart,
    /// The working directory; absolute.
    pub cwd: PathBuf,
    /// More directories.
    pub additional: Vec<PathBuf>,
    /// MCP servers to connect.
    pub mcp_servers: Vec<v1::McpServer>,
}

/// New, or which session to take up and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionStart {
    /// A new session.
    New,
    /// With its history told again.
    Load(v1::SessionId),
    /// Without its history.
    Resume(v1::SessionId),
    /// A copy that goes its own way.
    Fork(v1::SessionId),
}

/// The user's answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// One of the options of the request. The agent gets exactly this option.
    Choose {
        /// Its id. An id that the request does not offer is ignored.
        option: v1::PermissionOptionId,
        /// What we remember ourselves, so that the next request like this one needs no answer.
        remember: Scope,
    },
    /// A rejection of this one request: the agent gets its own option for that, or `cancelled` where it offers none.
    Reject {
        /// What we remember ourselves.
        remember: Scope,
    },
    /// No answer; the agent gets `cancelled`.
    Dismiss,
}
