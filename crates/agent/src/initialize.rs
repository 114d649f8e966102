//! `initialize`, `authenticate` and `auth/status`: the agent's capabilities and the ways to log in.

use attache::schema::error;
use attache::{Error, v1};
use attache_model::Catalog;

/// The response to `initialize`.
pub(crate) fn initialize_response(models: &Catalog) -> v1::InitializeResponse {
    let who = v1::Implementation::new("attache", env!("CARGO_PKG_VERSION")).title("Attaché");
    v1::InitializeResponse::new(v1::ProtocolVersion::V1)
        .agent_capabilities(capabilities(models))
        .auth_methods(auth_methods(models))
        .agent_info(who)
}

/// `authenticate`: keys come from the environment or `providers/set`, so this only checks whether there is one now.
pub(crate) fn authenticate(
    models: &Catalog,
    method: &v1::AuthMethodId,
) -> Result<v1::AuthenticateResponse, Error> {
    if !auth_methods(models)
        .iter()
        .any(|known| is_named(known, method))
    {
        return Err(error::unusable_params("unknown authentication method"));
    }
    match models.open(&models.default_model()) {
        Ok(_) => Ok(v1::AuthenticateResponse::new()),
        Err(fault) => Err(crate::failure::Failure::from(fault).into()),
    }
}

/// `auth/status`: whether the default model has the key it needs. Sends nothing to its provider.
pub(crate) fn auth_status(models: &Catalog) -> v1::AuthStatusResponse {
    let has_key = |id: &str| {
        let providers = models.providers().into_iter();
        let mut with_key = providers.filter(|provider| provider.has_key);
        with_key.any(|provider| {
            id.split_once('/')
                .is_some_and(|(prefix, _)| prefix == provider.id)
        })
    };
    v1::AuthStatusResponse::new(match models.open(&models.default_model()) {
        Ok(model) if has_key(&model.info().id) => v1::AuthState::Authenticated,
        Ok(_) => v1::AuthState::NotRequired,
        Err(attache_model::Error::Key { .. }) => v1::AuthState::Unauthenticated,
        Err(_) => v1::AuthState::Unknown,
    })
}

fn capabilities(models: &Catalog) -> v1::AgentCapabilities {
    let default = models.default_model();
    let info = models.infos().into_iter().find(|info| info.id == default);
    let prompt = v1::PromptCapabilities::new()
        .image(info.as_ref().is_some_and(|info| info.images))
        .audio(info.as_ref().is_some_and(|info| info.audio))
        .embedded_context(true);
    let mcp = v1::McpCapabilities::new().http(true).sse(true).acp(true);
    let overriding = v1::SessionSystemPromptModeCapabilities::new()
        .overriding(v1::SessionSystemPromptOverrideCapabilities::new());
    let sessions = v1::SessionCapabilities::new()
        .list(v1::SessionListCapabilities::new())
        .delete(v1::SessionDeleteCapabilities::new())
        .additional_directories(v1::SessionAdditionalDirectoriesCapabilities::new())
        .system_prompt(v1::SessionSystemPromptCapabilities::new().mode(overriding))
        .fork(v1::SessionForkCapabilities::new())
        .archive(v1::SessionArchiveCapabilities::new())
        .status(v1::SessionStatusCapabilities::new())
        .title(v1::SessionTitleCapabilities::new())
        .resume(v1::SessionResumeCapabilities::new())
        .close(v1::SessionCloseCapabilities::new());
    let auth = v1::AgentAuthCapabilities::new().status(v1::AuthStatusCapabilities::new());
    v1::AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompt)
        .mcp_capabilities(mcp)
        .session_capabilities(sessions)
        .auth(auth)
        .providers(v1::ProvidersCapabilities::new())
}

/// An authentication method for each provider without a key. Keys are read from the environment when the agent starts.
fn auth_methods(models: &Catalog) -> Vec<v1::AuthMethod> {
    let unset = models
        .providers()
        .into_iter()
        .filter(|provider| provider.current.is_none());
    let method = |id: &str, name: &str, variable: &str| {
        let description = format!(
            "Set {variable} and start the agent again, or set the provider with `providers/set`"
        );
        v1::AuthMethodAgent::new(format!("{id}-key"), name)
            .description(description)
            .into()
    };
    unset
        .filter_map(|provider| match provider.id.as_str() {
            "anthropic" => Some(method(
                "anthropic",
                "Anthropic API key",
                "ANTHROPIC_API_KEY",
            )),
            "openai" => Some(method("openai", "OpenAI API key", "OPENAI_API_KEY")),
            _ => None,
        })
        .collect()
}

fn is_named(method: &v1::AuthMethod, id: &v1::AuthMethodId) -> bool {
    match method {
        v1::AuthMethod::Agent(method) => method.id == *id,
        _ => false,
    }
}
