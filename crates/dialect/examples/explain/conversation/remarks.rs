//! Notes about a line, and its problems.

use attache_dialect::Role;
use attache_rpc::Error;
use attache_schema::error::ErrorCode;
use attache_schema::method::{Method, MethodKind};
use attache_schema::rules::{self, Rule, Violation};

use super::Conversation;
use super::participant::{direction, name, opposite, other};
use crate::line::answer_with;

impl Conversation {
    pub(super) fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    pub(super) fn problem(&mut self, what: &str) {
        self.remarks += 1;
        self.notes.push(format!("! {what}"));
    }

    pub(super) fn violations(&mut self, violations: Vec<Violation>) {
        for violation in violations {
            self.problem(&violation.to_string());
        }
    }

    /// Assumes the client if the sender is unknown.
    pub(super) fn supposed(&mut self, from: Option<Role>) -> Role {
        from.unwrap_or_else(|| {
            self.note("the sender is not shown; assuming the client".to_owned());
            Role::Client
        })
    }

    /// Reports a call that its receiver cannot read.
    pub(super) fn refused(&mut self, from: Role, method: &str, kind: MethodKind, error: &Error) {
        if is_ignored(method, kind) {
            self.note("unknown; it may be ignored".to_owned());
            return;
        }
        if is_proxys(method) {
            self.note(
                "between a proxy and its conductor, which this program does not explain".to_owned(),
            );
            return;
        }
        let answer = match kind {
            MethodKind::Request => answer_with(error),
            MethodKind::Notification => "a notification gets no response".to_owned(),
        };
        let reason = match error.code {
            Error::METHOD_NOT_FOUND => misplaced(from, method, kind),
            _ => {
                let title = format!("{}: ", ErrorCode::of(error).title());
                let reason = error.message.strip_prefix(&title);
                reason.unwrap_or(&error.message).to_owned()
            }
        };
        self.problem(&format!("{reason} ({answer})"));
    }

    /// Reports a request before `initialize`.
    pub(super) fn too_early(&mut self, method: &str) {
        let number = if method.starts_with("session/") {
            "24"
        } else {
            "14a"
        };
        let violation =
            Rule::find(number).map(|rule| Violation::new(rule, method, "`initialize` comes first"));
        self.violations(Vec::from_iter(violation));
    }
}

/// Why the method does not exist for this call.
fn misplaced(from: Role, method: &str, kind: MethodKind) -> String {
    let sent_by = |peer, kind| Method::find(method, kind, direction(peer)).is_some();
    if sent_by(from, opposite(kind)) {
        return match kind {
            MethodKind::Request => format!("`{method}` is a notification and has no id"),
            MethodKind::Notification => format!("`{method}` is a request and needs an id"),
        };
    }
    if sent_by(other(from), kind) || sent_by(other(from), opposite(kind)) {
        return format!("`{method}` is for the {} to send", name(other(from)));
    }
    match rules::check_method_name(method).first() {
        Some(violation) => violation.to_string(),
        None => "the protocol has no such method".to_owned(),
    }
}

/// Notifications of the protocol itself, which a receiver may ignore.
fn is_ignored(method: &str, kind: MethodKind) -> bool {
    let is_known = Method::all().any(|known| known.name == method);
    kind == MethodKind::Notification && method.starts_with("$/") && !is_known
}

fn is_proxys(method: &str) -> bool {
    Method::all().any(|known| known.name == method) && method.starts_with("proxy/")
}
