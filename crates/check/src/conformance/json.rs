//! Looking into messages. The reader is not the one that the rest of the workspace uses, on purpose.

use serde_json::Value;

/// What sort of message it is.
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

/// A text at a pointer, or nothing.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The update of a `session/update`, if it is one.
pub(crate) fn update(message: &Value) -> Option<&Value> {
    if method(message) != "session/update" {
        return None;
    }
    message.pointer("/params/update")
}

/// The kind of the update of a `session/update`.
pub(crate) fn update_kind(message: &Value) -> &str {
    update(message).map_or("", |update| text(update, "/sessionUpdate"))
}

/// Whether a capability is there: `true`, or an object.
pub(crate) fn offers(capabilities: &Value, pointer: &str) -> bool {
    match capabilities.pointer(pointer) {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::Object(_)) => true,
        _ => false,
    }
}
