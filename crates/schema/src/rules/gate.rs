//! Capabilities that methods, members and variants require.

use super::{Context, Findings, MessagePath, Rule};
use crate::method::{Direction, Method, MethodKind};

/// Checks the requirement of a method, as in its row of the table.
pub(super) fn method(
    name: &str,
    kind: MethodKind,
    direction: Direction,
    context: &Context,
    found: &mut Findings,
) {
    let Some(method) = Method::find(name, kind, direction) else {
        return;
    };
    if !method.requirement.is_met(&context.agent, &context.client)
        && let Some(capability) = method.requirement.path()
    {
        let at = MessagePath::params(name);
        closed(rule_of(method), capability, &at, found);
    }
}

/// Reports a method, member or variant whose capability was not advertised.
pub(super) fn closed(
    rule: &'static Rule,
    capability: &str,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let message = format!("needs {capability}, which was not advertised; do not send it");
    found.add(rule, at, message);
}

fn rule_of(method: &Method) -> &'static Rule {
    match method.name {
        "logout" => rule!("45"),
        "session/load" => rule!("53"),
        "session/resume" => rule!("58"),
        "session/close" => rule!("60"),
        "session/list" => rule!("78"),
        "session/delete" => rule!("85"),
        "auth/status_update" => rule!("51"),
        "fs/read_text_file" | "fs/write_text_file" => rule!("131"),
        "elicitation/create" | "elicitation/complete" => rule!("158"),
        name if name.starts_with("terminal/") => rule!("134"),
        _ => rule!("33"),
    }
}
