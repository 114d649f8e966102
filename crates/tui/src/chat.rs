//! The terminal UI: a state machine without clock, files or terminal, and the event loop that drives it.
//!
//! [`App`] turns [`Input`]s into [`Effect`]s and draws itself. [`screen::run`] is the loop around it: it reads keys and
//! the events of the [`Conversation`](attache_client::Conversation), and runs everything that would block in the
//! background.

mod agent_exit;
mod answer_list;
mod app;
mod completion;
mod composer;
mod draw;
mod editor;
mod effect;
mod form;
mod fuzzy;
mod help;
mod keymap;
mod line_coverage;
mod login;
mod mentions;
mod panel;
mod paste_detector;
mod permission;
mod picker;
mod quotation;
mod request_queue;
pub mod screen;
mod search;
mod tab;
#[cfg(test)]
mod tests;
mod text;
mod url;

pub use app::{App, FirstSession, Settings};
pub use draw::DrawContext;
pub use effect::{Effect, ExportFormat, Input, MouseCapture, SendMode, Steering};
pub use mentions::PromptDraft;
