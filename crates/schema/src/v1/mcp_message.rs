//! MCP messages carried over this connection (unstable).

use attache_rpc::json::{
    Decode, DecodeError, Encode, Flatten, MaybeUndefined, Members, Problem, Raw, RawObject, Reader,
    field, write,
};

use super::McpServerAcpId;
use crate::Meta;

ids! {
    /// Id of an MCP request, chosen by its sender and unique among the active ones of the server. It is not the
    /// JSON-RPC id of the message that carries it.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    McpRequestId
}

message! {
    /// Parameters of an `mcp/message` request: a request to an MCP server that the other side provides.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    pub struct MessageMcpRequest {
        /// The MCP server, as declared in `mcpServers`.
        server_id: McpServerAcpId = "serverId",
        /// Id of the MCP request.
        request_id: McpRequestId = "requestId",
        /// The MCP method.
        method: String = "method",
        ..
        /// Parameters of the MCP method. Default: none.
        params: Option<RawObject> = "params",
    }
}

message! {
    /// Parameters of an `mcp/message` notification, which an MCP server sends while it works on a request.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    pub struct MessageMcpNotification {
        /// The MCP server that works on the request.
        server_id: McpServerAcpId = "serverId",
        /// Id of the MCP request.
        request_id: McpRequestId = "requestId",
        /// The MCP method.
        method: String = "method",
        ..
        /// Parameters of the MCP method. Default: none.
        params: Option<RawObject> = "params",
    }
}

/// Response to an `mcp/message` request. An error of the MCP server is part of a successful response; an error response
/// means that the message could not be delivered. If both are present, the result counts.
///
/// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
#[derive(Debug, Clone, PartialEq)]
pub enum MessageMcpResponse {
    /// The MCP request succeeded.
    Result {
        /// The result, which may be `null`.
        result: Raw,
        /// Extension data (`_meta`), kept and passed on unchanged.
        meta: Option<Meta>,
    },
    /// The MCP request failed.
    Error {
        /// The error.
        error: McpError,
        /// Extension data (`_meta`), kept and passed on unchanged.
        meta: Option<Meta>,
    },
}

fragment! {
    /// An error from an MCP server.
    ///
    /// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
    pub struct McpError {
        /// Error code of MCP, never one of ACP.
        code: i32 = "code",
        /// Description of the error.
        message: String = "message",
        /// Further members of the error, as received.
        part rest: OtherMembers,
        ..
        /// Details of the error. Default: none.
        data: MaybeUndefined<Raw> = "data",
    }
}

/// The members of an object that this version does not define, as received.
///
/// Unstable: may change or be removed. See [MCP over ACP](https://agentclientprotocol.com/rfds/mcp-over-acp).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OtherMembers(RawObject);

impl Decode for MessageMcpResponse {
    /// The member that is present decides the variant; if both are, the result counts.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (mut result, mut error, mut meta) = (None, None, None);
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "result" => result = Some(field::strict(reader, "result")?),
                "error" => error = Some(field::lenient(reader, "error")?),
                "_meta" => meta = field::lenient(reader, "_meta")?,
                _ => {
                    reader.skip()?;
                }
            }
            more = reader.more_members()?;
        }
        match (result, error.flatten()) {
            (Some(result), _) => Ok(Self::Result { result, meta }),
            (None, Some(error)) => Ok(Self::Error { error, meta }),
            (None, None) => Err(reader.error(Problem::Missing).within("result")),
        }
    }
}

impl Members for MessageMcpResponse {
    fn members(&self, out: &mut String) {
        let meta = match self {
            Self::Result { result, meta } => {
                write::member(out, "result", result);
                meta
            }
            Self::Error { error, meta } => {
                write::member(out, "error", error);
                meta
            }
        };
        if let Some(meta) = meta {
            write::member(out, "_meta", meta);
        }
    }
}

impl Encode for MessageMcpResponse {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

serde_bridge! { MessageMcpResponse }

impl OtherMembers {
    /// The members, as an object.
    pub fn as_object(&self) -> &RawObject {
        &self.0
    }
}

impl From<RawObject> for OtherMembers {
    fn from(members: RawObject) -> Self {
        OtherMembers(members)
    }
}

impl Decode for OtherMembers {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        RawObject::decode(reader).map(OtherMembers)
    }
}

impl Members for OtherMembers {
    fn members(&self, out: &mut String) {
        self.0.members(out);
    }
}

impl Encode for OtherMembers {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}

impl Flatten for OtherMembers {
    fn forget(&mut self, names: &[&str]) {
        self.0 = self.0.without(names);
    }
}
