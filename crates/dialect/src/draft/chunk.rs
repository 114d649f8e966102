//! Chunks of messages and thoughts: plain strings in the draft, content blocks in the protocol.

use attache_rpc::json::{DecodeError, Object, ValueKind};

use super::content;
use super::memory::Memory;
use crate::edit;

/// Reads a draft chunk.
pub(super) fn read(update: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(update, "content") == Some(ValueKind::String) {
        let text = update.get("content").unwrap_or("\"\"");
        let block = format!("{{\"type\":\"text\",\"text\":{text}}}");
        update.set("content", block);
    } else {
        edit::part(update, "content", content::read)?;
    }
    edit::move_to_meta(update, &["index", "final", "visible"])
}

/// Writes an official chunk for a draft client, which accepts text only.
pub(super) fn write(update: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(update, "content") == Some(ValueKind::Object) {
        edit::member(update, "content", |block| {
            Ok(edit::quoted(&content::text_of(&Object::parse(block)?)))
        })?;
    }
    edit::restore_from_meta(update)
}

/// Counts the messages sent to a draft client. Another author or message id starts a new message.
pub(super) fn count(update: &Object<'_>, kind: &str, memory: &mut Memory, session: &str) {
    if kind == "agent_thought_chunk" {
        return;
    }
    let id = update.get("messageId").filter(|id| id.len() <= MAX_ID);
    let speaker = format!("{kind} {}", id.unwrap_or_default());
    let Some(session) = memory.session_mut(session) else {
        return;
    };
    if session.speaker.as_ref() != Some(&speaker) {
        session.messages = session.messages.saturating_add(1);
        session.speaker = Some(speaker);
    }
}

const MAX_ID: usize = 4096;
