//! What passive checks look for in single lines and messages. `None` means that a check does not apply.

use serde_json::Value;

use crate::conformance::json::{MessageKind, message_kind, method, text, update, update_kind};
use crate::conformance::members;
use crate::conformance::passive_check::IdCounts;

pub(crate) type InspectionResult = Option<Result<(), String>>;
pub(crate) type LineInspector = fn(&[u8], Option<&Value>) -> InspectionResult;
pub(crate) type MessageInspector = fn(&Value) -> InspectionResult;

pub(crate) fn utf8(line: &[u8], _: Option<&Value>) -> InspectionResult {
    Some(match std::str::from_utf8(line) {
        Ok(_) => Ok(()),
        Err(_) => Err("the line is not UTF-8".to_owned()),
    })
}

pub(crate) fn newline(line: &[u8], _: Option<&Value>) -> InspectionResult {
    Some(match line.ends_with(b"\n") {
        true => Ok(()),
        false => Err("the line has no line feed".to_owned()),
    })
}

pub(crate) fn clean(line: &[u8], _: Option<&Value>) -> InspectionResult {
    let line = line.trim_ascii();
    Some(
        match line.is_empty() || line.starts_with(b"{") || line.starts_with(b"[") {
            true => Ok(()),
            false => Err("the line is not a message".to_owned()),
        },
    )
}

/// A line that starts like a message must be complete JSON. Does not apply to other lines or to invalid UTF-8.
pub(crate) fn whole(line: &[u8], json: Option<&Value>) -> InspectionResult {
    let line = line.trim_ascii();
    if !line.starts_with(b"{") || std::str::from_utf8(line).is_err() {
        return None;
    }
    Some(match json {
        Some(_) => Ok(()),
        None => Err("the line is not complete JSON".to_owned()),
    })
}

pub(crate) fn no_batch(message: &Value) -> InspectionResult {
    Some(match message.is_array() {
        true => Err("a batch was sent".to_owned()),
        false => Ok(()),
    })
}

pub(crate) fn jsonrpc(message: &Value) -> InspectionResult {
    message
        .is_object()
        .then(|| match text(message, "/jsonrpc") {
            "2.0" => Ok(()),
            _ => Err("jsonrpc is not \"2.0\"".to_owned()),
        })
}

pub(crate) fn envelope(message: &Value) -> InspectionResult {
    message.is_object().then(|| {
        members::only(
            message,
            &["jsonrpc", "id", "method", "params", "result", "error"],
        )
    })
}

pub(crate) fn one_outcome(message: &Value) -> InspectionResult {
    if message.get("method").is_some() || !message.is_object() {
        return None;
    }
    Some(match (message.get("result"), message.get("error")) {
        (Some(_), Some(_)) => Err("there is a result and an error".to_owned()),
        (None, None) => Err("there is neither a result nor an error".to_owned()),
        _ => Ok(()),
    })
}

pub(crate) fn error_shape(message: &Value) -> InspectionResult {
    let error = message.get("error")?;
    let code = error.get("code").is_some_and(Value::is_i64);
    let said = error.get("message").is_some_and(Value::is_string);
    Some(match code && said {
        true => Ok(()),
        false => Err("the error has no integer code or no message".to_owned()),
    })
}

pub(crate) fn params(message: &Value) -> InspectionResult {
    let calls = matches!(
        message_kind(message),
        MessageKind::Request | MessageKind::Notification
    );
    calls.then(|| match message.get("params") {
        None | Some(Value::Object(_)) => Ok(()),
        Some(_) => Err("params is not an object".to_owned()),
    })
}

pub(crate) fn request_id(message: &Value) -> InspectionResult {
    if message_kind(message) != MessageKind::Request {
        return None;
    }
    Some(match message.get("id") {
        Some(Value::Number(id)) if id.is_i64() || id.is_u64() => Ok(()),
        Some(Value::String(id)) if (1..=256).contains(&id.len()) => Ok(()),
        _ => Err("the id is neither an integer nor a string of 1 to 256 bytes".to_owned()),
    })
}

pub(crate) fn unique_id(ids: &IdCounts<'_>) -> InspectionResult {
    (ids.open > 0).then(|| match ids.open {
        1 => Ok(()),
        _ => Err("the id belongs to another open request".to_owned()),
    })
}

