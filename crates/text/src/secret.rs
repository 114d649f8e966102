//! Secrets: the names they are known by, how they begin, and taking them out of text.
//!
//! There is one list of names and one of beginnings. [`redact`] is for conversations and logs, in which programs are spoken of
//! and stay as they are; [`mask`] is for commands, where hiding too much does less harm than hiding too little.

mod keys;
mod mask;
mod names;
mod redact;

pub use keys::after_key_prefix;
pub use mask::{mask, mask_words};
pub use names::{NameContext, is_secret_name};
pub use redact::{REDACTED, is_secret_option, redact};
