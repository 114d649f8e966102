//! Checks the modes of a session, and the config option for modes.

use super::{Context, Findings, MessagePath, SessionChoices, config_option, unique};
use crate::v1::{self, SessionConfigKind, SessionConfigOptionCategory};

/// Checks the modes that a session offers.
pub(super) fn state(modes: &v1::SessionModeState, at: &MessagePath<'_>, found: &mut Findings) {
    if !has(modes, &modes.current_mode_id) {
        let message = "the current mode is not among the available modes; add it or name another";
        found.add(rule!("B5"), &at.member("currentModeId"), message);
    }
    let ids = modes.available_modes.iter().map(|mode| mode.id.as_str());
    unique::ids(ids, "id", &at.member("availableModes"), found);
}

/// Checks `session/set_mode`.
pub(super) fn set(
    request: &v1::SetSessionModeRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let Some(offers) = context.sessions.get(&request.session_id) else {
        return;
    };
    match &offers.modes {
        None => found.add(
            rule!("144"),
            at,
            "the session offers no modes; do not set one",
        ),
        Some(modes) if !has(modes, &request.mode_id) => {
            let message = "the mode is not among the available modes; choose one of those";
            found.add(rule!("144"), &at.member("modeId"), message);
        }
        Some(_) => {}
    }
}

/// Checks `current_mode_update`, if the session has modes.
pub(super) fn announced(
    session: &v1::SessionId,
    mode: &v1::SessionModeId,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let offers = context.sessions.get(session);
    let modes = offers.and_then(|offers| offers.modes.as_ref());
    if modes.is_some_and(|modes| !has(modes, mode)) {
        let message = "the mode is not among the available modes; announce one of those";
        found.add(rule!("B5"), &at.member("currentModeId"), message);
    }
}

/// Checks that a config option for modes has the same current value as the modes, if it offers that value.
pub(super) fn matches_option(offers: &SessionChoices, at: &MessagePath<'_>, found: &mut Findings) {
    let (Some(modes), Some(options)) = (&offers.modes, &offers.config_options) else {
        return;
    };
    let present = modes.current_mode_id.as_str();
    for (index, option) in options.iter().enumerate() {
        if let SessionConfigKind::Select(select) = &option.kind
            && option.category == Some(SessionConfigOptionCategory::Mode)
            && config_option::choices(select).any(|choice| choice.as_str() == present)
            && select.current_value.as_str() != present
        {
            let at = at.member("configOptions");
            let message = "differs from modes.currentModeId; keep both the same";
            found.add(
                rule!("147"),
                &at.item(index).member("currentValue"),
                message,
            );
        }
    }
}

fn has(modes: &v1::SessionModeState, id: &v1::SessionModeId) -> bool {
    modes.available_modes.iter().any(|mode| mode.id == *id)
}
