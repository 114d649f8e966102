//! `session/update`: in the draft `type` and `data` next to the session, in the protocol one tagged `update`.

use attache_rpc::json::{self, DecodeError, Object, ValueKind};

use super::memory::Memory;
use super::{chunk, config_option, mode, plan, tool_call};
use crate::{divide, edit};

/// Reads a draft agent's update. An update of an unknown type keeps its name.
pub(super) fn read(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    let Some(kind) = edit::string(params, "type") else {
        return Ok(());
    };
    if edit::kind(params, "data") != Some(ValueKind::Object) {
        return Ok(());
    }
    let session = edit::string(params, "sessionId").unwrap_or_default();
    let data = params.take("data").unwrap_or_default();
    params.take("type");
    let mut update = Object::parse(&data)?;
    let kind =
        read_data(&kind, &mut update, memory, &session).map_err(|error| error.within("data"))?;
    update.put("sessionUpdate", kind);
    params.put("update", &update);
    edit::move_to_meta(params, &["timestamp"])
}

fn read_data<'k>(
    kind: &'k str,
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<&'k str, DecodeError> {
    match kind {
        "agent_message_chunk" | "user_message_chunk" => chunk::read(update)?,
        "thought_message_chunk" => {
            chunk::read(update)?;
            return Ok("agent_thought_chunk");
        }
        "tool_call" | "tool_call_update" => tool_call::read(update, memory, session)?,
        "plan" => plan::read(update)?,
        "available_commands" => {
            update.rename("commands", "availableCommands");
            return Ok("available_commands_update");
        }
        "current_mode_update" => mode::read_update(update, memory, session)?,
        "config_option_update" => config_option::read_update(update, memory, session)?,
        _ => (),
    }
    Ok(kind)
}

/// Writes our update for a draft client. Changed options become several updates, or none.
pub(super) fn write(text: &str, memory: &mut Memory) -> Result<Vec<String>, DecodeError> {
    let mut params = Object::parse(text)?;
    if edit::kind(&params, "update") != Some(ValueKind::Object) {
        return Ok(vec![text.to_owned()]);
    }
    let session = edit::string(&params, "sessionId").unwrap_or_default();
    let inner = params.take("update").unwrap_or_default();
    let mut update = Object::parse(&inner)?;
    let Some(kind) = edit::string(&update, "sessionUpdate") else {
        return Ok(vec![text.to_owned()]);
    };
    update.take("sessionUpdate");
    edit::restore_from_meta(&mut params)?;
    if kind == "config_option_update" {
        let changes = config_option::write_update(&mut update, memory, &session)?;
        return divided(params, &kind, &changes);
    }
    let kind = write_data(&kind, &mut update, memory, &session)?;
    Ok(vec![envelope(&params, kind, &json::to_string(&update))])
}

fn write_data<'k>(
    kind: &'k str,
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<&'k str, DecodeError> {
    match kind {
        "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk" => {
            chunk::count(update, kind, memory, session);
            chunk::write(update)?;
            if kind == "agent_thought_chunk" {
                return Ok("thought_message_chunk");
            }
        }
        "tool_call" | "tool_call_update" => {
            memory.tools.learn(update);
            tool_call::write(update, kind, memory, session)?;
        }
        "plan" => plan::write(update)?,
        "plan_update" if plan::of_items(update)? => {
            plan::write(update)?;
            return Ok("plan");
        }
        "available_commands_update" => {
            update.rename("availableCommands", "commands");
            return Ok("available_commands");
        }
        "current_mode_update" => mode::write_update(update, memory, session)?,
        _ => (),
    }
    Ok(kind)
}

/// One update for each change. Other members go with the first.
fn divided(
    mut params: Object<'_>,
    kind: &str,
    changes: &[String],
) -> Result<Vec<String>, DecodeError> {
    divide::bound(changes.len(), &[params.get("sessionId")])?;
    let mut updates = Vec::with_capacity(changes.len());
    for data in changes {
        updates.push(envelope(&params, kind, data));
        params = divide::only(&params, &["sessionId"]);
    }
    Ok(updates)
}

fn envelope(params: &Object<'_>, kind: &str, data: &str) -> String {
    let mut params = params.clone();
    params.put("type", kind);
    params.set("data", data.to_owned());
    json::to_string(&params)
}
