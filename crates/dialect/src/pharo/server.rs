//! MCP servers: distinguished by `transport`, with maps instead of lists, and without a name.

use std::collections::HashMap;

use attache_rpc::json::{DecodeError, Object, ValueKind};

use crate::edit;

/// Reads a server, which gets the name of its program or host.
pub(super) fn read_all(params: &mut Object<'_>) -> Result<(), DecodeError> {
    let mut taken = HashMap::new();
    edit::parts(params, "mcpServers", |server| {
        let name = derived_name(server, &mut taken);
        read(server)?;
        if !server.has("name") {
            server.put("name", &name);
        }
        Ok(())
    })
}

/// Writes a server. Its name is written only if it differs from the derived one.
pub(super) fn write_all(params: &mut Object<'_>) -> Result<(), DecodeError> {
    let mut taken = HashMap::new();
    edit::parts(params, "mcpServers", |server| {
        let name = derived_name(server, &mut taken);
        if edit::string(server, "name").as_deref() == Some(&name) {
            server.take("name");
        }
        write(server)
    })
}

fn read(server: &mut Object<'_>) -> Result<(), DecodeError> {
    let transport = edit::string(server, "transport");
    let list = match transport.as_deref() {
        None => return edit::member(server, "env", edit::map_to_list),
        Some("stdio") => {
            server.take("transport");
            fill(server, "args");
            "env"
        }
        Some(_) => {
            server.rename("transport", "type");
            "headers"
        }
    };
    fill(server, list);
    edit::member(server, list, edit::map_to_list)
}

fn write(server: &mut Object<'_>) -> Result<(), DecodeError> {
    server.rename("type", "transport");
    if !server.has("transport") {
        server.put("transport", "stdio");
    }
    for list in ["env", "headers"] {
        if edit::kind(server, list) == Some(ValueKind::Array) {
            edit::member(server, list, edit::list_to_map)?;
        }
    }
    Ok(())
}

fn fill(server: &mut Object<'_>, list: &'static str) {
    if !server.has(list) {
        server.set(list, "[]");
    }
}

/// The file name of a program or the host of a URL, with a number if it occurs repeatedly.
fn derived_name(server: &Object<'_>, taken: &mut HashMap<String, usize>) -> String {
    let command = edit::string(server, "command");
    let place = command
        .or_else(|| edit::string(server, "url"))
        .unwrap_or_default();
    let name = match place.split_once("://") {
        Some((_, rest)) => host(rest),
        None => place.rsplit(['/', '\\']).next().unwrap_or_default(),
    };
    let name = if name.is_empty() { "server" } else { name };
    let count = taken.entry(name.to_owned()).or_default();
    *count += 1;
    match count {
        1 => name.to_owned(),
        _ => format!("{name}-{count}"),
    }
}

/// The host of a URL without credentials.
fn host(address: &str) -> &str {
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}
