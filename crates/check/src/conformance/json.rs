//! Helpers to inspect JSON messages. They deliberately use another JSON reader than the rest of the workspace, so that
//! the checker does not share its mistakes.

use serde_json::Value;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Request,
    Notification,
    Response,
    Other,
}

pub(crate) fn message_kind(message: &Value) -> MessageKind {
    let has = |name: &str| message.get(name).is_some();
    match (has("method"), has("id"), has("result") || has("error")) {
        (true, true, false) => MessageKind::Request,
        (true, false, false) => MessageKind::Notification,
        (false, true, true) => MessageKind::Response,
        _ => MessageKind::Other,
    }
}

pub(crate) fn method(message: &Value) -> &str {
    message.get("method").and_then(Value::as_str).unwrap_or("")
}

/// The string at a JSON pointer, or an empty string.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The update in a `session/update` notification; `None` for any other message.
pub(crate) fn update(message: &Value) -> Option<&Value> {
    if method(message) != "session/update" {
        return None;
    }
    message.pointer("/params/update")
}

/// The kind of the update in a `session/update` notification.
pub(crate) fn update_kind(message: &Value) -> &str {
    update(message).map_or("", |update| text(update, "/sessionUpdate"))
}

/// Whether a capability is advertised: its value is `true` or an object.
pub(crate) fn offers(capabilities: &Value, pointer: &str) -> bool {
    match capabilities.pointer(pointer) {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::Object(_)) => true,
        _ => false,
    }
}
