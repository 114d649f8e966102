//! What an answer will need to know of its call, taken from the official parameters.

use attache_rpc::json::{self, Object};

use super::kept;
use super::memory::Memory;
use crate::edit;

/// The fact of a call, if its answer needs one. What the call itself tells of sessions and terminals is learnt.
pub(super) fn of(method: &str, params: &Object<'_>, memory: &mut Memory) -> Option<String> {
    let id = edit::string(params, "sessionId").unwrap_or_default();
    let mut fact = Object::default();
    match method {
        "session/new" => {
            copy(params, &mut fact, &["cwd"]);
            copy_kept(params, &mut fact, &["initialMode", "configOptions"]);
        }
        "session/load" => {
            copy(params, &mut fact, &["sessionId", "cwd"]);
            let known = memory.session(&id).is_some();
            fact.put("known", &known);
            load(memory, &id, edit::string(params, "cwd"));
        }
        "session/prompt" => copy(params, &mut fact, &["sessionId"]),
        "session/set_mode" => {
            copy(params, &mut fact, &["sessionId", "modeId"]);
            let session = memory.session(&id);
            let previous = session.map_or("default", |session| session.mode());
            fact.put("previousMode", previous);
        }
        "session/set_config_option" => set_option(params, &mut fact, memory, &id),
        "session/request_permission" => copy(params, &mut fact, &["options"]),
        "fs/write_text_file" => {
            copy_kept(params, &mut fact, &["overwrite"]);
            let bytes = edit::string(params, "content").map_or(0, |content| content.len());
            fact.set("bytes", bytes.to_string());
        }
        "terminal/create" => copy(params, &mut fact, &["sessionId", "outputByteLimit"]),
        "terminal/wait_for_exit" => copy(params, &mut fact, &["terminalId"]),
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
    Some(json::to_string(&fact))
}

/// A call has failed.
pub(super) fn failed(method: &str, fact: &Object<'_>, memory: &mut Memory) {
    if method == "session/load"
        && fact.get("known") == Some("false")
        && let Some(id) = edit::string(fact, "sessionId")
    {
        memory.forget(&id);
    }
}

/// The history comes before the result, so a session that is being loaded counts as live.
fn load(memory: &mut Memory, id: &str, cwd: Option<String>) {
    if let Some(session) = memory.session_mut(id) {
        session.learn_cwd(cwd);
        session.messages = 0;
        session.speaker = None;
    }
}

fn set_option(params: &Object<'_>, fact: &mut Object<'_>, memory: &Memory, session: &str) {
    copy(params, fact, &["sessionId", "configId", "value"]);
    copy_kept(params, fact, &["value"]);
    let option = edit::string(params, "configId").unwrap_or_default();
    let session = memory.session(session);
    if let Some(value) = session.and_then(|session| session.options.get(&option)) {
        fact.set("previousValue", value.to_owned());
    }
}

fn copy(params: &Object<'_>, fact: &mut Object<'_>, names: &[&'static str]) {
    for name in names {
        if let Some(json) = params.get(name) {
            fact.set(*name, json.to_owned());
        }
    }
}

fn copy_kept(params: &Object<'_>, fact: &mut Object<'_>, names: &[&'static str]) {
    for name in names {
        if let Some(json) = kept::peek(params, name) {
            fact.set(*name, json);
        }
    }
}
