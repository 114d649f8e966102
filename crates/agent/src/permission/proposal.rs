//! A proposed tool call: its effect, and what lasting answers to it would cover.

use std::path::Path;

use attache::json::Raw;
use attache::v1;
use attache_host::permissions::Action;
use attache_mcp as mcp;
use attache_text::plain;
use serde_json::{Map, json};

use super::SessionPermissions;
use super::mcp_text;
use crate::tools::{CallSubject, Effect, PreparedTool};

/// A tool call that the model proposes.
#[derive(Debug)]
pub(crate) struct Proposal {
    effect: Effect,
    action: Action,
    /// What "always allow" covers; `None` if permission is for one use only.
    allow: Option<Coverage>,
    /// What "always reject" covers.
    reject: Coverage,
    tool: Option<mcp::Tool>,
    call: v1::ToolCallUpdate,
}

/// What a lasting answer covers.
#[derive(Debug)]
pub(crate) struct Coverage {
    action: Action,
    words: String,
}

impl Coverage {
    /// The action under which the answer is remembered.
    pub(crate) fn action(&self) -> &Action {
        &self.action
    }

    /// Describes what is covered; completes "Always allow …".
    pub(crate) fn words(&self) -> &str {
        &self.words
    }
}

impl Proposal {
    /// A call of a tool of ours.
    pub(crate) async fn builtin(
        session: &SessionPermissions,
        cwd: &Path,
        call: v1::ToolCallUpdate,
        prepared: &PreparedTool,
    ) -> Proposal {
        let subject = prepared.subject();
        let mut call = call
            .name(subject.tool)
            .title(prepared.title())
            .kind(subject.kind.clone())
            .raw_input(subject.input.clone());
        let locations = prepared.locations();
        if !locations.is_empty() {
            call = call.locations(locations);
        }
        let content = prepared.content();
        if !content.is_empty() {
            call = call.content(content);
        }
        let action = session.action(call.clone()).await;
        let (allow, reject) = coverage(&action, subject, cwd);
        Proposal {
            effect: subject.effect,
            allow: allow.filter(|_| !action.is_asked_each_time()),
            reject,
            action,
            tool: None,
            call,
        }
    }

    /// A call of a tool of an MCP server. Permission is bound to the tool as its server defines it now.
    pub(crate) async fn mcp_tool(
        session: &SessionPermissions,
        call: v1::ToolCallUpdate,
        tool: &mcp::Tool,
        input: &Raw,
    ) -> Proposal {
        let changed = session.changed(tool);
        let call = call
            .name(tool.full_name.as_str())
            .title(mcp_text::tool_title(tool))
            .kind(v1::ToolKind::Other)
            .raw_input(input.clone())
            .content(mcp_text::tool_content(tool, input, &changed));
        let action = session.action(call.clone()).await;
        let bound =
            |identity: mcp::Fingerprint| action.clone().with_tool_identity(&identity.to_string());
        let name = mcp_text::quoted_name(&tool.name);
        let server = mcp_text::quoted_name(&tool.server);
        let allow = Coverage {
            action: bound(tool.identity.fingerprint()).of_class(MCP_TOOL),
            words: format!("{name} of the MCP server {server}, with any arguments, as it is now,"),
        };
        // Binds what the client remembers to the definition too.
        let identity = json!({ "toolIdentity": tool.identity.fingerprint().to_string() });
        let mut call = call;
        call.meta = Some(
            [("attache".to_owned(), identity)]
                .into_iter()
                .collect::<Map<_, _>>()
                .into(),
        );
        let reject = Coverage {
            action: refused(&bound(tool.identity.refusal()), MCP_TOOL),
            words: format!("{name} of the MCP server {server}, with any arguments,"),
        };
        Proposal {
            effect: Effect::McpCall,
            action: bound(tool.identity.fingerprint()),
            allow: Some(allow).filter(|_| !action.is_asked_each_time()),
            reject,
            tool: Some(tool.clone()),
            call,
        }
    }

