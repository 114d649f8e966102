//! Child sessions (unstable): updates about them, and operations that the client may use on them.

use super::{Context, Findings, MessagePath, path};
use crate::v1;

pub(super) fn update(update: &v1::SubagentUpdate, at: &MessagePath<'_>, found: &mut Findings) {
    if let Some(cwd) = update.cwd.value() {
        path::absolute(cwd, &at.member("cwd"), found);
    }
    if let Some(roots) = update.additional_directories.value() {
        path::all_absolute(roots, &at.member("additionalDirectories"), found);
    }
}

/// Checks a message between sessions: each is this session, one that the client has set up, or an announced child.
pub(super) fn message(
    session: &v1::SessionId,
    message: &v1::SessionMessage,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let is_known = |other: &v1::SessionId| {
        other == session
            || context.sessions.contains_key(other)
            || context.children.contains_key(other)
    };
    let named = [
        ("senderSessionId", message.sender_session_id.value()),
        ("recipientSessionId", message.recipient_session_id.value()),
    ];
    for (member, other) in named {
        if other.is_some_and(|other| !is_known(other)) {
            let message = "the child session has not been announced; send subagent_update first";
            found.add(rule!("188"), &at.member(member), message);
        }
    }
}

/// Reports a `session/cancel` for a child that does not support it.
pub(super) fn cancelled(
    session: &v1::SessionId,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let child = context.children.get(session);
    if child.is_some_and(|child| child.cancel.is_none()) {
        let message = "the child session does not support cancel; leave it to its parent";
        found.add(rule!("189"), &at.member("sessionId"), message);
    }
}

/// Reports a prompt or change to a child. No capability allows that.
pub(super) fn changed(
    session: &v1::SessionId,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if context.children.contains_key(session) && !context.sessions.contains_key(session) {
        let message = "the child session cannot be changed by the client; leave it to its parent";
        found.add(rule!("189"), &at.member("sessionId"), message);
    }
}
