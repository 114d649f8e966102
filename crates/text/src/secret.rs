//! Finds secrets by their names and key prefixes, and removes them from text.
//!
//! There is one list of names and one list of key prefixes. [`redact`] is for conversations and logs, and leaves source code
//! in them intact. [`mask`] is for commands, where hiding too much does less harm than hiding too little.

mod keys;
mod mask;
mod names;
mod redact;

pub use keys::after_key_prefix;
pub use mask::{mask, mask_words};
pub use names::{NameContext, is_secret_name};
pub use redact::{REDACTED, is_secret_option, redact};
