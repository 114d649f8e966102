//! Modes and `session/set_mode`: in the draft the agent declares ids, in the protocol each session has a list.

use attache_rpc::json::{DecodeError, Object, write};

use super::memory::Memory;
use crate::edit::{self, quoted};

/// Reads a draft client's parameters of `session/set_mode`.
pub(super) fn read_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("mode", "modeId");
    Ok(())
}

/// Writes the parameters of `session/set_mode` for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("modeId", "mode");
    Ok(())
}

/// Reads a draft agent's result of `session/set_mode`.
pub(super) fn read_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let current = edit::string(result, "currentMode").or_else(|| edit::string(context, "modeId"));
    learn(memory, context, current);
    edit::move_to_meta(result, &["previousMode", "currentMode"])
}

/// Writes the result of `session/set_mode` for a draft client.
pub(super) fn write_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    learn(memory, context, edit::string(context, "modeId"));
    edit::restore_from_meta(result)?;
    for (name, known) in [("previousMode", "previousMode"), ("currentMode", "modeId")] {
        if let Some(mode) = context.get(known).filter(|_| !result.has(name)) {
            result.set(name, mode.to_owned());
        }
    }
    Ok(())
}

/// Reads the draft's `current_mode_update`.
pub(super) fn read_update(
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<(), DecodeError> {
    update.rename("currentMode", "currentModeId");
    if let Some(session) = memory.session_mut(session) {
        session.learn_mode(edit::string(update, "currentModeId"));
    }
    edit::move_to_meta(update, &["previousMode", "reason"])
}

/// Writes the official `current_mode_update` for a draft client.
pub(super) fn write_update(
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(update)?;
    update.rename("currentModeId", "currentMode");
    if let Some(session) = memory.session_mut(session) {
        if !update.has("previousMode") {
            update.put("previousMode", session.mode());
        }
        session.learn_mode(edit::string(update, "currentMode"));
    }
    Ok(())
}

/// The official state of modes of a session with a draft agent, if the agent has modes.
pub(super) fn state(memory: &Memory, session: &str) -> Option<String> {
    let session = memory.session(session)?;
    let current = session.mode();
    if memory.modes.is_empty() && !session.has_mode() {
        return None;
    }
    let undeclared = !memory.modes.iter().any(|mode| mode == current);
    let undeclared = undeclared.then_some(current);
    let mut out = format!(
        "{{\"currentModeId\":{},\"availableModes\":[",
        quoted(current)
    );
    for mode in undeclared
        .into_iter()
        .chain(memory.modes.iter().map(String::as_str))
    {
        write::comma(&mut out);
        let mode = quoted(mode);
        out.push_str(&format!("{{\"id\":{mode},\"name\":{mode}}}"));
    }
    out.push_str("]}");
    Some(out)
}

/// The current mode in an official state of modes.
pub(super) fn current(modes: &str) -> Option<String> {
    edit::tag(modes, "currentModeId")
}

fn learn(memory: &mut Memory, context: &Object<'_>, mode: Option<String>) {
    let id = edit::string(context, "sessionId");
    if let Some(session) = id.and_then(|id| memory.session_mut(&id)) {
        session.learn_mode(mode);
    }
}
