//! `session/new` and `session/load`: the directory, mode and options of a session.

use attache_rpc::json::{self, DecodeError, Object, ValueKind};

use super::memory::Memory;
use super::option_values::OptionValues;
use super::{draft_meta, mcp_server, mode, shape, system_prompt};
use crate::edit;

/// Reads a draft client's parameters of `session/new`.
pub(super) fn read_new(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    params.rename("workingDirectory", "cwd");
    edit::member(params, "systemPrompt", system_prompt::read)?;
    mcp_server::read_list(params)?;
    edit::move_to_meta(params, &["initialMode", "configOptions"])
}

/// Writes the parameters of `session/new` for a draft agent.
pub(super) fn write_new(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    params.rename("cwd", "workingDirectory");
    edit::member(params, "systemPrompt", system_prompt::write)?;
    mcp_server::write_list(params)?;
    edit::restore_from_meta(params)
}

/// Reads a draft agent's result of `session/new`. The mode and the options are the requested ones.
pub(super) fn read_new_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    draft_meta::mark(result)?;
    edit::move_to_meta(result, &["createdAt"])?;
    let Some(id) = learn(result, memory, context) else {
        return Ok(());
    };
    if let Some(modes) = mode::state(memory, &id) {
        result.set("modes", modes);
    }
    let options = memory.session(&id).map(|session| session.options.to_list());
    if let Some(options) = options.filter(|list| list != "[]") {
        result.set("configOptions", options);
    }
    Ok(())
}

/// Writes the result of `session/new` for a draft client.
pub(super) fn write_new_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    learn(result, memory, context);
    let kept = draft_meta::take(result)?;
    let (modes, options) = (result.take("modes"), result.take("configOptions"));
    if !kept.is_draft() {
        if let Some(current) = modes.as_deref().and_then(mode::current) {
            result.put("mode", &current);
        }
        if let Some(options) = options {
            result.set(
                "configOptions",
                OptionValues::of_list(&options).to_object()?,
            );
        }
    }
    kept.put_back(result);
    Ok(())
}

/// Reads a draft client's parameters of `session/load`, which has no directory.
pub(super) fn read_load(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    params.rename("workingDirectory", "cwd");
    edit::fill_directory(params, memory.cwd(params), "workingDirectory")?;
    mcp_server::read_list(params)
}

/// Writes the parameters of `session/load` for a draft agent, which knows the directory.
pub(super) fn write_load(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    params.take("cwd");
    mcp_server::write_list(params)?;
    edit::restore_from_meta(params)
}

/// Reads a draft agent's result of `session/load`.
pub(super) fn read_load_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let id = edit::string(result, "sessionId").or_else(|| edit::string(context, "sessionId"));
    let id = id.unwrap_or_default();
    if let Some(session) = memory.session_mut(&id) {
        session.learn_cwd(edit::string(result, "workingDirectory"));
        session.learn_mode(edit::string(result, "mode"));
    }
    if result.take("mode").is_some()
        && let Some(modes) = mode::state(memory, &id)
    {
        result.set("modes", modes);
    }
    if edit::kind(result, "configOptions") == Some(ValueKind::Object) {
        let text = result.get("configOptions").unwrap_or("{}").to_owned();
        let options = OptionValues::of_object(&Object::parse(&text)?);
        draft_meta::put(result, "configOptions", &text)?;
        result.set("configOptions", options.to_list());
        if let Some(session) = memory.session_mut(&id) {
            session.options.remember(&options);
        }
    }
    edit::move_to_meta(result, &["sessionId", "workingDirectory", "messageCount"])
}

/// Writes the result of `session/load` for a draft client.
pub(super) fn write_load_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    let id = learn(result, memory, context);
    let kept = draft_meta::take(result)?;
    let modes = result.take("modes");
    let current = modes.as_deref().and_then(mode::current);
    let original = kept.get("configOptions").unwrap_or_default();
    let original = OptionValues::of_object(&Object::parse(&original).unwrap_or_default());
    let options = OptionValues::of_list(result.get("configOptions").unwrap_or("[]"));
    result.set("configOptions", original.then(options).to_object()?);
    kept.put_back(result);
    if let Some(id) = id {
        shape::fill(result, "sessionId", edit::quoted(&id));
        fill_known(result, memory, &id);
    }
    let current = current.unwrap_or_else(|| "default".to_owned());
    shape::fill(result, "mode", edit::quoted(&current));
    Ok(())
}

/// Adds the known data of a loaded session to a result for a draft client.
fn fill_known(result: &mut Object<'_>, memory: &Memory, id: &str) {
    let Some(session) = memory.session(id) else {
        return;
    };
    if let Some(cwd) = memory.directory(id) {
        shape::fill(result, "workingDirectory", edit::quoted(cwd));
    }
    shape::fill(result, "messageCount", json::to_string(&session.messages));
}

/// Remembers the data in an official result and returns the session's id.
fn learn(result: &Object<'_>, memory: &mut Memory, context: &Object<'_>) -> Option<String> {
    let id = edit::string(result, "sessionId").or_else(|| edit::string(context, "sessionId"))?;
    let session = memory.session_mut(&id)?;
    session.learn_cwd(edit::string(context, "cwd"));
    session.learn_mode(edit::string(context, "initialMode"));
    session.learn_mode(result.get("modes").and_then(mode::current));
    if let Some(Ok(options)) = context.get("configOptions").map(Object::parse) {
        session.options.remember(&OptionValues::of_object(&options));
    }
    if let Some(options) = result.get("configOptions") {
        session.options.remember(&OptionValues::of_list(options));
    }
    Some(id)
}
