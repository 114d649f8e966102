//! Commands: what the user wants a [`Conversation`](crate::Conversation) to do.

use std::path::PathBuf;

use attache::v1;
use attache_host::permissions::{Expiry, Scope};

/// A command of the user. Submitting a command never waits; its result arrives as an [`Event`](crate::Event).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Open a session: a new one, or an earlier one.
    OpenSession(OpenRequest),
    /// Close a session. The agent can then free its memory.
    CloseSession(v1::SessionId),
    /// Delete a session from the agent's storage.
    DeleteSession(v1::SessionId),
    /// Request a page of the sessions that the agent stores.
    ListSessions {
        /// Only sessions of this directory.
        cwd: Option<PathBuf>,
        /// The cursor from the previous page.
        cursor: Option<String>,
    },
    /// Send a prompt. While a turn runs, the prompt is queued.
    Prompt {
        /// The session.
        session: v1::SessionId,
        /// The prompt's content.
        content: Vec<v1::ContentBlock>,
    },
    /// Steer the running turn: send content into it. An agent that cannot be steered gets it as a queued prompt.
    Steer {
        /// The session.
        session: v1::SessionId,
        /// The content.
        content: Vec<v1::ContentBlock>,
    },
    /// Remove a prompt from the queue.
    RemoveQueuedPrompt {
        /// The session.
        session: v1::SessionId,
        /// Position in the queue; 0 is the next prompt.
        index: usize,
    },
    /// Cancel the running turn.
    Cancel(v1::SessionId),
    /// Switch the mode.
    SetMode {
        /// The session.
        session: v1::SessionId,
        /// The mode.
        mode: v1::SessionModeId,
    },
    /// Set a configuration option.
    SetOption {
        /// The session.
        session: v1::SessionId,
        /// The option.
        option: v1::SessionConfigId,
        /// Its value.
        value: v1::SessionConfigOptionValue,
    },
    /// Answer a permission prompt.
    AnswerPermission {
        /// The prompt's id. The answer to a withdrawn prompt is ignored.
        prompt: u64,
        /// The answer.
        answer: PermissionAnswer,
        /// How long the answer is remembered, if for longer than the session.
        expiry: Expiry,
    },
    /// Undo a decision: revoke a remembered decision, or withdraw a permission for one use that was not used yet. The
    /// result is [`Event::DecisionUndone`](crate::Event::DecisionUndone).
    UndoDecision {
        /// The id from [`Event::DecisionRemembered`](crate::Event::DecisionRemembered).
        id: String,
    },
    /// Answer an elicitation.
    AnswerForm {
        /// The form's id.
        form: u64,
        /// The answer.
        action: v1::ElicitationAction,
    },
    /// Log in with one of the agent's methods.
    Login(v1::AuthMethodId),
    /// Log out of the agent.
    Logout,
    /// Restart the agent after it has exited, or when it hangs.
    Restart,
}

/// How to open a session.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// A new session, or an earlier one and how to continue it.
    pub start: SessionStart,
    /// The working directory, as an absolute path.
    pub cwd: PathBuf,
    /// Additional directories that the agent may work in.
    pub additional: Vec<PathBuf>,
    /// MCP servers to connect.
    pub mcp_servers: Vec<v1::McpServer>,
}

/// A new session, or an earlier one and how to continue it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionStart {
    /// A new session.
    New,
    /// Continue this session and replay its history (`session/load`).
    Load(v1::SessionId),
    /// Continue this session without a replay (`session/resume`).
    Resume(v1::SessionId),
    /// Start a copy of this session (`session/fork`).
    Fork(v1::SessionId),
}

/// The user's answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// One of the options of the request. The agent gets exactly this option.
    Choose {
        /// The option's id. An id that the request does not offer is ignored.
        option: v1::PermissionOptionId,
        /// How long the client remembers this answer for similar requests.
        remember: Scope,
    },
    /// Reject the request. The agent gets its own reject option, or `cancelled` if it offers none.
    Reject {
        /// How long the client remembers this answer for similar requests.
        remember: Scope,
    },
    /// Dismiss the request without an answer; the agent gets `cancelled`.
    Dismiss,
}
