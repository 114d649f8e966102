//! MCP servers: the draft puts everything but the name into a `transport` object, with maps for lists of pairs.

use attache_rpc::json::{self, DecodeError, Object, Reader, ValueKind};

use super::{draft_meta, shape};
use crate::edit;

/// Reads the servers of a draft call. A missing list becomes an empty one; a list that was empty is restored.
pub(super) fn read_list(params: &mut Object<'_>) -> Result<(), DecodeError> {
    if params.get("mcpServers").is_some_and(shape::is_empty_list) {
        draft_meta::put(params, "mcpServers", "[]")?;
    }
    shape::fill(params, "mcpServers", "[]");
    edit::parts(params, "mcpServers", read)
}

/// Writes the servers for a draft call.
pub(super) fn write_list(params: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::parts(params, "mcpServers", write)?;
    if params.get("mcpServers").is_some_and(shape::is_empty_list) {
        params.take("mcpServers");
    }
    Ok(())
}

/// Reads one server of the draft. Keeps members of its transport that have no official form.
pub(super) fn read(server: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(server, "transport") != Some(ValueKind::Object) {
        return Ok(());
    }
    let text = server.get("transport").unwrap_or("{}").to_owned();
    let mut transport = Object::parse(&text)?;
    let kind = edit::string(&transport, "type").unwrap_or_default();
    match &*kind {
        "stdio" => {
            lift(&mut transport, server, "command");
            lift_list(&mut transport, server, "args", as_is)?;
            lift_list(&mut transport, server, "env", edit::map_to_list)?;
        }
        "http" | "sse" => {
            server.put("type", &kind);
            lift(&mut transport, server, "url");
            lift_list(&mut transport, server, "headers", edit::map_to_list)?;
        }
        "acp" => {
            server.put("type", &kind);
            lift(&mut transport, server, "mcpServerName");
            server.rename("mcpServerName", "serverId");
        }
        _ => return Ok(()),
    }
    server.take("transport");
    transport.take("type");
    if transport.is_empty() {
        return Ok(());
    }
    draft_meta::put(server, "transport", &json::to_string(&transport))
}

/// Writes one server for the draft.
pub(super) fn write(server: &mut Object<'_>) -> Result<(), DecodeError> {
    if server.has("transport") {
        return Ok(());
    }
    let kept = draft_meta::take(server)?;
    let kind = edit::string(server, "type").unwrap_or_else(|| "stdio".to_owned());
    server.take("type");
    let mut transport = Object::default();
    transport.put("type", &kind);
    match &*kind {
        "http" | "sse" => {
            lift(server, &mut transport, "url");
            lower_list(server, &mut transport, "headers", list_to_map)?;
        }
        "acp" => {
            lift(server, &mut transport, "serverId");
            transport.rename("serverId", "mcpServerName");
        }
        _ => {
            lift(server, &mut transport, "command");
            lower_list(server, &mut transport, "args", as_is)?;
            lower_list(server, &mut transport, "env", list_to_map)?;
        }
    }
    if let Some(rest) = kept.get("transport") {
        shape::fill_from(&mut transport, &rest);
    }
    server.put("transport", &transport);
    Ok(())
}

type Convert = fn(&str) -> Result<String, DecodeError>;

fn lift(from: &mut Object<'_>, to: &mut Object<'_>, name: &'static str) {
    if let Some(json) = from.take(name) {
        to.set(name, json.into_owned());
    }
}

/// Adds the required official lists. An empty draft list also stays in the transport and is kept with it.
fn lift_list(
    transport: &mut Object<'_>,
    server: &mut Object<'_>,
    name: &'static str,
    convert: Convert,
) -> Result<(), DecodeError> {
    let text = transport.get(name).unwrap_or("[]");
    let list = convert(text).map_err(|error| error.within(name).within("transport"))?;
    if !shape::is_empty_list(&list) {
        transport.take(name);
    }
    server.set(name, list);
    Ok(())
}

fn lower_list(
    server: &mut Object<'_>,
    transport: &mut Object<'_>,
    name: &'static str,
    convert: Convert,
) -> Result<(), DecodeError> {
    let Some(list) = server.take(name) else {
        return Ok(());
    };
    if !shape::is_empty_list(&list) {
        let list = convert(&list).map_err(|error| error.within(name))?;
        transport.set(name, list);
    }
    Ok(())
}

fn as_is(text: &str) -> Result<String, DecodeError> {
    Ok(text.to_owned())
}

fn list_to_map(text: &str) -> Result<String, DecodeError> {
    match Reader::new(text).kind()? {
        ValueKind::Array => edit::list_to_map(text),
        _ => as_is(text),
    }
}
