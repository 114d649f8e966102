//! Reads MCP servers from the configuration formats of editors and turns them into ACP's `McpServer`.

mod server;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::path::Path;

use attache::v1;
use serde_json::Value;

/// Reads the servers of a file, or of a JSON text if `source` starts with a bracket.
///
/// Understands the files of other programs: `.mcp.json` and similar files with `mcpServers`, VS Code's with `servers`,
/// Zed's with `context_servers`, and a plain object of servers by name. Replaces `${NAME}` and `${NAME:-default}` with
/// environment variables. Skips a server that is `disabled`.
///
/// # Errors
///
/// When the file cannot be read, or a server in it is invalid. The error says which one and why.
pub fn read(source: &str) -> Result<Vec<v1::McpServer>, McpConfigError> {
    if source.trim_start().starts_with(['{', '[']) {
        // A relative path on the command line starts at the current directory.
        return parse("--mcp", source, Path::new("./--mcp"), &environment);
    }
    let text = text(Path::new(source)).map_err(|cause| McpConfigError::Unreadable {
        file: source.to_owned(),
        cause,
    })?;
    parse(source, &text, Path::new(source), &environment)
}

/// Checks that an agent can connect to all of these servers.
///
/// # Errors
///
/// When it cannot; the error names the first such server.
pub fn check(
    servers: &[v1::McpServer],
    offered: &v1::McpCapabilities,
) -> Result<(), McpConfigError> {
    for server in servers {
        let (name, way, can) = match server {
            v1::McpServer::Http(server) => (&server.name, "HTTP", offered.http),
            v1::McpServer::Sse(server) => (&server.name, "server-sent events", offered.sse),
            v1::McpServer::Acp(server) => (&server.name, "this connection", offered.acp),
            v1::McpServer::Stdio(_) | v1::McpServer::Other(_) => continue,
            // Like `Other`: the agent knows whether it can connect to it.
            _ => continue,
        };
        if !can {
            let name = name.clone();
            return Err(McpConfigError::NotOffered { name, way });
        }
    }
    Ok(())
}

/// Reads a server from an object of servers by name; `None` if the server is disabled. The error contains the position
/// and the problem.
pub(crate) fn named(
    name: &str,
    value: &Value,
    file: &Path,
) -> Result<Option<v1::McpServer>, String> {
    server::named(name, value, name, file, &environment).map_err(sentence)
}

/// Reads a server from a list of servers.
pub(crate) fn listed(
    index: usize,
    value: &Value,
    file: &Path,
) -> Result<Option<v1::McpServer>, String> {
    server::listed(value, &format!("[{index}]"), file, &environment).map_err(sentence)
}

/// Why MCP servers cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpConfigError {
    /// The file cannot be read.
    #[error("the MCP servers of `{file}` cannot be read: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{file} is not JSON: {fault}")]
    NotJson {
        /// The file.
        file: String,
        /// The error and its position.
        fault: serde_json::Error,
    },
    /// A server's definition is invalid.
    #[error("{file}: {place}: {fault}")]
    InvalidServer {
        /// The file.
        file: String,
        /// The position in the file, such as `mcpServers.git.args`.
        place: String,
        /// Description of the problem.
        fault: String,
    },
    /// The agent does not support the server's transport.
    #[error(
        "the agent cannot reach MCP servers over {way}, as `{name}` needs; leave it out, or run it as a command"
    )]
    NotOffered {
        /// The server's name.
        name: String,
        /// The server's transport.
        way: &'static str,
    },
}

/// Looks up an environment variable.
type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads servers. Relative paths of programs start at the directory of `path`.
fn parse(
    file: &str,
    text: &str,
    path: &Path,
    lookup: VariableLookup<'_>,
) -> Result<Vec<v1::McpServer>, McpConfigError> {
    let value: Value = serde_json::from_str(text).map_err(|fault| McpConfigError::NotJson {
        file: file.to_owned(),
        fault,
    })?;
    let servers = match &value {
        Value::Array(list) => {
            let servers = list.iter().enumerate();
            let read = |(at, it)| server::listed(it, &format!("[{at}]"), path, lookup);
            servers.map(read).collect::<Result<Vec<_>, _>>()
        }
        _ => by_name(&value, path, lookup),
    };
    let servers = servers.map_err(|(place, fault)| McpConfigError::InvalidServer {
        file: file.to_owned(),
        place,
        fault,
    })?;
    Ok(servers.into_iter().flatten().collect())
}

/// The position of an error in the file, and its description.
type ServerFault = (String, String);

fn sentence((place, fault): ServerFault) -> String {
    format!("{place}: {fault}")
}

fn by_name(
    value: &Value,
    path: &Path,
    lookup: VariableLookup<'_>,
) -> Result<Vec<Option<v1::McpServer>>, ServerFault> {
    let found = KEYS.iter().find_map(|key| Some((*key, value.get(key)?)));
    let (place, servers) = found.unwrap_or(("", value));
    let Value::Object(servers) = servers else {
        let fault = "expected an object of servers by their names";
        return Err((place.to_owned(), fault.to_owned()));
    };
    let servers = servers.iter().map(|(name, it)| {
        let place = match place {
            "" => name.clone(),
            place => format!("{place}.{name}"),
        };
        server::named(name, it, &place, path, lookup)
    });
    servers.collect()
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?
        .take(LONGEST)
        .read_to_string(&mut text)?;
    Ok(text)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

const KEYS: [&str; 3] = ["mcpServers", "servers", "context_servers"];
const LONGEST: u64 = 4 << 20;
