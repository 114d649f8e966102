//! The terminal UI, and the viewer of recordings.
//!
//! [`chat`] is drawn from the events of an [`attache_client::Conversation`] and answers with its commands; [`paint`] lays
//! transcripts out in styled lines. [`viewer`] shows a recording. The conversation itself, configuration and everything
//! that needs no screen are in `attache_client`.

pub mod chat;
pub mod paint;
pub mod viewer;
