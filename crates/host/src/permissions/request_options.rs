//! Chooses among the options that an agent offers in a permission request.

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

/// Whether an option of a request allows the action. `None` for an id that the request does not offer or offers twice,
/// and for an option of an unknown kind.
pub fn option_allows(
    options: &[v1::PermissionOption],
    chosen: &v1::PermissionOptionId,
) -> Option<bool> {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let mut offered = options.iter().filter(|option| option.option_id == *chosen);
    let option = offered.next()?;
    if offered.next().is_some() {
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
    let options = &options[..options.len().min(MAX_OPTIONS)];
    let is_ambiguous = options.iter().enumerate().any(|(index, option)| {
        options[..index]
            .iter()
            .any(|other| other.option_id == option.option_id)
    });
    if is_ambiguous {
        return v1::RequestPermissionOutcome::Cancelled;
    }
    match options.iter().find(|option| option.kind == *wanted) {
        Some(option) => v1::SelectedPermissionOutcome::new(option.option_id.clone()).into(),
        None => v1::RequestPermissionOutcome::Cancelled,
    }
}

const MAX_OPTIONS: usize = 16;
