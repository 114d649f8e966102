//! `terminal/*`: the draft has no session, a map for the environment, and output that the client pushes.

use attache_rpc::json::{self, DecodeError, Object, ValueKind};

use super::memory::Memory;
use super::{path, shape};
use crate::edit;

/// Reads a draft agent's parameters of `terminal/create`.
pub(super) fn read_create(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    memory.fill_session(params)?;
    path::resolve(params, "cwd", memory.cwd(params));
    edit::member(params, "env", edit::map_to_list)?;
    edit::move_to_meta(params, &["timeout"])
}

/// Writes our parameters of `terminal/create` for a draft client. The translator enforces the output limit.
pub(super) fn write_create(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.take("sessionId");
    params.take("outputByteLimit");
    if edit::kind(params, "env") == Some(ValueKind::Array) {
        edit::member(params, "env", edit::list_to_map)?;
    }
    edit::restore_from_meta(params)
}

/// Reads a draft client's result of `terminal/create`.
pub(super) fn read_create_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    learn(result, memory, context);
    edit::move_to_meta(result, &["pid"])
}

/// Writes our result of `terminal/create` for a draft agent.
pub(super) fn write_create_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    learn(result, memory, context);
    edit::restore_from_meta(result)
}

/// Reads a draft agent's parameters of a call about one terminal.
pub(super) fn read_other(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    let id = edit::string(params, "terminalId").unwrap_or_default();
    match memory.terminals.session(&id) {
        Some(session) => shape::fill(params, "sessionId", edit::quoted(session)),
        None => memory.fill_session(params)?,
    }
    edit::move_to_meta(params, &["timeout", "signal", "force"])
}

/// Writes our parameters of a call about one terminal, for a draft client.
pub(super) fn write_other(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.take("sessionId");
    edit::restore_from_meta(params)
}

/// Reads a draft client's result of `terminal/wait_for_exit`. After a timeout the exit status is unknown; a code that
/// the protocol cannot express is kept.
pub(super) fn read_wait_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    if shape::is_true(result, "timedOut") {
        return edit::move_to_meta(result, &["exitCode", "signal", "timedOut"]);
    }
    if result.has("exitCode") && shape::value::<u32>(result, "exitCode").is_none() {
        edit::move_to_meta(result, &["exitCode"])?;
    }
    if let Some(id) = edit::string(context, "terminalId") {
        memory.terminals.ended(&id, result);
    }
    edit::move_to_meta(result, &["timedOut"])
}

/// Writes our result of `terminal/wait_for_exit` for a draft agent, which requires a code.
pub(super) fn write_wait_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    for name in ["exitCode", "signal"] {
        if edit::kind(result, name) == Some(ValueKind::Null) {
            result.take(name);
        }
    }
    edit::restore_from_meta(result)?;
    shape::fill(result, "exitCode", NO_CODE);
    Ok(())
}

/// Reads a draft client's result of `terminal/kill` or `terminal/release`.
pub(super) fn read_done(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::move_to_meta(result, &["killed", "released"])
}

/// Writes our result of `terminal/kill` for a draft agent.
pub(super) fn write_killed(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    shape::fill(result, "killed", "true");
    Ok(())
}

/// Writes our result of `terminal/release` for a draft agent.
pub(super) fn write_released(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    shape::fill(result, "released", "true");
    Ok(())
}

/// Stores output that a draft client pushes and returns the response. `None` if the call pushes none.
pub(super) fn pushed(
    params: &Object<'_>,
    memory: &mut Memory,
) -> Result<Option<String>, DecodeError> {
    let Some(data) = params.get("data") else {
        return Ok(None);
    };
    let data: String = json::from_str(data).map_err(|error| error.within("data"))?;
    let id = params.get("terminalId").unwrap_or("null");
    let id: String = json::from_str(id).map_err(|error| error.within("terminalId"))?;
    let received = memory.terminals.push(&id, &data);
    Ok(Some(format!("{{\"received\":{received}}}")))
}

fn learn(result: &Object<'_>, memory: &mut Memory, context: &Object<'_>) {
    if let Some(id) = edit::string(result, "terminalId") {
        let limit = shape::value(context, "outputByteLimit");
        memory
            .terminals
            .made(&id, edit::string(context, "sessionId"), limit);
    }
}

const NO_CODE: &str = "-1";
