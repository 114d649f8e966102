//! JSON for protocols: a pull reader over borrowed text, a writer into a reused buffer, and raw values in between.
//!
//! The reader can step back, which is what a tolerant protocol needs: a bad optional member is skipped, a tag is
//! looked up before its variant is decoded, and an unknown value is kept as the text it came in.

mod block;
mod error;
pub mod field;
mod maybe_undefined;
mod number;
mod object;
mod raw;
mod raw_object;
mod reader;
mod scan;
mod serde;
mod values;
pub mod write;

pub use error::{DecodeError, PathStep, Problem, ValueKind};
pub use maybe_undefined::MaybeUndefined;
pub use object::Object;
pub use raw::Raw;
pub use raw_object::RawObject;
pub use reader::{Mark, Reader, TaggedObject};
pub use serde::{deserialize, serialize};

/// The deepest nesting of objects and arrays that is read.
pub const MAX_DEPTH: u32 = 128;

/// A value that can be read from JSON.
pub trait Decode: Sized {
    /// Reads one value at the reader's position and leaves the reader behind it.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// A value that can be written as JSON.
pub trait Encode {
    /// Appends the value's JSON text, on one line.
    fn encode(&self, out: &mut String);

    /// Whether an optional member with this value is left out of the object around it.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A value that is written as an object and can also lend its members to an object around it.
pub trait Members: Encode {
    /// Appends the members to an object that has been opened, each with the comma it needs.
    fn members(&self, out: &mut String);
}

/// An object that can still be read when its first members have been read by somebody else, who looked for a tag.
pub trait DecodeRest: Decode {
    /// Reads the rest of an object that starts at `start`; `more` says whether there is any. The member that has been
    /// read, if one has, must not occur again.
    fn decode_rest(
        reader: &mut Reader<'_>,
        start: Mark,
        more: bool,
        read: Option<&'static str>,
    ) -> Result<Self, DecodeError>;
}

/// A part of an object: it is read from the same members as the object around it, and writes its members into it.
pub trait Flatten: Decode + Members {
    /// The members that belong to this part and to no other.
    const OWNED: &[&str] = &[];

    /// Drops what the part kept of members that belong to the object around it.
    fn forget(&mut self, _names: &[&str]) {}
}

/// Reads one value from a text that holds nothing else.
pub fn from_str<T: Decode>(text: &str) -> Result<T, DecodeError> {
    let mut reader = Reader::new(text);
    let value = T::decode(&mut reader);
    if value.is_ok() {
        reader.end()?;
    }
    value
}

/// Reads one value from bytes that hold nothing else; bytes that are not UTF-8 are an error.
pub fn from_slice<T: Decode>(bytes: &[u8]) -> Result<T, DecodeError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => Err(DecodeError::new(Problem::NotUtf8, error.valid_up_to())),
    }
}

/// The value as JSON text on one line.
pub fn to_string<T: Encode + ?Sized>(value: &T) -> String {
    let mut out = String::new();
    value.encode(&mut out);
    out
}
