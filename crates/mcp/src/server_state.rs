//! States, events and errors of servers. None contains a secret.

/// The state of a server, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// Its name.
    pub name: String,
    /// Its transport: `stdio`, `http`, `sse` or `acp`.
    pub transport: &'static str,
    /// Its status.
    pub status: ServerStatus,
}

/// The status of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerStatus {
    /// Connecting.
    Connecting,
    /// Connected.
    Ready {
        /// How many tools it has.
        tools: usize,
        /// How many prompts.
        prompts: usize,
        /// How many resources.
        resources: usize,
        /// How many of all these were too many, too large or unreadable.
        left_out: usize,
        /// The program's own name and version.
        version: Option<String>,
    },
    /// Connecting failed, with the reason.
    Failed(String),
    /// It was connected and has ended, with the reason.
    Ended(String),
}

/// An event of a server. None contains a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// It is connected.
    Ready {
        /// Which server.
        server: String,
    },
    /// Connecting failed.
    Failed {
        /// Which server.
        server: String,
        /// Why.
        reason: String,
    },
    /// It has ended by itself. Its tools, prompts and resources are gone.
    Ended {
        /// Which server.
        server: String,
        /// How.
        reason: String,
    },
    /// Its tools have changed.
    ToolsChanged {
        /// Which server.
        server: String,
    },
    /// Its prompts have changed.
    PromptsChanged {
        /// Which server.
        server: String,
    },
    /// Its resources have changed.
    ResourcesChanged {
        /// Which server.
        server: String,
    },
}

/// Why a request to a server failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No server has this tool, prompt or resource, or the server is unknown.
    #[error("no MCP server of this session has such a {0}")]
    Unknown(&'static str),
    /// The input is invalid.
    #[error("{0}")]
    Input(String),
    /// The server's definition changed after the user was asked.
    #[error(
        "the MCP server `{0}` changed this while the user was asked, so it was not used; try it again, and the user will be asked about it as it is now"
    )]
    Changed(String),
    /// The server failed.
    #[error("the MCP server `{server}` failed: {reason}")]
    Server {
        /// Which server.
        server: String,
        /// Why, without secrets.
        reason: String,
    },
}
