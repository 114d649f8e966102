//! What can be said of a message before anyone looks into it: its id and its method's name.

use attache_rpc::Id;

use super::{Findings, MessagePath, Violation};
use crate::call::ProtocolLevelNotification;
use crate::method::Method;

/// What is wrong with the id of a request.
pub fn check_id(request: &Id) -> Vec<Violation> {
    let mut found = Findings::default();
    id(request, &MessagePath::Part("request", "id"), &mut found);
    found.into_list()
}

/// What is wrong with a method's name that is not in the table of methods. One that starts with `_` is free.
pub fn check_method_name(name: &str) -> Vec<Violation> {
    let mut found = Findings::default();
    if !Method::all().any(|method| method.name == name) {
        extension(name, &mut found);
    }
    found.into_list()
}

/// What is wrong with a notification that either side may send.
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

/// The name of a method outside the protocol.
pub(super) fn extension(name: &str, found: &mut Findings) {
    if !name.starts_with('_') {
        let message = "the protocol has no such method; start one of your own with _";
        found.add(
            rule!("174"),
            &MessagePath::Part("extension", "method"),
            message,
        );
    }
}

/// An id as JSON text; the quotes of a string do not count.
pub(super) fn id(id: &Id, at: &MessagePath<'_>, found: &mut Findings) {
    let text = id.as_str().trim_matches('"');
    if id.is_null() {
        let message = "the id is null, which no answer can be told by; send a number or a string";
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
