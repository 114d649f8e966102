//! The terminal UI, and the viewer of recordings.
//!
//! [`chat`] shows the events of an [`attache_client::Conversation`] and submits its commands. [`paint`] lays
//! transcripts out as styled lines. [`viewer`] shows a recording. The conversation itself, the configuration and
//! everything else that needs no screen are in `attache_client`.

pub mod chat;
pub mod paint;
pub mod viewer;
