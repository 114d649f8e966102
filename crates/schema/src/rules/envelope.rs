//! Checks of a message before its params are decoded: the id and the name of the method.

use attache_rpc::Id;

use super::{Findings, MessagePath, Violation};
use crate::call::ProtocolLevelNotification;
use crate::method::Method;

/// Checks the id of a request.
pub fn check_id(request: &Id) -> Vec<Violation> {
    let mut found = Findings::default();
    id(request, &MessagePath::Part("request", "id"), &mut found);
    found.into_list()
}

/// Checks the name of a method. Outside the table of methods, it must start with `_`.
pub fn check_method_name(name: &str) -> Vec<Violation> {
    let mut found = Findings::default();
    if !Method::all().any(|method| method.name == name) {
        extension(name, &mut found);
    }
    found.into_list()
}

/// Checks a notification that either side may send.
pub fn check_protocol_notification(notification: &ProtocolLevelNotification) -> Vec<Violation> {
    let mut found = Findings::default();
    match notification {
        ProtocolLevelNotification::CancelRequest(cancel) => {
            let at = MessagePath::params(notification.method());
            id(&cancel.request_id, &at.member("requestId"), &mut found);
        }
        ProtocolLevelNotification::Extension(call) => extension(&call.method, &mut found),
    }
    found.into_list()
}

/// Checks the name of a method outside the protocol.
pub(super) fn extension(name: &str, found: &mut Findings) {
    if !name.starts_with('_') {
        let message = "the protocol has no such method; start a custom method with _";
        found.add(
            rule!("174"),
            &MessagePath::Part("extension", "method"),
            message,
        );
    }
}

/// Checks an id. The quotes of a string do not count towards its length.
pub(super) fn id(id: &Id, at: &MessagePath<'_>, found: &mut Findings) {
    let text = id.as_str().trim_matches('"');
    if id.is_null() {
        let message = "the id is null, so no response can be matched; send a number or a string";
        found.add(rule!("B1"), at, message);
    } else if text.is_empty() {
        found.add(
            rule!("B1"),
            at,
            "the id is empty; send a number or a string",
        );
    } else if text.len() > MOST {
        let message = format!("the id is longer than {MOST} bytes; send a shorter one");
        found.add(rule!("B1"), at, message);
    }
}

const MOST: usize = 256;
