//! JSON for protocols: a pull [`Reader`] over borrowed text, functions that [write](mod@write) into a reused buffer, and [`Raw`]
//! values that stay text.
//!
//! The reader can go back to an earlier position, which a tolerant protocol needs: an invalid optional member is skipped,
//! a tag is looked up before its variant is decoded, and an unknown value is kept as text.

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
pub use serde::{EncodeError, decode_serde, deserialize, encode_serde, serialize};

/// The maximum nesting of objects and arrays. Deeper JSON is an error.
pub const MAX_DEPTH: u32 = 128;

/// A value that can be read from JSON.
pub trait Decode: Sized {
    /// Reads one value at the reader's position and moves the reader behind the value.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// A value that can be written as JSON.
pub trait Encode {
    /// Appends the value to `out` as JSON text without line breaks.
    fn encode(&self, out: &mut String);

    /// Whether a member with this value is omitted from its object.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A value that is written as an object, or flattened into another object.
pub trait Members: Encode {
    /// Appends the members, with commas, to an object that has been opened in `out`.
    fn members(&self, out: &mut String);
}

/// An object that can be decoded after [`Reader::open_tagged`] has already read its tag.
pub trait DecodeRest: Decode {
    /// Reads the rest of the object that starts at `start`. `more` is whether any members are left. `read` is the name of
    /// the member that has already been read, if any; that member must not occur again.
    fn decode_rest(
        reader: &mut Reader<'_>,
        start: Mark,
        more: bool,
        read: Option<&'static str>,
    ) -> Result<Self, DecodeError>;
}

/// A value that is flattened into another object: both are read from, and written to, the members of one JSON object.
pub trait Flatten: Decode + Members {
    /// Names of the members that belong only to this value and not to the outer object.
    const OWNED: &[&str] = &[];

    /// Drops members with these names, which belong to the outer object, if this value has kept them.
    fn forget(&mut self, _names: &[&str]) {}
}

/// Reads one value from a text that contains nothing else.
pub fn from_str<T: Decode>(text: &str) -> Result<T, DecodeError> {
    let mut reader = Reader::new(text);
    let value = T::decode(&mut reader);
    if value.is_ok() {
        reader.end()?;
    }
    value
}

/// Reads one value from bytes that contain nothing else. Bytes that are not UTF-8 are an error.
pub fn from_slice<T: Decode>(bytes: &[u8]) -> Result<T, DecodeError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => Err(DecodeError::new(Problem::NotUtf8, error.valid_up_to())),
    }
}

/// Returns a value as JSON text without line breaks.
pub fn to_string<T: Encode + ?Sized>(value: &T) -> String {
    let mut out = String::new();
    value.encode(&mut out);
    out
}
