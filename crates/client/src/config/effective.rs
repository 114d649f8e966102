//! The configuration for display: each value under its key, without secrets.

use attache::v1;
use serde_json::{Value, json};

use super::error::SourceLocation;
use super::layer::KEYS;
use super::{ConfigError, Configuration, ConfiguredAgent, similar_names};
use crate::agents::Agent;

/// A value that applies.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigValue {
    /// The key, such as `default_agent` or `agent_servers.mine`.
    pub key: String,
    /// The value. Contains only the names of environment variables and headers.
    pub value: Value,
    /// The value's location.
    pub place: SourceLocation,
    /// What part of the value applies, if not all of it does.
    pub note: Option<&'static str>,
}

impl ConfigValue {
    /// The value on one line, with what of it applies.
    pub fn line(&self) -> String {
        match self.note {
            Some(note) => format!("{} ({note})", self.value_line()),
            None => self.value_line(),
        }
    }

    /// The value on one line: a string unchanged, a command as in a shell, anything else as JSON.
    fn value_line(&self) -> String {
        let Some(command) = self.value.get("command").and_then(Value::as_str) else {
            return plain(&self.value);
        };
        let args = self.value.get("args").and_then(Value::as_array);
        let args: Vec<String> = args.into_iter().flatten().map(plain).collect();
        let line = Agent::of_command(command, &args).command_line();
        match self.value.get("env") {
            Some(env) => format!("{line} (sets {env})"),
            None => line,
        }
    }
}

impl Configuration {
    /// All values that apply.
    pub fn rows(&self) -> Vec<ConfigValue> {
        let mut rows = Vec::new();
        let mut add = |key: String, value: Value, place: &SourceLocation| {
            // The first value of a key applies.
            if rows.iter().all(|row: &ConfigValue| row.key != key) {
                let place = place.clone();
                let note = None;
                rows.push(ConfigValue {
                    key,
                    value,
                    place,
                    note,
                });
            }
        };
        if let Some(agent) = &self.default_agent {
            add("default_agent".to_owned(), json!(agent.value), &agent.place);
        }
        for agent in &self.agents {
            let key = format!("agent_servers.{}", agent.value.name);
            add(key, custom(&agent.value), &agent.place);
        }
        if let Some(from) = &self.agents_from {
            let names: Vec<_> = from.value.iter().map(|editor| editor.name()).collect();
            add("agents_from".to_owned(), json!(names), &from.place);
        }
        for server in &self.mcp_servers {
            let (name, value) = mcp_server(&server.value);
            add(format!("mcp_servers.{name}"), value, &server.place);
        }
        if let Some(permissions) = &self.permissions {
            let preset = json!(permissions.value.name());
            let key = match self.expiry {
                Some(_) => "permissions.preset",
                None => "permissions",
            };
            add(key.to_owned(), preset, &permissions.place);
        }
        if let Some(expiry) = &self.expiry {
            let term = json!(expiry.value.to_string());
            add("permissions.expiry".to_owned(), term, &expiry.place);
        }
        if let Some(pass) = &self.pass {
            let names: Vec<String> = pass.value.iter().map(ToString::to_string).collect();
            add("environment.pass".to_owned(), json!(names), &pass.place);
        }
        if let Some(policy) = &self.policy {
            let path = json!(policy.value.to_string_lossy());
            add("policy".to_owned(), path, &policy.place);
        }
        if let Some(sandbox) = &self.sandbox {
            for (key, value) in sandbox.value.values() {
                add(key.to_owned(), value, &sandbox.place);
            }
        }
        // Both policies apply.
        if let Some(policy) = &self.project_policy {
            rows.push(ConfigValue {
                key: "policy".to_owned(),
                value: json!(policy.value.to_string_lossy()),
                place: policy.place.clone(),
                note: Some("deny and ask rules"),
            });
        }
        // So do the rules of projects whose file does not count.
        rows.extend(self.kept.iter().map(|kept| ConfigValue {
            key: "policy".to_owned(),
            value: json!(kept.path.to_string_lossy()),
            place: SourceLocation {
                path: kept.project.clone(),
                line: 0,
                column: 0,
            },
            note: Some("deny and ask rules, as you trusted them"),
        }));
        rows
    }

    /// The value of a key, or of all keys below it; `None` if it is not set.
    ///
    /// # Errors
    ///
    /// When the key does not exist.
    pub fn get(&self, key: &str) -> Result<Option<Value>, ConfigError> {
        let first = key.split('.').next().unwrap_or(key);
        if !KEYS.contains(&first) {
            let nearest = similar_names(first, KEYS.iter().copied());
            return Err(ConfigError::NoSuchKey {
                key: key.to_owned(),
                nearest: nearest.first().map(|name| (*name).to_owned()),
            });
        }
        let rows = self.rows();
        let below = format!("{key}.");
        let inner = rows
            .iter()
            .filter_map(|row| Some((row.key.strip_prefix(&below)?, &row.value)));
        let inner: serde_json::Map<String, Value> = inner
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        if !inner.is_empty() {
            return Ok(Some(Value::Object(inner)));
        }
        let own = rows
            .iter()
            .find_map(|row| match key.strip_prefix(&row.key)? {
                "" => Some(row.value.clone()),
                rest => row.value.get(rest.strip_prefix('.')?).cloned(),
            });
        Ok(own)
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn custom(agent: &ConfiguredAgent) -> Value {
    let env: Vec<&str> = agent.env.iter().map(|(name, _)| name.as_str()).collect();
    let mut value = json!({ "command": agent.command.to_string_lossy(), "args": agent.args });
    if !env.is_empty() {
        value["env"] = json!(env);
    }
    value
}

fn mcp_server(server: &v1::McpServer) -> (&str, Value) {
    match server {
        v1::McpServer::Stdio(server) => {
            let env: Vec<&str> = server.env.iter().map(|it| it.name.as_str()).collect();
            let mut value = json!({ "command": server.command.as_str(), "args": server.args });
            if !env.is_empty() {
                value["env"] = json!(env);
            }
            (&server.name, value)
        }
        v1::McpServer::Http(server) => (&server.name, json!({ "type": "http", "url": server.url })),
        v1::McpServer::Sse(server) => (&server.name, json!({ "type": "sse", "url": server.url })),
        v1::McpServer::Acp(server) => (&server.name, json!({ "type": "acp" })),
        _ => ("unknown", Value::Null),
    }
}
