//! Chooses among the options that an agent offers in a permission request.

use std::collections::HashSet;

use attache_schema::v1;

/// Picks the option that corresponds to a rule or a remembered decision, by its kind: names are the agent's words.
/// Without a fitting option the outcome is cancelled, which allows nothing.
///
/// Only options for this one time are picked. A lasting option changes what the agent asks about later, and only the
/// user may choose that. Options with the same id, and options after the sixteenth, are not trusted.
pub fn pick_option(
    is_allowed: bool,
    options: &[v1::PermissionOption],
) -> v1::RequestPermissionOutcome {
    match is_allowed {
        true => pick(options, &v1::PermissionOptionKind::AllowOnce),
        false => pick(options, &v1::PermissionOptionKind::RejectOnce),
    }
}

/// Whether an option of a request allows the action. `None` for an id that the request does not offer among the first
/// [`MAX_OPTIONS`], for one that it offers twice, wherever, and for an option of an unknown kind.
pub fn option_allows(
    options: &[v1::PermissionOption],
    chosen: &v1::PermissionOptionId,
) -> Option<bool> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let offered = options.iter().enumerate();
    let mut offered = offered.filter(|(_, option)| option.option_id == *chosen);
    let (at, option) = offered.next()?;
    if offered.next().is_some() || at >= MAX_OPTIONS {
        return None;
    }
    match option.kind {
        AllowOnce | AllowAlways => Some(true),
        RejectOnce | RejectAlways => Some(false),
        _ => None,
    }
}

/// The meaning of an option, in our words.
pub fn option_label(kind: &v1::PermissionOptionKind) -> &'static str {
    match kind {
        v1::PermissionOptionKind::AllowOnce => "Allow once",
        v1::PermissionOptionKind::AllowAlways => "Always allow",
        v1::PermissionOptionKind::RejectOnce => "Reject once",
        v1::PermissionOptionKind::RejectAlways => "Always reject",
        v1::PermissionOptionKind::Other(_) => "Unknown answer",
        _ => "Unknown answer",
    }
}

fn pick(
    options: &[v1::PermissionOption],
    wanted: &v1::PermissionOptionKind,
) -> v1::RequestPermissionOutcome {
    let mut ids = HashSet::new();
    if !options.iter().all(|option| ids.insert(&option.option_id)) {
        return v1::RequestPermissionOutcome::Cancelled;
    }
    let mut listed = options.iter().take(MAX_OPTIONS);
    match listed.find(|option| option.kind == *wanted) {
        Some(option) => v1::SelectedPermissionOutcome::new(option.option_id.clone()).into(),
        None => v1::RequestPermissionOutcome::Cancelled,
    }
}

/// The most options of a request that can be chosen.
pub const MAX_OPTIONS: usize = 16;
