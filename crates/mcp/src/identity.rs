//! The identities of servers and tools, to which lasting permissions are bound. If a server changes any part of one, the
//! user is asked again.

use std::collections::BTreeMap;
use std::fmt;

use attache::v1;
use attache_host::FieldHasher;
use rmcp::model::{self, ServerPeerInfo};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A digest of everything that an identity consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// The identity of a server: its configuration, and the name and version that it declares.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerIdentity {
    configured: Fingerprint,
    declared: Fingerprint,
}

/// The identity of a tool: its server, its name and its complete definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolIdentity {
    server: ServerIdentity,
    name: String,
    /// Digests of the parts of the definition.
    parts: BTreeMap<DefinitionPart, Fingerprint>,
}

/// A part of a tool's definition that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DefinitionPart {
    /// The server's configuration.
    Configuration,
    /// The name or version that the server declares.
    Declaration,
    /// The tool's title.
    Title,
    /// The tool's description.
    Description,
    /// The input schema.
    InputSchema,
    /// The output schema.
    OutputSchema,
    /// The annotations about the tool's effects.
    Annotations,
    /// The whole definition as sent, including unknown members.
    Definition,
}

/// A tool as it was when the user decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSnapshot(BTreeMap<DefinitionPart, String>);

impl ServerIdentity {
    /// The identity of a server before its handshake. Only the names of variables and headers count, because their values
    /// are secrets that may be renewed.
    pub(super) fn configured(server: &v1::McpServer) -> ServerIdentity {
        let mut form = FieldHasher::new("attache agent mcp server configuration");
        form.text(super::name_of(server));
        form.text(super::transport_of(server));
        match server {
            v1::McpServer::Stdio(server) => {
                form.text(&server.command.as_path().to_string_lossy());
                form.texts(server.args.iter().map(String::as_str));
                form.texts(server.env.iter().map(|variable| variable.name.as_str()));
            }
            v1::McpServer::Http(server) => {
                form.text(&server.url);
                form.texts(server.headers.iter().map(|header| header.name.as_str()));
            }
            v1::McpServer::Sse(server) => {
                form.text(&server.url);
                form.texts(server.headers.iter().map(|header| header.name.as_str()));
            }
            v1::McpServer::Acp(server) => form.text(server.server_id.as_str()),
            _ => {}
        }
        ServerIdentity {
            configured: Fingerprint(form.end()),
            declared: declared(None),
        }
    }

    /// The identity of the server with what it declared in the handshake.
    pub(super) fn declaring(&self, info: Option<&ServerPeerInfo>) -> ServerIdentity {
        ServerIdentity {
            configured: self.configured,
            declared: declared(info),
        }
    }

    /// The fingerprint for permission to read a resource of this server.
    pub fn resource(&self, uri: &str) -> Fingerprint {
        let mut form = FieldHasher::new("attache agent mcp resource");
        form.digest(&self.configured.0);
        form.digest(&self.declared.0);
        form.text(uri);
        Fingerprint(form.end())
    }

    /// The fingerprint for a rejection to read a resource, independent of what the server declares.
    pub fn refused_resource(&self, uri: &str) -> Fingerprint {
        let mut form = FieldHasher::new("attache agent mcp resource refused");
        form.digest(&self.configured.0);
        form.text(uri);
        Fingerprint(form.end())
    }
}

impl ToolIdentity {
    /// The identity of a tool as listed, computed before anything is cut. `others` are later tools of the same name: the
    /// server decides which of them a call means.
    pub(super) fn of(
        server: &ServerIdentity,
        tool: &model::Tool,
        others: &[&model::Tool],
    ) -> ToolIdentity {
        let value = |part: &str, value: Option<Value>| {
            let mut form = FieldHasher::new(&format!("attache agent {part}"));
            form.optional_value(value.as_ref());
            Fingerprint(form.end())
        };
        let text = |part: &str, text: Option<&str>| value(part, text.map(Value::from));
        let schema = |schema: &model::JsonObject| Value::Object(schema.clone());
        let annotations = tool.annotations.as_ref();
        let annotations = annotations.and_then(|all| serde_json::to_value(all).ok());
        let output = tool.output_schema.as_deref().map(schema);
        let definition = |tool: &model::Tool| tool.meta.as_ref()?.get(DEFINITION).cloned();
        let definition = match others {
            [] => definition(tool),
            others => {
                let all = std::iter::once(&tool).chain(others);
                Some(
                    all.map(|tool| definition(tool).unwrap_or_default())
                        .collect(),
                )
            }
        };
        let parts = [
            (DefinitionPart::Configuration, server.configured),
            (DefinitionPart::Declaration, server.declared),
            (DefinitionPart::Title, text("title", tool.title.as_deref())),
            (
                DefinitionPart::Description,
                text("description", tool.description.as_deref()),
            ),
            (
                DefinitionPart::InputSchema,
                value("input schema", Some(schema(&tool.input_schema))),
            ),
            (DefinitionPart::OutputSchema, value("output schema", output)),
            (
                DefinitionPart::Annotations,
                value("annotations", annotations),
            ),
            (DefinitionPart::Definition, value("definition", definition)),
        ];
        ToolIdentity {
            server: server.clone(),
            name: tool.name.clone().into_owned(),
            parts: parts.into(),
        }
    }

