//! Checks the MCP servers of a session, and MCP messages over this connection.

use std::collections::HashSet;

use attache_rpc::json::Object;

use super::{Context, Findings, MessagePath, gate, path, wire};
use crate::v1::{self, McpRequestId, McpServer, McpServerAcpId};

pub(super) fn servers(
    servers: &[McpServer],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    for (index, server) in servers.iter().enumerate() {
        check_server(server, context, &at.item(index), found);
    }
    unused_ids(servers, context, at, found);
}

/// The ids of the servers that are reached over this connection, with their positions.
pub(super) fn ids(servers: &[McpServer]) -> impl Iterator<Item = (usize, &McpServerAcpId)> {
    let numbered = servers.iter().enumerate();
    numbered.filter_map(|(index, server)| match server {
        McpServer::Acp(server) => Some((index, &server.server_id)),
        _ => None,
    })
}

/// Checks an `mcp/message`: a session has named its server.
pub(super) fn call(
    server: &McpServerAcpId,
    request: &McpRequestId,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    wire::id(request.as_str(), &at.member("requestId"), found);
    if !context.mcp_servers.contains_key(server) {
        let message = "no session has named this server; use an id from mcpServers";
        found.add(rule!("B5"), &at.member("serverId"), message);
    }
}

/// Reports a response with both `result` and `error`. Only the text shows them: decoding keeps one.
pub(super) fn response(result: &str, at: &MessagePath<'_>, found: &mut Findings) {
    let is_both = Object::parse(result).is_ok_and(|answer| {
        answer.has("result") && answer.get("error").is_some_and(|error| error != "null")
    });
    if is_both {
        let message = "has both result and error; send one of them";
        found.add(rule!("183"), at, message);
    }
}

fn check_server(server: &McpServer, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    let offered: &v1::McpCapabilities = &context.agent.mcp_capabilities;
    match server {
        McpServer::Stdio(server) => path::absolute(&server.command, &at.member("command"), found),
        McpServer::Http(_) if !offered.http => {
            gate::closed(
                rule!("74"),
                "agentCapabilities.mcpCapabilities.http",
                at,
                found,
            );
        }
        McpServer::Sse(_) if !offered.sse => {
            gate::closed(
                rule!("74"),
                "agentCapabilities.mcpCapabilities.sse",
                at,
                found,
            );
        }
        McpServer::Acp(_) if !offered.acp => {
            gate::closed(
                rule!("33"),
                "agentCapabilities.mcpCapabilities.acp",
                at,
                found,
            );
        }
        McpServer::Http(_) | McpServer::Sse(_) | McpServer::Acp(_) => {}
        McpServer::Other(_) => {
            let message = "the server's type is not defined; use stdio, http, sse or acp";
            found.add(rule!("B3"), &at.member("type"), message);
        }
    }
}

fn unused_ids(
    servers: &[McpServer],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let mut used = HashSet::new();
    for (index, id) in ids(servers) {
        if !used.insert(id) || context.mcp_servers.contains_key(id) {
            let message = "the id is in use on this connection; choose a new one";
            found.add(rule!("182"), &at.item(index).member("serverId"), message);
        }
    }
}
