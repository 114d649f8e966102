//! MCP servers that a session connects to.

use crate::{FilePath, Secret};

ids! {
    /// Id of an MCP server that is reached over this connection, chosen by the side that provides the server.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    McpServerAcpId
}

union! {
    /// An MCP server and how to reach it. Without `type` it is [`Stdio`](Self::Stdio).
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub enum McpServer by "type" {
        /// Streamable HTTP. Only for agents that advertise `mcpCapabilities.http`.
        Http(McpServerHttp) = "http",
        /// Server-sent events, which MCP has deprecated. Only for agents that advertise `mcpCapabilities.sse`.
        Sse(McpServerSse) = "sse",
        /// Over this ACP connection (unstable). Only for agents that advertise `mcpCapabilities.acp`.
        Acp(McpServerAcp) = "acp",
    }
    untagged
    /// A child process of the agent. Every agent MUST support it.
    Stdio(McpServerStdio) = "stdio"
}

message! {
    /// An MCP server reached over Streamable HTTP.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub struct McpServerHttp {
        /// Name for the user.
        name: String = "name",
        /// URL of the server.
        url: String = "url",
        /// Headers for every request to the server. They may contain secrets.
        headers: Vec<HttpHeader> = "headers" nullable,
    }
}

message! {
    /// An MCP server reached over server-sent events, which MCP has deprecated.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub struct McpServerSse {
        /// Name for the user.
        name: String = "name",
        /// URL of the server.
        url: String = "url",
        /// Headers for every request to the server. They may contain secrets.
        headers: Vec<HttpHeader> = "headers" nullable,
    }
}

message! {
    /// An MCP server reached over this ACP connection with `mcp/message`.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    pub struct McpServerAcp {
        /// Name for the user.
        name: String = "name",
        /// Id of the server. MUST NOT be used for two servers on one connection.
        server_id: McpServerAcpId = "serverId",
    }
}

message! {
    /// An MCP server that the agent runs as a child process.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub struct McpServerStdio {
        /// Name for the user.
        name: String = "name",
        /// Absolute path of the program.
        command: FilePath = "command",
        /// Arguments of the program. Required on the wire, but may be empty.
        args: Vec<String> = "args" nullable,
        /// Environment variables to set. They may contain secrets. Required on the wire, but may be empty.
        env: Vec<EnvVariable> = "env" nullable,
    }
}

message! {
    /// An environment variable to set for an MCP server or a terminal.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub struct EnvVariable {
        /// Name of the variable.
        name: String = "name",
        /// Value of the variable. It may be a secret.
        value: Secret = "value",
    }
}

message! {
    /// An HTTP header for requests to an MCP server.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers).
    pub struct HttpHeader {
        /// Name of the header.
        name: String = "name",
        /// Value of the header. It may be a secret.
        value: Secret = "value",
    }
}
