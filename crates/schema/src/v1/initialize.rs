//! The first exchange of a connection: which version, which capabilities, who is who.

use attache_rpc::json::{Decode, Encode, Error, Reader};

use super::{AgentCapabilities, AuthMethod, ClientCapabilities};

message! {
    /// The client's first message.
    pub struct InitializeRequest {
        /// The newest version the client speaks.
        protocol_version: ProtocolVersion = "protocolVersion",
        ..
        /// What the client offers.
        client_capabilities: ClientCapabilities = "clientCapabilities" lenient,
        /// Which program the client is.
        client_info: Option<Implementation> = "clientInfo" lenient,
    }
}

message! {
    /// The agent's answer, with the version both will speak.
    pub struct InitializeResponse {
        /// The version asked for if the agent speaks it, else the newest it speaks.
        protocol_version: ProtocolVersion = "protocolVersion",
        ..
        /// What the agent offers.
        agent_capabilities: AgentCapabilities = "agentCapabilities" lenient,
        /// The ways to log in.
        auth_methods: Vec<AuthMethod> = "authMethods" items shown,
        /// Which program the agent is.
        agent_info: Option<Implementation> = "agentInfo" lenient,
    }
}

message! {
    /// A program's name and version.
    pub struct Implementation {
        /// Its name for programs.
        name: String = "name",
        /// Its version.
        version: String = "version",
        ..
        /// Its name for people.
        title: Option<String> = "title" lenient,
    }
}

/// A version of the protocol; only changes that break something count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion(pub u16);

impl ProtocolVersion {
    /// Version 1.
    pub const V1: Self = ProtocolVersion(1);
}

impl Decode for ProtocolVersion {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        u16::decode(reader).map(ProtocolVersion)
    }
}

impl Encode for ProtocolVersion {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}
