//! `initialize`: the draft has other names and types of capabilities, and the same member name on both sides.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::memory::Memory;
use super::{draft_meta, shape};
use crate::edit;
use crate::memory::{MAX_MODES, short};

/// Reads a draft client's parameters.
pub(super) fn read_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.rename("capabilities", "clientCapabilities");
    edit::part(params, "clientCapabilities", read_client)
}

/// Writes the parameters for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    edit::part(params, "clientCapabilities", write_client)?;
    params.rename("clientCapabilities", "capabilities");
    shape::fill(params, "capabilities", "{}");
    shape::fill(params, "clientInfo", NO_INFO);
    edit::restore_from_meta(params)
}

/// Reads a draft agent's result.
pub(super) fn read_result(
    result: &mut Object<'_>,
    memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    result.rename("capabilities", "agentCapabilities");
    edit::part(result, "agentCapabilities", |capabilities| {
        read_agent(capabilities, memory)
    })?;
    edit::move_to_meta(result, &["requiredClientCapabilities"])
}

/// Writes the result for a draft client.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    shape::fill(result, "agentCapabilities", "{}");
    edit::part(result, "agentCapabilities", write_agent)?;
    result.rename("agentCapabilities", "capabilities");
    shape::fill(result, "agentInfo", NO_INFO);
    edit::restore_from_meta(result)
}

/// Reads the capabilities of a draft client.
pub(super) fn read_client(capabilities: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::part(capabilities, "fs", |fs| {
        fs.rename("read", "readTextFile");
        fs.rename("write", "writeTextFile");
        edit::move_to_meta(fs, &["watch"])
    })?;
    if edit::kind(capabilities, "terminal") == Some(ValueKind::Object) {
        let terminal = capabilities.get("terminal").unwrap_or("{}").to_owned();
        capabilities.put("terminal", &creates(&terminal));
        draft_meta::put(capabilities, "terminal", &terminal)?;
    }
    edit::move_to_meta(capabilities, &["ui", "_custom"])
}

fn write_client(capabilities: &mut Object<'_>) -> Result<(), DecodeError> {
    let kept = draft_meta::take(capabilities)?;
    edit::part(capabilities, "fs", |fs| {
        fs.rename("readTextFile", "read");
        fs.rename("writeTextFile", "write");
        edit::restore_from_meta(fs)
    })?;
    if capabilities.has("terminal") {
        let create = shape::is_true(capabilities, "terminal");
        let terminal = kept
            .get("terminal")
            .filter(|terminal| creates(terminal) == create)
            .unwrap_or_else(|| format!("{{\"create\":{create}}}"));
        capabilities.set("terminal", terminal);
    }
    kept.put_back(capabilities);
    Ok(())
}

fn creates(terminal: &str) -> bool {
    Object::parse(terminal).is_ok_and(|terminal| shape::is_true(&terminal, "create"))
}

/// Reads the capabilities of a draft agent.
pub(super) fn read_agent(
    capabilities: &mut Object<'_>,
    memory: &mut Memory,
) -> Result<(), DecodeError> {
    edit::part(capabilities, "mcpCapabilities", |mcp| {
        for (transport, offered) in ["http", "sse"].into_iter().zip(transports(mcp)) {
            mcp.put(transport, &offered);
        }
        draft_meta::mark(mcp)?;
        edit::move_to_meta(mcp, &["servers", "transport"])
    })?;
    edit::part(capabilities, "promptCapabilities", |prompt| {
        draft_meta::mark(prompt)?;
        edit::move_to_meta(prompt, &["streaming", "cancellation", "attachments"])
    })?;
    edit::part(capabilities, "sessionCapabilities", |session| {
        memory.modes = modes(session);
        draft_meta::mark(session)?;
        edit::move_to_meta(session, &["modes", "configOptions", "persistence"])
    })?;
    draft_meta::mark(capabilities)?;
    edit::move_to_meta(capabilities, &["_custom"])
}

/// Capabilities that every official agent has without advertising them: streaming, cancellation and stdio servers. A
/// draft client expects them.
fn write_agent(capabilities: &mut Object<'_>) -> Result<(), DecodeError> {
    let kept = draft_meta::take(capabilities)?;
    if !kept.is_draft() {
        for name in [
            "mcpCapabilities",
            "promptCapabilities",
            "sessionCapabilities",
        ] {
            shape::fill(capabilities, name, "{}");
        }
    }
    let persistence = shape::is_true(capabilities, "loadSession");
    edit::part(capabilities, "mcpCapabilities", write_mcp)?;
    edit::part(capabilities, "promptCapabilities", |prompt| {
        let kept = draft_meta::take(prompt)?;
        if !kept.is_draft() {
            shape::fill(prompt, "streaming", "true");
            shape::fill(prompt, "cancellation", "true");
        }
        kept.put_back(prompt);
        Ok(())
    })?;
    edit::part(capabilities, "sessionCapabilities", |session| {
        let kept = draft_meta::take(session)?;
        if !kept.is_draft() {
            shape::fill(session, "persistence", json::to_string(&persistence));
        }
        kept.put_back(session);
        Ok(())
    })?;
    kept.put_back(capabilities);
    Ok(())
}

fn write_mcp(mcp: &mut Object<'_>) -> Result<(), DecodeError> {
    let kept = draft_meta::take(mcp)?;
    let offered = ["http", "sse"].map(|name| shape::is_true(mcp, name));
    mcp.take("http");
    mcp.take("sse");
    let mut original = Object::default();
    kept.put_back(&mut original);
    if kept.is_draft() && transports(&original) == offered {
        kept.put_back(mcp);
        return Ok(());
    }
    let [http, sse] = offered;
    let names = [("stdio", true), ("http", http), ("sse", sse)];
    let names = names.into_iter().filter(|(_, offered)| *offered);
    mcp.put("servers", &true);
    mcp.put(
        "transport",
        &names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>(),
    );
    Ok(())
}

/// Whether MCP servers over HTTP and SSE are supported.
fn transports(mcp: &Object<'_>) -> [bool; 2] {
    let servers = mcp.get("servers") != Some("false");
    let transport: Vec<Raw> = shape::value(mcp, "transport").unwrap_or_default();
    ["\"http\"", "\"sse\""]
        .map(|name| servers && transport.iter().any(|offered| offered.as_str() == name))
}

fn modes(session: &Object<'_>) -> Vec<String> {
    let modes: Vec<Raw> = shape::value(session, "modes").unwrap_or_default();
    let modes = modes.iter().filter_map(|mode| short(mode.read().ok()));
    modes.take(MAX_MODES).collect()
}

const NO_INFO: &str = r#"{"name":"unknown","version":"unknown"}"#;
