//! Detection of the dialect that a peer speaks from its first messages, and names of dialects for configurations.

use std::fmt;
use std::str::FromStr;

use attache_rpc::json::{self, Object, Raw, ValueKind};

use super::{Dialect, edit};

/// Detection. `None` means that the message does not show the dialect.
impl Dialect {
    /// Detects the dialect of a client from the parameters of `initialize`.
    ///
    /// A client of the Pharo shape without terminals looks like an official one.
    pub fn of_client(initialize_params: &str) -> Option<Dialect> {
        let params = Object::parse(initialize_params).ok()?;
        let capabilities = part(&params, "clientCapabilities");
        if is_draft(&params, capabilities.is_some()) {
            return Some(Dialect::Draft);
        }
        let capabilities = capabilities?;
        match edit::kind(&capabilities, "terminal") {
            Some(ValueKind::Object) => Some(Dialect::Pharo),
            Some(ValueKind::Boolean) => Some(Dialect::Official),
            _ => has_any(&capabilities, &CLIENT_MEMBERS).then_some(Dialect::Official),
        }
    }

    /// Detects the dialect of an agent from its result of `initialize`.
    ///
    /// The bridge to the Claude CLI differs only in its updates, so it is not detected.
    pub fn of_agent(initialize_result: &str) -> Option<Dialect> {
        let result = Object::parse(initialize_result).ok()?;
        let capabilities = part(&result, "agentCapabilities");
        if is_draft(&result, capabilities.is_some()) {
            return Some(Dialect::Draft);
        }
        let capabilities = capabilities.unwrap_or_default();
        let mcp = part(&capabilities, "mcpCapabilities").unwrap_or_default();
        if result.has("authMethods")
            || has_any(&capabilities, &AGENT_MEMBERS)
            || has_any(&mcp, &["http", "sse"])
        {
            return Some(Dialect::Official);
        }
        let is_pharo = result.has("authenticationMethods")
            || capabilities.has("sessionModes")
            || mcp.has("supportedTransports");
        is_pharo.then_some(Dialect::Pharo)
    }

    /// Detects the dialect of a client from the parameters of its first `session/new`, if `initialize` did not show it.
    pub fn of_session(new_session_params: &str) -> Option<Dialect> {
        let params = Object::parse(new_session_params).ok()?;
        if params.has("workingDirectory") && !params.has("cwd") {
            return Some(Dialect::Draft);
        }
        let servers: Vec<Raw> = json::from_str(params.get("mcpServers")?).ok()?;
        servers.iter().find_map(|server| {
            let server = Object::parse(server.as_str()).ok()?;
            match edit::kind(&server, "transport") {
                Some(ValueKind::String) => Some(Dialect::Pharo),
                Some(ValueKind::Object) => Some(Dialect::Draft),
                _ => server.has("name").then_some(Dialect::Official),
            }
        })
    }
}

/// Names for configurations.
impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 4] = [
        Dialect::Official,
        Dialect::Bridge,
        Dialect::Draft,
        Dialect::Pharo,
    ];

    /// The names of all dialects, in the order of [`ALL`](Self::ALL).
    pub const NAMES: [&str; 4] = ["official", "bridge", "draft", "pharo"];

    /// Name of the dialect.
    pub fn name(self) -> &'static str {
        Dialect::NAMES[self as usize]
    }
}

/// The name of an unknown dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name);
        known.ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Dialect::NAMES.join(", ");
        write!(f, "unknown dialect {:?}, expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownDialect {}

/// Version 2 of the protocol has `capabilities` too.
fn is_draft(message: &Object<'_>, has_official: bool) -> bool {
    message.get("protocolVersion") == Some("1") && message.has("capabilities") && !has_official
}

fn part<'a>(object: &'a Object<'_>, name: &str) -> Option<Object<'a>> {
    Object::parse(object.get(name)?).ok()
}

fn has_any(object: &Object<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| object.has(name))
}

const CLIENT_MEMBERS: [&str; 3] = ["session", "auth", "elicitation"];
const AGENT_MEMBERS: [&str; 2] = ["sessionCapabilities", "auth"];
