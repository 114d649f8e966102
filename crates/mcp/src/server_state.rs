//! How servers are, what happens to them, and how they fail. Nothing here carries a secret.

/// A server, to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// Its name.
    pub name: String,
    /// How it is reached: `stdio`, `http`, `sse` or `acp`.
    pub transport: &'static str,
    /// How it is.
    pub status: ServerStatus,
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerStatus {
    /// It is being reached.
    Connecting,
    /// It can be used.
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
    /// It could not be reached.
    Failed(String),
    /// It was ready, and has ended.
    Ended(String),
}

/// What happens to a server. None carries a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// It can be used.
    Ready {
        /// Which server.
        server: String,
    },
    /// It could not be reached.
    Failed {
        /// Which server.
        server: String,
        /// Why.
        reason: String,
    },
    /// It has ended by itself; its tools, prompts and resources are gone.
    Ended {
        /// Which server.
        server: String,
        /// How.
        reason: String,
    },
    /// Its tools are others.
    ToolsChanged {
        /// Which server.
        server: String,
    },
    /// Its prompts are others.
    PromptsChanged {
        /// Which server.
        server: String,
    },
    /// Its resources are others.
    ResourcesChanged {
        /// Which server.
        server: String,
    },
}

/// Why a server did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No server has it.
    #[error("no MCP server of this session has such a {0}")]
    Unknown(&'static str),
    /// What it was given does not fit.
    #[error("{0}")]
    Input(String),
    /// A server is no longer what the user was asked about.
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