    /// The fingerprint for permission to call the tool: the server, the tool's name and every part of its definition.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut form = FieldHasher::new("attache agent mcp tool");
        form.text(&self.name);
        for (part, fingerprint) in &self.parts {
            form.text(part.name());
            form.digest(&fingerprint.0);
        }
        Fingerprint(form.end())
    }

    /// The fingerprint for a rejection: the server's configuration and the tool's name, so that a server can't evade a
    /// rejection by changing the definition.
    pub fn refusal(&self) -> Fingerprint {
        let mut form = FieldHasher::new("attache agent mcp tool refused");
        form.digest(&self.server.configured.0);
        form.text(&self.name);
        Fingerprint(form.end())
    }

    /// A snapshot to compare later definitions with.
    pub fn seen(&self) -> ToolSnapshot {
        let parts = self.parts.iter();
        ToolSnapshot(parts.map(|(part, it)| (*part, it.to_string())).collect())
    }
}

impl ToolSnapshot {
    /// The parts that differ from the snapshot.
    pub fn changed(&self, now: &ToolIdentity) -> Vec<DefinitionPart> {
        let is_other = |(part, now): &(&DefinitionPart, &Fingerprint)| {
            self.0
                .get(part)
                .is_none_or(|before| *before != now.to_string())
        };
        let changed = now.parts.iter().filter(is_other);
        let mut changed: Vec<DefinitionPart> = changed.map(|(part, _)| *part).collect();
        // The whole definition is named only if no other part changed.
        if changed.len() > 1 {
            changed.retain(|part| *part != DefinitionPart::Definition);
        }
        changed
    }
}

impl DefinitionPart {
    /// The name of the part for the user.
    pub fn name(self) -> &'static str {
        match self {
            DefinitionPart::Configuration => "the server's configuration",
            DefinitionPart::Declaration => "the server's declared name or version",
            DefinitionPart::Title => "the title",
            DefinitionPart::Description => "the description",
            DefinitionPart::InputSchema => "the input schema",
            DefinitionPart::OutputSchema => "the output schema",
            DefinitionPart::Annotations => "the annotations",
            DefinitionPart::Definition => "another part of the definition",
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// Adds the digest of a tool's whole definition, as sent, to the definition.
pub(super) fn mark_definition(tool: &mut Value) {
    let mut form = FieldHasher::new("attache agent mcp definition");
    form.value(tool);
    let digest = Fingerprint(form.end()).to_string();
    let Value::Object(members) = tool else {
        return;
    };
    let meta = members.entry("_meta").or_insert(Value::Null);
    if meta.is_null() {
        *meta = Value::Object(model::JsonObject::new());
    }
    if let Value::Object(meta) = meta {
        meta.insert(DEFINITION.to_owned(), digest.into());
    }
}

fn declared(info: Option<&ServerPeerInfo>) -> Fingerprint {
    let mut form = FieldHasher::new("attache agent mcp server declaration");
    if let Some(program) = info.and_then(|info| info.server_info.as_ref()) {
        form.text(&program.name);
        form.text(&program.version);
        form.text(program.title.as_deref().unwrap_or_default());
    }
    Fingerprint(form.end())
}

/// The member in which the reader of messages stores the digest of a definition, for the list of tools.
const DEFINITION: &str = "attache/definition";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The symptom: a server added a second tool of the same name, and nobody was asked again.
    #[test]
    fn a_second_tool_of_the_same_name_changes_the_identity() {
        let server = v1::McpServer::Stdio(v1::McpServerStdio::new(
            "s",
            "/bin/s",
            Vec::<String>::new(),
            Vec::<v1::EnvVariable>::new(),
        ));
        let server = ServerIdentity::configured(&server);
        let tool = |description: &str| -> model::Tool {
            let mut tool =
                json!({"name": "t", "description": description, "inputSchema": {"type": "object"}});
            mark_definition(&mut tool);
            serde_json::from_value(tool).unwrap()
        };
        let (first, second, third) = (tool("a"), tool("b"), tool("c"));
        let alone = ToolIdentity::of(&server, &first, &[]);
        let with_second = ToolIdentity::of(&server, &first, &[&second]);
        let with_third = ToolIdentity::of(&server, &first, &[&third]);
        assert_eq!(
            alone.seen().changed(&with_second),
            [DefinitionPart::Definition]
        );
        assert_eq!(
            with_second.seen().changed(&with_third),
            [DefinitionPart::Definition]
        );
        assert_eq!(
            alone.refusal().to_string(),
            with_second.refusal().to_string()
        );
    }
}
