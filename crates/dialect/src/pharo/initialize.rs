//! `initialize`: capabilities, modes and authentication methods.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use crate::edit;
use crate::memory::{MAX_MODES, short};

/// Reads the parameters and returns the terminal methods that the client does not support.
pub(super) fn read_params(params: &mut Object<'_>) -> Result<Vec<&'static str>, DecodeError> {
    let mut disabled_methods = Vec::new();
    edit::part(params, "clientCapabilities", |capabilities| {
        if edit::kind(capabilities, "terminal") != Some(ValueKind::Object) {
            return Ok(());
        }
        let terminal = capabilities.get("terminal").unwrap_or_default().to_owned();
        disabled_methods = disabled_terminal_methods(&terminal);
        edit::move_to_meta(capabilities, &["terminal"])?;
        capabilities.put("terminal", &offers_terminals(&terminal));
        Ok(())
    })?;
    Ok(disabled_methods)
}

/// A changed flag takes precedence over the kept one.
pub(super) fn write_params(params: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::part(params, "clientCapabilities", |capabilities| {
        let flag = capabilities.take("terminal");
        edit::restore_from_meta(capabilities)?;
        let kept = capabilities.get("terminal").map(offers_terminals);
        let offered = flag.as_deref() == Some("true");
        if kept != Some(offered) && (kept.is_some() || flag.is_some()) {
            capabilities.set("terminal", terminal(offered));
        }
        Ok(())
    })
}

/// Reads the result and returns the official list of modes, which apply to every session.
pub(super) fn read_result(result: &mut Object<'_>) -> Result<Vec<DeclaredMode>, DecodeError> {
    let mut modes = Vec::new();
    edit::part(result, "agentCapabilities", |capabilities| {
        modes = modes_of(capabilities);
        edit::move_to_meta(capabilities, &["sessionModes"])?;
        edit::part(capabilities, "mcpCapabilities", read_transports)
    })?;
    result.rename("authenticationMethods", "authMethods");
    edit::parts(result, "authMethods", |method| {
        method.rename("methodId", "id");
        method.rename("title", "name");
        Ok(())
    })?;
    Ok(modes)
}

pub(super) fn write_result(result: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::part(result, "agentCapabilities", |capabilities| {
        edit::restore_from_meta(capabilities)?;
        edit::part(capabilities, "mcpCapabilities", write_transports)
    })?;
    result.rename("authMethods", "authenticationMethods");
    edit::parts(result, "authenticationMethods", |method| {
        method.rename("id", "methodId");
        method.rename("name", "title");
        Ok(())
    })
}

/// A mode: its id and its official object.
#[derive(Debug, Clone)]
pub(super) struct DeclaredMode {
    pub(super) id: String,
    pub(super) json: String,
}

fn modes_of(capabilities: &Object<'_>) -> Vec<DeclaredMode> {
    let modes = capabilities.get("sessionModes").unwrap_or("[]");
    let modes: Vec<Raw> = json::from_str(modes).unwrap_or_default();
    let modes = modes.iter().filter_map(|mode| mode_of(mode.as_str()));
    modes.take(MAX_MODES).collect()
}

fn mode_of(mode: &str) -> Option<DeclaredMode> {
    let mut mode = Object::parse(mode).ok()?;
    mode.rename("modeId", "id");
    mode.rename("title", "name");
    let id = edit::string(&mode, "id")?;
    if !mode.has("name") {
        mode.put("name", &id);
    }
    let json = short(Some(json::to_string(&mode)))?;
    Some(DeclaredMode { id, json })
}

fn read_transports(mcp: &mut Object<'_>) -> Result<(), DecodeError> {
    let Some(list) = transports(mcp) else {
        return Ok(());
    };
    edit::move_to_meta(mcp, &["supportedTransports"])?;
    for (name, offered) in REMOTE.into_iter().zip(remote(&list)) {
        mcp.put(name, &offered);
    }
    Ok(())
}

fn write_transports(mcp: &mut Object<'_>) -> Result<(), DecodeError> {
    let flags = REMOTE.map(|name| mcp.take(name));
    let offered = flags.each_ref().map(|flag| flag.as_deref() == Some("true"));
    edit::restore_from_meta(mcp)?;
    let kept = transports(mcp).map(|list| remote(&list));
    let is_said = kept.is_some() || flags.iter().any(Option::is_some);
    if is_said && kept != Some(offered) {
        let names = REMOTE.into_iter().zip(offered);
        let names = names.filter_map(|(name, offered)| offered.then_some(name));
        let list: Vec<String> = ["stdio"]
            .into_iter()
            .chain(names)
            .map(str::to_owned)
            .collect();
        mcp.put("supportedTransports", &list);
    }
    Ok(())
}

/// Which transports with an official flag are in a list.
fn remote(list: &[String]) -> [bool; 2] {
    REMOTE.map(|name| list.iter().any(|transport| transport == name))
}

fn transports(mcp: &Object<'_>) -> Option<Vec<String>> {
    json::from_str(mcp.get("supportedTransports")?).ok()
}

fn disabled_terminal_methods(terminal: &str) -> Vec<&'static str> {
    let flags = Object::parse(terminal).unwrap_or_default();
    let disabled_methods = TERMINAL
        .iter()
        .filter(|(_, flag)| flags.get(flag) != Some("true"));
    disabled_methods.map(|(method, _)| *method).collect()
}

fn offers_terminals(terminal: &str) -> bool {
    Object::parse(terminal).is_ok_and(|flags| flags.get("create") == Some("true"))
}

fn terminal(offered: bool) -> String {
    let mut flags = Object::default();
    for (_, name) in TERMINAL {
        flags.put(name, &offered);
    }
    json::to_string(&flags)
}

const REMOTE: [&str; 2] = ["http", "sse"];

/// The terminal methods, each with its flag.
const TERMINAL: [(&str, &str); 5] = [
    ("terminal/create", "create"),
    ("terminal/output", "output"),
    ("terminal/wait_for_exit", "waitForExit"),
    ("terminal/kill", "kill"),
    ("terminal/release", "release"),
];
