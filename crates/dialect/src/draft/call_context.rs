//! The data of a call that its response needs, from the official parameters.

use attache_rpc::json::{self, Object};

use super::draft_meta;
use super::memory::Memory;
use crate::edit;

/// The context of a call, if its response needs one. Remembers sessions and terminals that the call names.
pub(super) fn of(method: &str, params: &Object<'_>, memory: &mut Memory) -> Option<String> {
    let id = edit::string(params, "sessionId").unwrap_or_default();
    let mut context = Object::default();
    match method {
        "session/new" => {
            copy(params, &mut context, &["cwd"]);
            copy_kept(params, &mut context, &["initialMode", "configOptions"]);
        }
        "session/load" => {
            copy(params, &mut context, &["sessionId", "cwd"]);
            let known = memory.session(&id).is_some();
            context.put("known", &known);
            load(memory, &id, edit::string(params, "cwd"));
        }
        "session/prompt" => copy(params, &mut context, &["sessionId"]),
        "session/set_mode" => {
            copy(params, &mut context, &["sessionId", "modeId"]);
            let session = memory.session(&id);
            let previous = session.map_or("default", |session| session.mode());
            context.put("previousMode", previous);
        }
        "session/set_config_option" => set_option(params, &mut context, memory, &id),
        "session/request_permission" => copy(params, &mut context, &["options"]),
        "fs/write_text_file" => {
            copy_kept(params, &mut context, &["overwrite"]);
            let bytes = edit::string(params, "content").map_or(0, |content| content.len());
            context.set("bytes", bytes.to_string());
        }
        "terminal/create" => copy(params, &mut context, &["sessionId", "outputByteLimit"]),
        "terminal/wait_for_exit" => copy(params, &mut context, &["terminalId"]),
        "terminal/release" => {
            let id = edit::string(params, "terminalId").unwrap_or_default();
            memory.terminals.released(&id);
            return None;
        }
        "session/close" | "session/delete" => {
            memory.forget(&id);
            return None;
        }
        _ => return None,
    }
    Some(json::to_string(&context))
}

/// Forgets the effects of a call that has failed.
pub(super) fn failed(method: &str, context: &Object<'_>, memory: &mut Memory) {
    if method == "session/load"
        && context.get("known") == Some("false")
        && let Some(id) = edit::string(context, "sessionId")
    {
        memory.forget(&id);
    }
}

/// A session that is being loaded counts as live, because its history comes before the result.
fn load(memory: &mut Memory, id: &str, cwd: Option<String>) {
    if let Some(session) = memory.session_mut(id) {
        session.learn_cwd(cwd);
        session.messages = 0;
        session.speaker = None;
    }
}

fn set_option(params: &Object<'_>, context: &mut Object<'_>, memory: &Memory, session: &str) {
    copy(params, context, &["sessionId", "configId", "value"]);
    copy_kept(params, context, &["value"]);
    let option = edit::string(params, "configId").unwrap_or_default();
    let session = memory.session(session);
    if let Some(value) = session.and_then(|session| session.options.get(&option)) {
        context.set("previousValue", value.to_owned());
    }
}

fn copy(params: &Object<'_>, context: &mut Object<'_>, names: &[&'static str]) {
    for name in names {
        if let Some(json) = params.get(name) {
            context.set(*name, json.to_owned());
        }
    }
}

fn copy_kept(params: &Object<'_>, context: &mut Object<'_>, names: &[&'static str]) {
    for name in names {
        if let Some(json) = draft_meta::peek(params, name) {
            context.set(*name, json);
        }
    }
}
