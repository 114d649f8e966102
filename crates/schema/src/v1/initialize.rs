//! The first exchange of a connection: the protocol version, the capabilities and the names of both programs.

use attache_rpc::json::{Decode, DecodeError, Encode, Reader};

use super::{AgentCapabilities, AuthMethod, ClientCapabilities};

message! {
    /// Parameters of `initialize`. The client MUST send it before it creates a session.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization).
    pub struct InitializeRequest {
        /// The newest version that the client supports.
        protocol_version: ProtocolVersion = "protocolVersion",
        ..
        /// Capabilities of the client. The agent MUST treat an omitted capability as unsupported. Default: none.
        client_capabilities: ClientCapabilities = "clientCapabilities" lenient,
        /// The name and version of the client program. The client SHOULD send it.
        client_info: Option<Implementation> = "clientInfo" lenient,
    }
}

message! {
    /// Response to `initialize`: the version that both sides use, and the capabilities of the agent.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization).
    pub struct InitializeResponse {
        /// The requested version if the agent supports it, otherwise the newest version that the agent supports. A
        /// client that does not support it SHOULD close the connection and tell the user.
        protocol_version: ProtocolVersion = "protocolVersion",
        ..
        /// Capabilities of the agent. The client MUST treat an omitted capability as unsupported. Default: none.
        agent_capabilities: AgentCapabilities = "agentCapabilities" lenient,
        /// The ways to log in. Empty when the agent needs no login. Default: empty. Items that cannot be read are
        /// skipped.
        auth_methods: Vec<AuthMethod> = "authMethods" items shown,
        /// The name and version of the agent program. The agent SHOULD send it.
        agent_info: Option<Implementation> = "agentInfo" lenient,
    }
}

message! {
    /// The name and version of a client or agent program.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization).
    pub struct Implementation {
        /// Name for programs. Shown to the user when there is no `title`.
        name: String = "name",
        /// Version of the program, such as `1.0.0`.
        version: String = "version",
        ..
        /// Name for the user. Default: `name`.
        title: Option<String> = "title" lenient,
    }
}

/// A version of the protocol. It is a single number, which changes only when a change breaks compatibility.
///
/// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion(pub u16);

impl ProtocolVersion {
    /// Version 1.
    pub const V1: Self = ProtocolVersion(1);
}

impl Decode for ProtocolVersion {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        u16::decode(reader).map(ProtocolVersion)
    }
}

impl Encode for ProtocolVersion {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}
