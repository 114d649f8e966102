//! Dialects: the shapes of other documents that call themselves ACP, translated to and from the official protocol.
//!
//! [`detect`] and [`translator_for`] make the [`Translator`](attache_rpc::Translator) of a connection: it sits between
//! the bytes of one peer and everything else. What comes in leaves it as official JSON; what goes out leaves it in the
//! peer's shape. On an official connection both directions hand back what they were given, untouched, except for what
//! older official documents name: the `models` of a session and how they are set, and errors told apart by a word in
//! their data. A [`CallTranslator`] does the same one call at a time, for programs that read their messages themselves.
//! What cannot be carried over is listed in [`losses`].
//!
//! Members of a dialect that have no official place are kept in `_meta`, under `attache.dialect`, and return from there.
//! Members that no document knows stay where they are, as far as JSON goes: the types do not keep them.
//!
//! Nothing here does I/O, starts a task or reads a clock.

mod bridge;
mod call_translator;
mod detect;
mod divide;
mod draft;
mod edit;
mod error_code;
mod legacy;
pub mod losses;
mod memory;
mod option_list;
mod pharo;
#[cfg(test)]
mod tests;
mod translator;

/// The examples of the page on dialects, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/dialects.md")]
struct Dialects;

pub use call_translator::{Call, CallTranslator, Dialect, Role, TranslatedCall};
pub use detect::UnknownDialect;
pub use translator::{DialectTranslator, detect, translator_for};

use call_translator::TranslateCalls;
