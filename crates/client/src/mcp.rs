//! MCP servers as people write them down, made into what a session is opened with.

mod server;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::path::Path;

use attache::v1;
use serde_json::Value;

/// Reads the servers of a file, or of a JSON text if it begins with a bracket.
///
/// The file is one that other programs use: `.mcp.json` and the like with `mcpServers`, VS Code's with `servers`, Zed's
/// with `context_servers`, or only the servers by their names. Variables of the environment are filled in where it says
/// `${NAME}` or `${NAME:-otherwise}`. A server that is `disabled` is left out.
///
/// # Errors
///
/// When the file cannot be read, or a server in it makes no sense: which, and why.
pub fn read(source: &str) -> Result<Vec<v1::McpServer>, McpConfigError> {
    if source.trim_start().starts_with(['{', '[']) {
        // Who types a program's path means it from where they are.
        return parse("--mcp", source, Path::new("./--mcp"), &environment);
    }
    let text = text(Path::new(source)).map_err(|cause| McpConfigError::Unreadable {
        file: source.to_owned(),
        cause,
    })?;
    parse(source, &text, Path::new(source), &environment)
}

/// Whether an agent can reach all of them.
///
/// # Errors
///
/// Names the first that it cannot.
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
        };
        if !can {
            let name = name.clone();
            return Err(McpConfigError::NotOffered { name, way });
        }
    }
    Ok(())
}

/// Reads one server whose name stands before it; nothing if it is disabled. The error says where and what.
pub(crate) fn named(
    name: &str,
    value: &Value,
    file: &Path,
) -> Result<Option<v1::McpServer>, String> {
    server::named(name, value, name, file, &environment).map_err(sentence)
}

/// Reads one server of a list.
pub(crate) fn listed(
    index: usize,
    value: &Value,
    file: &Path,
) -> Result<Option<v1::McpServer>, String> {
    server::listed(value, &format!("[{index}]"), file, &environment).map_err(sentence)
}

/// Why there are no servers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpConfigError {
    /// The file cannot be read.
    #[error("the MCP servers of `{file}` cannot be read: {cause}")]
    Unreadable {
        /// Which file.
        file: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// It is not JSON.
    #[error("{file} is not JSON: {fault}")]
    NotJson {
        /// Which file.
        file: String,
        /// What is wrong, and where.
        fault: serde_json::Error,
    },
    /// A server makes no sense.
    #[error("{file}: {place}: {fault}")]
    InvalidServer {
        /// Which file.
        file: String,
        /// Where in it.
        place: String,
        /// What is wrong.
        fault: String,
    },
    /// The agent cannot reach it.
    #[error(
        "the agent cannot reach MCP servers over {way}, as `{name}` needs; leave it out, or run it as a command"
    )]
    NotOffered {
        /// Which server.
        name: String,
        /// How it is reached.
        way: &'static str,
    },
}

/// Looks a variable up.
type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads servers; programs are looked for from the folder of `path`.
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

/// What is wrong, behind where it is.
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
