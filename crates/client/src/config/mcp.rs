//! The MCP servers of a configuration. One that makes no sense, or whose program is not there, is left out and told.

use attache::v1;

use super::ConfigSetting;
use super::document::Node;
use super::error::{ConfigError, ConfigWarning};
use super::layer::setting;
use crate::mcp;

pub(super) fn read(
    node: &Node<'_>,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<ConfigSetting<v1::McpServer>>, ConfigError> {
    let file = node.document().path();
    let mut servers = Vec::new();
    let mut take = |entry: &Node<'_>, read: Result<Option<v1::McpServer>, String>| match read {
        Ok(Some(server)) => servers.push(setting(entry, server)),
        Ok(None) => {}
        Err(fault) => warnings.push(ConfigWarning {
            place: Some(entry.place()),
            what: format!("the MCP server is left out: {fault}"),
        }),
    };
    if node.is_list() {
        for (index, entry) in node.items()?.iter().enumerate() {
            take(entry, mcp::listed(index, &entry.json(), file));
        }
    } else {
        for (name, entry) in node.members()? {
            take(&entry, mcp::named(name, &entry.json(), file));
        }
    }
    Ok(servers)
}