    /// Reading a resource of an MCP server.
    pub(crate) async fn mcp_resource(
        session: &SessionPermissions,
        call: v1::ToolCallUpdate,
        resource: &mcp::Resource,
    ) -> Proposal {
        let input = Raw::from(json!({ "server": resource.server, "uri": resource.uri }));
        let call = call
            .name(mcp_text::RESOURCE_TOOL)
            .title(mcp_text::resource_title(resource))
            .kind(v1::ToolKind::Other)
            .raw_input(input)
            .content(mcp_text::resource_content(resource));
        let action = session.action(call.clone()).await;
        let bound =
            |identity: mcp::Fingerprint| action.clone().with_tool_identity(&identity.to_string());
        let uri = mcp_text::quoted_name(&resource.uri);
        let server = mcp_text::quoted_name(&resource.server);
        let words = format!("reading {uri} of the MCP server {server}");
        let identity = &resource.identity;
        Proposal {
            effect: Effect::McpRead,
            action: bound(identity.resource(&resource.uri)),
            allow: Some(Coverage {
                action: bound(identity.resource(&resource.uri)).of_class(MCP_RESOURCE),
                words: words.clone(),
            }),
            reject: Coverage {
                action: refused(
                    &bound(identity.refused_resource(&resource.uri)),
                    MCP_RESOURCE,
                ),
                words,
            },
            tool: None,
            call,
        }
    }

    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn action(&self) -> &Action {
        &self.action
    }

    pub(crate) fn allow(&self) -> Option<&Coverage> {
        self.allow.as_ref()
    }

    pub(crate) fn reject(&self) -> &Coverage {
        &self.reject
    }

    /// The MCP tool that it calls.
    pub(crate) fn tool(&self) -> Option<&mcp::Tool> {
        self.tool.as_ref()
    }

    /// The call as the user is shown it.
    pub(crate) fn call(&self) -> v1::ToolCallUpdate {
        self.call.clone()
    }
}

/// What lasting answers to a built-in call cover: changes of one sort below the working directory, one file elsewhere,
/// exactly one command in its directory, or the pages of one host.
fn coverage(action: &Action, subject: &CallSubject, cwd: &Path) -> (Option<Coverage>, Coverage) {
    let one = |words: String| Coverage {
        action: action.clone(),
        words,
    };
    match subject.effect {
        Effect::Execute => {
            let words = "exactly this command in this directory";
            (Some(one(words.to_owned())), one(words.to_owned()))
        }
        Effect::Fetch => {
            let host = subject.host.as_deref().unwrap_or_default();
            let class = format!("fetch pages of {host}");
            let covered = |action: Action| Coverage {
                action,
                words: format!("fetching pages of {}", mcp_text::quoted_name(host)),
            };
            let allow = covered(action.of_class(&class));
            (Some(allow), covered(refused(action, &class)))
        }
        Effect::Change | Effect::Read | Effect::McpRead | Effect::McpCall => {
            let (doing, class) = match subject.kind {
                v1::ToolKind::Delete => ("deleting", "delete files"),
                v1::ToolKind::Move => ("moving", "move files"),
                _ => ("writing and editing", "change files"),
            };
            let shown = |path: &Path| plain::visible(&path.display().to_string()).into_owned();
            let paths: Vec<String> = action.paths.iter().map(|path| shown(path)).collect();
            let reject = one(format!("{doing} {}", paths.join(" and ")));
            let is_below =
                !action.paths.is_empty() && action.paths.iter().all(|path| path.starts_with(cwd));
            let allow = match is_below {
                true => Coverage {
                    action: action.of_class(&format!("{class} below {}", cwd.display())),
                    words: format!("{doing} files below {}, except protected ones,", shown(cwd)),
                },
                false => one(format!("{doing} {}", paths.join(" and "))),
            };
            (Some(allow), reject)
        }
    }
}

/// The class of a rejection. It differs from that of a permission, because it covers the tool rather than the files of
/// one call.
fn refused(action: &Action, class: &str) -> Action {
    Action {
        command: None,
        paths: Vec::new(),
        ..action.of_class(&format!("refused: {class}"))
    }
}

const MCP_TOOL: &str = "call a tool of an MCP server";
const MCP_RESOURCE: &str = "read a resource of an MCP server";
