//! Dialects: the shapes of other documents that call themselves ACP, translated to and from the official protocol.
//!
//! [`detect`] and [`translator_for`] make the [`Translator`](attache_rpc::Translator) of a connection: it sits between
//! the bytes of one peer and everything else. It turns incoming messages into official JSON, and outgoing ones into the
//! peer's shape. On an official connection messages pass unchanged, except for older official shapes: the `models` of a
//! session and how they are set, and errors distinguished by a word in their data. A [`CallTranslator`] does the same
//! one call at a time, for programs that read their messages themselves. [`losses`] lists what cannot be translated.
//!
//! Members of a dialect without an official form are kept in `_meta` under `attache.dialect` and restored from there.
//! Members that no document defines stay in the JSON text, but the typed messages drop them.
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
