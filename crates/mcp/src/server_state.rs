//! States, events and errors of MCP servers. None of them contains a secret.

/// The state of an MCP server, to show to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// The name of the server.
    pub name: String,
    /// The transport: `stdio`, `http`, `sse` or `acp`.
    pub transport: &'static str,
    /// The status of the connection.
    pub status: ServerStatus,
}

/// The status of the connection to an MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerStatus {
    /// The connection is being made.
    Connecting,
    /// The server is connected, and its lists were fetched.
    Ready {
        /// The number of tools.
        tools: usize,
        /// The number of prompts.
        prompts: usize,
        /// The number of resources.
        resources: usize,
        /// The number of tools, prompts and resources that were left out as too many, too large or unreadable.
        left_out: usize,
        /// The name and version that the server declares.
        version: Option<String>,
    },
    /// Connecting failed, with the reason.
    Failed(String),
    /// The server was connected and has ended, with the reason.
    Ended(String),
}

/// An event of an MCP server. No event contains a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// A server is connected.
    Ready {
        /// The name of the server.
        server: String,
    },
    /// Connecting to a server failed.
    Failed {
        /// The name of the server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// A server has ended by itself. Its tools, prompts and resources are gone.
    Ended {
        /// The name of the server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The tools of a server have changed.
    ToolsChanged {
        /// The name of the server.
        server: String,
    },
    /// The prompts of a server have changed.
    PromptsChanged {
        /// The name of the server.
        server: String,
    },
    /// The resources of a server have changed.
    ResourcesChanged {
        /// The name of the server.
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
        /// The name of the server.
        server: String,
        /// The reason, without secrets.
        reason: String,
    },
}
