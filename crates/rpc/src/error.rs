//! The error object of JSON-RPC.

use std::fmt;

use crate::json::{self, Decode, Encode, Members, Raw, Reader, field, write};

/// How a request failed: a code for programs, a sentence for people, and more data. What is made here says kinds, sizes
/// and places, and of the input no more than a name, cut to a bounded length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub code: i32,
    /// What happened, in words.
    pub message: String,
    /// More about it.
    pub data: Option<Raw>,
}

/// The codes that JSON-RPC defines.
impl Error {
    /// The text was not JSON.
    pub const PARSE: i32 = -32700;
    /// The JSON was no JSON-RPC request.
    pub const INVALID_REQUEST: i32 = -32600;
    /// No such method.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The method's parameters do not fit.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The receiver failed.
    pub const INTERNAL: i32 = -32603;
}

impl Error {
    /// An error with a code and a message.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with data.
    #[must_use]
    pub fn data(mut self, data: impl Into<Raw>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl Decode for Error {
    /// Tolerant: an error that is badly made is still an error, so only the object itself is asked for.
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
