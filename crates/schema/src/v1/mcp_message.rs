//! MCP carried over this connection (unstable).

use attache_rpc::json::{
    Decode, Encode, Error, Maybe, Members, Part, Problem, Raw, RawObject, Reader, field, write,
};

use super::McpServerAcpId;
use crate::Meta;

ids! {
    /// Names an MCP request on this connection, chosen by its caller (unstable).
    McpRequestId
}

message! {
    /// A request to an MCP server (unstable).
    pub struct MessageMcpRequest {
        /// Which server.
        server_id: McpServerAcpId = "serverId",
        /// The request's id.
        request_id: McpRequestId = "requestId",
        /// The MCP method.
        method: String = "method",
        ..
        /// Its parameters.
        params: Option<RawObject> = "params",
    }
}

message! {
    /// A notification that belongs to an MCP request under way (unstable).
    pub struct MessageMcpNotification {
        /// Which server.
        server_id: McpServerAcpId = "serverId",
        /// The request's id.
        request_id: McpRequestId = "requestId",
        /// The MCP method.
        method: String = "method",
        ..
        /// Its parameters.
        params: Option<RawObject> = "params",
    }
}

/// What became of an MCP request; a failure of the MCP server is not a failure of this message (unstable).
#[derive(Debug, Clone, PartialEq)]
pub enum MessageMcpResponse {
    /// The server's result.
    Result {
        /// The result, which may be `null`.
        result: Raw,
        /// Extension data (`_meta`): kept and passed on as it is.
        meta: Option<Meta>,
    },
    /// The server's error.
    Error {
        /// The error.
        error: McpError,
        /// Extension data (`_meta`): kept and passed on as it is.
        meta: Option<Meta>,
    },
}

fragment! {
    /// An error of MCP (unstable).
    pub struct McpError {
        /// What kind of failure it is.
        code: i32 = "code",
        /// What happened, in words.
        message: String = "message",
        /// Whatever else the server put there.
        part rest: Rest,
        ..
        /// More about it.
        data: Maybe<Raw> = "data",
    }
}

/// The members of an object that nobody has named, kept as they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rest(RawObject);

impl Decode for MessageMcpResponse {
    /// Nothing names the variant: the members do, and the result wins where both are there.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
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

impl Rest {
    /// The members as an object.
    pub fn as_object(&self) -> &RawObject {
        &self.0
    }
}

impl Decode for Rest {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        RawObject::decode(reader).map(Rest)
    }
}

impl Members for Rest {
    fn members(&self, out: &mut String) {
        self.0.members(out);
    }
}

impl Encode for Rest {
    fn encode(&self, out: &mut String) {
        self.0.encode(out);
    }
}

impl Part for Rest {
    fn forget(&mut self, names: &[&str]) {
        self.0 = self.0.without(names);
    }
}
