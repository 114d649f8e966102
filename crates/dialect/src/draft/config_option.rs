//! Config options: any value under a key in the draft, a list of booleans and selects in the protocol.

use attache_rpc::json::{self, DecodeError, Object, ValueKind};

use super::draft_meta::{self, DraftMeta};
use super::memory::Memory;
use super::option_values::OptionValues;
use crate::edit::{self, quoted};

/// Reads a draft client's parameters of `session/set_config_option`. A value that is neither a boolean nor a string
/// becomes its JSON text.
pub(super) fn read_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("key", "configId");
    match edit::kind(params, "value") {
        None | Some(ValueKind::String) => Ok(()),
        Some(ValueKind::Boolean) => {
            params.set("type", "\"boolean\"");
            Ok(())
        }
        Some(_) => {
            let value = params.get("value").unwrap_or("null").to_owned();
            params.put("value", &*value);
            draft_meta::put(params, "value", &value)
        }
    }
}

/// Writes the parameters of `session/set_config_option` for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    let kept = draft_meta::take(params)?;
    params.rename("configId", "key");
    params.take("type");
    if let Some(value) = kept.get("value")
        && edit::string(params, "value").as_deref() == Some(&*value)
    {
        params.set("value", value);
    }
    kept.put_back(params);
    Ok(())
}

/// Reads a draft agent's result of `session/set_config_option`.
pub(super) fn read_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let session = edit::string(context, "sessionId").unwrap_or_default();
    rebuild(result, memory, &session);
    edit::move_to_meta(result, &["key", "previousValue", "currentValue"])
}

/// Writes the result of `session/set_config_option` for a draft client.
pub(super) fn write_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let kept = draft_meta::take(result)?;
    let options = OptionValues::of_list(&result.take("configOptions").unwrap_or_default());
    let is_kept = is_kept(&kept, &options);
    if is_kept {
        kept.put_back(result);
    }
    if let Some(id) = edit::string(context, "configId").filter(|_| !is_kept) {
        result.put("key", &id);
        if let Some(previous) = context.get("previousValue") {
            result.set("previousValue", previous.to_owned());
        }
        if let Some(current) = options.get(&id).or(context.get("value")) {
            result.set("currentValue", current.to_owned());
        }
    }
    let session = edit::string(context, "sessionId");
    if let Some(session) = session.and_then(|id| memory.session_mut(&id)) {
        session.options.remember(&options);
    }
    Ok(())
}

/// Reads the draft's `config_option_update`.
pub(super) fn read_update(
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<(), DecodeError> {
    rebuild(update, memory, session);
    edit::move_to_meta(update, &["key", "previousValue", "currentValue", "source"])
}

/// Writes an official `config_option_update` for a draft client: one draft update for every option that has changed.
pub(super) fn write_update(
    update: &mut Object<'_>,
    memory: &mut Memory,
    session: &str,
) -> Result<Vec<String>, DecodeError> {
    let options = OptionValues::of_list(&update.take("configOptions").unwrap_or_default());
    let known = memory
        .session_mut(session)
        .map(|session| &mut session.options);
    let mut updates = Vec::new();
    let kept = draft_meta::take(update)?;
    if is_kept(&kept, &options) {
        kept.put_back(update);
        updates.push(json::to_string(update));
    } else {
        let before = known.as_deref().cloned().unwrap_or_default();
        for (id, value) in before.changes(&options) {
            updates.push(change(id, before.get(id), value));
        }
    }
    if let Some(known) = known {
        known.remember(&options);
    }
    Ok(updates)
}

/// A kept value is used only if the official one is unchanged. A value without an official form is in no list.
fn is_kept(kept: &DraftMeta, options: &OptionValues) -> bool {
    let (Some(key), Some(value)) = (kept.string("key"), kept.get("currentValue")) else {
        return kept.get("key").is_some();
    };
    let official = options.get(&key);
    official.is_none_or(|official| edit::same(official, &value))
}

fn change(id: &str, before: Option<&str>, value: &str) -> String {
    let mut data = Object::default();
    data.set("key", quoted(id));
    if let Some(before) = before {
        data.set("previousValue", before);
    }
    data.set("currentValue", value);
    json::to_string(&data)
}

/// Remembers the changed value and adds the complete list.
fn rebuild(object: &mut Object<'_>, memory: &mut Memory, session: &str) {
    let (Some(key), Some(value)) = (edit::string(object, "key"), object.get("currentValue")) else {
        return;
    };
    let mut list = OptionValues::default();
    if let Some(known) = memory.session_mut(session) {
        list = known.options.clone();
        let alone = OptionValues::default().with(&key, value);
        known.options.remember(&alone);
    }
    let list = list.with(&key, value).to_list();
    object.set("configOptions", list);
}
