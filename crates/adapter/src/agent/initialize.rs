//! The response to `initialize`, and the client capabilities that the adapter uses.

use std::path::Path;

use attache::json::{Decode, Reader, field};
use attache::schema::Meta;
use attache::{json, v1};
use serde_json::json;

use super::login;
use crate::mapping::DisplaySupport;
use crate::settings::Settings;

pub(super) fn response(
    client: &v1::ClientCapabilities,
    cli: Option<&Path>,
) -> v1::InitializeResponse {
    let sessions = v1::SessionCapabilities::new()
        .list(v1::SessionListCapabilities::new())
        .delete(v1::SessionDeleteCapabilities::new())
        .additional_directories(v1::SessionAdditionalDirectoriesCapabilities::new())
        .fork(v1::SessionForkCapabilities::new())
        .resume(v1::SessionResumeCapabilities::new())
        .close(v1::SessionCloseCapabilities::new())
        .system_prompt(
            v1::SessionSystemPromptCapabilities::new().mode(
                v1::SessionSystemPromptModeCapabilities::new()
                    .overriding(v1::SessionSystemPromptOverrideCapabilities::new()),
            ),
        );
    let prompts = v1::PromptCapabilities::new()
        .image(true)
        .embedded_context(true);
    let servers = v1::McpCapabilities::new().http(true).sse(true);
    let auth = v1::AgentAuthCapabilities::new()
        .status(v1::AuthStatusCapabilities::new())
        .logout(v1::LogoutCapabilities::new());
    let meta = Meta::new()
        .with("claudeCode", json!({ "promptQueueing": true }))
        .with("steering", json!({ "supported": true }));
    let capabilities = v1::AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .mcp_capabilities(servers)
        .session_capabilities(sessions)
        .auth(auth)
        .providers(v1::ProvidersCapabilities::new())
        .meta(meta);
    let ours = v1::Implementation::new("attache-claude", env!("CARGO_PKG_VERSION"));
    v1::InitializeResponse::new(v1::ProtocolVersion::V1)
        .agent_info(ours.title("Claude Code (Attaché)"))
        .agent_capabilities(capabilities)
        .auth_methods(login::auth_methods(client, cli))
}

/// The version of a session's CLI, for `_meta`.
pub(super) fn cli_version(settings: &Settings) -> Meta {
    let version = settings.version.as_str();
    Meta::new().with("claudeCode", json!({ "version": version }))
}

pub(super) fn display_support(client: &v1::ClientCapabilities) -> DisplaySupport {
    let says = client
        .meta
        .as_ref()
        .and_then(|meta| meta.get("terminal_output"));
    let session = client.session.as_ref();
    DisplaySupport {
        terminals: says.is_some_and(|says| says.as_str() == "true"),
        compaction: session.is_some_and(|session| session.compaction.is_some()),
    }
}

/// Params of `_session/steering`.
pub(super) struct SteeringParams {
    pub(super) prompt: Vec<v1::ContentBlock>,
}

impl Decode for SteeringParams {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, json::DecodeError> {
        let mut prompt = None;
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "prompt" => prompt = Some(field::strict(reader, "prompt")?),
                _ => drop(reader.skip()?),
            }
            more = reader.more_members()?;
        }
        let prompt = prompt.ok_or_else(|| field::missing(reader, "prompt"))?;
        Ok(SteeringParams { prompt })
    }
}
