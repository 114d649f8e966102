//! MCP over ACP: `_mcp/request` in the draft, `mcp/message` in the protocol.

use attache_rpc::Error;
use attache_rpc::json::{self, Object};

use super::memory::Memory;

/// The draft's name of the method.
pub(super) const DRAFT: &str = "_mcp/request";
/// The official name of the method.
pub(super) const OFFICIAL: &str = "mcp/message";

/// Reads the draft's parameters. Adds the MCP request id that the official request needs.
pub(super) fn read_params(
    params: &mut Object<'_>,
    memory: &mut Memory,
) -> Result<(), json::DecodeError> {
    params.rename("serverName", "serverId");
    params.rename("mcpMethod", "method");
    params.rename("mcpParams", "params");
    if !params.has("requestId") {
        params.put("requestId", &memory.new_id("mcp"));
    }
    Ok(())
}

/// Writes the parameters for the draft.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), json::DecodeError> {
    params.rename("serverId", "serverName");
    params.rename("method", "mcpMethod");
    params.rename("params", "mcpParams");
    params.take("requestId");
    Ok(())
}

/// Reads the draft's result, which is the server's own result.
pub(super) fn read_result(result: &str) -> String {
    let mut answer = Object::default();
    answer.set("result", result);
    json::to_string(&answer)
}

/// Writes the result for the draft. An error of the server becomes an error response.
pub(super) fn write_result(result: &str) -> Result<String, Error> {
    let Ok(answer) = Object::parse(result) else {
        return Ok(result.to_owned());
    };
    if let Some(inner) = answer.get("result") {
        return Ok(inner.to_owned());
    }
    match answer.get("error").map(json::from_str::<Error>) {
        Some(Ok(error)) => Err(error),
        _ => Ok(result.to_owned()),
    }
}
