//! The terminal UI: a state machine that knows neither clock nor terminal, and the loop that drives it.
//!
//! [`App`] takes [`Input`]s and gives [`Effect`]s; it draws itself. [`screen::run`] is the loop around it: keys, events
//! of the [`Conversation`](attache_client::Conversation), and everything that would block, done elsewhere.

mod answer_list;
mod app;
mod asks;
mod burst;
mod completion;
mod composer;
mod death;
mod draw;
mod editor;
mod effect;
mod form;
mod fuzzy;
mod help;
mod keymap;
mod login;
mod mentions;
mod panel;
mod permission;
mod picker;
mod quoted;
pub mod screen;
mod search;
mod seen;
mod tab;
#[cfg(test)]
mod tests;
mod text;
mod url;

pub use app::{App, FirstSession, Settings};
pub use draw::DrawContext;
pub use effect::{Effect, ExportFormat, Input, MouseCapture, SendMode, Steering};
pub use mentions::Attachment;
