//! Secrets: the names they are known by, how they begin, and taking them out of text.
//!
//! There is one list of names and one of beginnings. [`redact`] is for conversations and logs, in which programs are spoken of
//! and stay as they are; [`mask`] is for commands, where hiding too much does less harm than hiding too little.

mod keys;
mod mask;
mod names;
mod redact;

pub use keys::behind_known_start;
pub use mask::{mask, masked_words};
pub use names::{NameOf, is_secret_name};
pub use redact::{HIDDEN, announces_secret, redact};
