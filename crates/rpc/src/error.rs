//! The JSON-RPC error object.

use std::fmt;

use crate::json::{self, Decode, Encode, Members, Raw, Reader, field, write};

/// The [error object](https://www.jsonrpc.org/specification#error_object) of a JSON-RPC response: a code for programs,
/// a message for people, and optional data. Errors made by this crate name kinds, sizes and positions; of the input
/// they repeat at most a name, cut to a bounded length.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The kind of failure. JSON-RPC reserves -32768 to -32000.
    pub code: i32,
    /// A short description of the failure.
    pub message: String,
    /// Additional information, such as the limit that was exceeded.
    pub data: Option<Raw>,
}

/// The error codes that JSON-RPC defines.
impl Error {
    /// The received text is not valid JSON.
    pub const PARSE: i32 = -32700;
    /// The JSON is not a valid JSON-RPC request.
    pub const INVALID_REQUEST: i32 = -32600;
    /// The method does not exist or is not available.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The method's parameters are invalid.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The receiver failed internally.
    pub const INTERNAL: i32 = -32603;
}

impl Error {
    /// Creates an error with a code and a message, without data.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Returns the error with data attached.
    #[must_use]
    pub fn data(mut self, data: impl Into<Raw>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl Decode for Error {
    /// Reads any object: an error with missing or invalid members is still an error.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, json::DecodeError> {
        let mut code: Option<Option<i32>> = None;
        let mut message: Option<Option<String>> = None;
        let mut data = None;
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "code" => code = Some(field::lenient(reader, "code")?),
                "message" => message = Some(field::lenient(reader, "message")?),
                "data" => data = field::lenient(reader, "data")?,
                _ => {
                    reader.skip()?;
                }
            }
            more = reader.more_members()?;
        }
        Ok(Error {
            code: code.flatten().unwrap_or(Error::INTERNAL),
            message: message.flatten().unwrap_or_default(),
            data,
        })
    }
}

impl Members for Error {
    fn members(&self, out: &mut String) {
        write::key(out, "\"code\":");
        self.code.encode(out);
        write::key(out, "\"message\":");
        self.message.encode(out);
        if let Some(data) = &self.data {
            write::key(out, "\"data\":");
            data.encode(out);
        }
    }
}

impl Encode for Error {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Error {}
