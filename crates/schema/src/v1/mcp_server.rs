//! MCP servers that a session connects to.

use crate::{FilePath, Secret};

ids! {
    /// Names an MCP server that is reached over this connection (unstable).
    McpServerAcpId
}

union! {
    /// An MCP server and how to reach it.
    pub enum McpServer by "type" {
        /// Over Streamable HTTP.
        Http(McpServerHttp) = "http",
        /// Over server-sent events; deprecated.
        Sse(McpServerSse) = "sse",
        /// Over this connection (unstable).
        Acp(McpServerAcp) = "acp",
    }
    untagged
    /// As a child process; every agent can.
    Stdio(McpServerStdio) = "stdio"
}

message! {
    /// An MCP server reached over Streamable HTTP.
    pub struct McpServerHttp {
        /// Its name for people.
        name: String = "name",
        /// Where it is.
        url: String = "url",
        /// Headers for every request; they may hold secrets.
        headers: Vec<HttpHeader> = "headers" nullable,
    }
}

message! {
    /// An MCP server reached over server-sent events; deprecated.
    pub struct McpServerSse {
        /// Its name for people.
        name: String = "name",
        /// Where it is.
        url: String = "url",
        /// Headers for every request; they may hold secrets.
        headers: Vec<HttpHeader> = "headers" nullable,
    }
}

message! {
    /// An MCP server reached over this connection (unstable).
    pub struct McpServerAcp {
        /// Its name for people.
        name: String = "name",
        /// Its id on this connection.
        server_id: McpServerAcpId = "serverId",
    }
}

message! {
    /// An MCP server run as a child process.
    pub struct McpServerStdio {
        /// Its name for people.
        name: String = "name",
        /// The program, absolute.
        command: FilePath = "command",
        /// Its arguments.
        args: Vec<String> = "args" nullable,
        /// Environment variables to set; they may hold secrets.
        env: Vec<EnvVariable> = "env" nullable,
    }
}

message! {
    /// An environment variable.
    pub struct EnvVariable {
        /// Its name.
        name: String = "name",
        /// Its value.
        value: Secret = "value",
    }
}

message! {
    /// A header of HTTP.
    pub struct HttpHeader {
        /// Its name.
        name: String = "name",
        /// Its value.
        value: Secret = "value",
    }
}