pub(crate) fn known_id(ids: &IdCounts<'_>) -> InspectionResult {
    (ids.responses > 0 && !ids.id.is_null()).then(|| match ids.requests {
        0 => Err("no request has this id".to_owned()),
        _ => Ok(()),
    })
}

pub(crate) fn one_answer(ids: &IdCounts<'_>) -> InspectionResult {
    (ids.responses > 0 && ids.requests > 0 && !ids.id.is_null()).then(|| {
        match ids.responses <= ids.requests {
            true => Ok(()),
            false => Err("there is a second response".to_owned()),
        }
    })
}

pub(crate) fn update_known(message: &Value) -> InspectionResult {
    let kind = update_kind(message);
    if kind.is_empty() {
        return None;
    }
    let unstable = kind.starts_with("subagent") || kind.starts_with("session_message");
    Some(match unstable || members::of_update(kind).is_some() {
        true => Ok(()),
        false => Err("the kind of the update is not in the protocol".to_owned()),
    })
}

pub(crate) fn update_members(message: &Value) -> InspectionResult {
    let known = members::of_update(update_kind(message))?;
    let params = message.get("params")?;
    let update = update(message)?;
    Some(members::only(params, members::NEWS).and_then(|()| members::only(update, known)))
}

pub(crate) fn permission_members(message: &Value) -> InspectionResult {
    if method(message) != "session/request_permission" {
        return None;
    }
    Some(members::only(message.get("params")?, members::PERMISSION))
}

pub(crate) fn usage(message: &Value) -> InspectionResult {
    if update_kind(message) != "usage_update" {
        return None;
    }
    let update = update(message)?;
    let whole = |name: &str| update.get(name).is_some_and(Value::is_u64);
    let cost = match update.get("cost") {
        None | Some(Value::Null) => true,
        Some(cost) => {
            cost.get("amount").is_some_and(Value::is_number) && !text(cost, "/currency").is_empty()
        }
    };
    Some(match whole("used") && whole("size") && cost {
        true => Ok(()),
        false => Err("used, size, or a part of cost is missing".to_owned()),
    })
}

pub(crate) fn info(message: &Value) -> InspectionResult {
    if update_kind(message) != "session_info_update" {
        return None;
    }
    let update = update(message)?;
    let title = matches!(
        update.get("title"),
        None | Some(Value::Null | Value::String(_))
    );
    let time = match update.get("updatedAt") {
        None | Some(Value::Null) => true,
        Some(time) => time.as_str().is_some_and(is_time),
    };
    Some(match title && time {
        true => Ok(()),
        false => Err("the title is not a string or the time is not valid".to_owned()),
    })
}

fn is_time(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape.starts_with("0000-00-00T00:00") && text.len() >= 17
}

pub(crate) fn has_options(message: &Value) -> bool {
    let result = message.pointer("/result/configOptions");
    let update = message.pointer("/params/update/configOptions");
    result.or(update).is_some_and(Value::is_array)
}

pub(crate) fn is_gated(kind: &str) -> bool {
    kind == "notice" || kind.starts_with("compaction")
}

pub(crate) fn environment(message: &Value) -> InspectionResult {
    if method(message) != "terminal/create" {
        return None;
    }
    let named = |it: &Value| {
        it.get("name").is_some_and(Value::is_string)
            && it.get("value").is_some_and(Value::is_string)
    };
    Some(match message.pointer("/params/env") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(env)) if env.iter().all(named) => Ok(()),
        Some(_) => Err("env is not a list of names and values".to_owned()),
    })
}

pub(crate) fn names(message: &Value) -> InspectionResult {
    if !matches!(
        message_kind(message),
        MessageKind::Request | MessageKind::Notification
    ) {
        return None;
    }
    let name = method(message);
    let known = name.starts_with('_') || name.starts_with("$/") || KNOWN.contains(&name);
    Some(match known {
        true => Ok(()),
        false => {
            Err("the method is not in the protocol, and its name does not start with _".to_owned())
        }
    })
}

/// The methods that an agent can call on a client.
const KNOWN: &[&str] = &[
    "session/update",
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
    "elicitation/create",
    "elicitation/complete",
    "auth/status_update",
    "mcp/message",
];
