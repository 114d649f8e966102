//! Setting up a session: new, load, resume and fork have the same parameters, and their results the same members.

use super::{Context, Findings, MessagePath, SessionChoices, config_option, gate, mcp, mode, path};
use crate::call::ClientRequest;
use crate::{FilePath, v1};

/// The parameters that the four requests have in common.
pub(super) struct SessionSetup<'a> {
    pub(super) cwd: &'a FilePath,
    pub(super) roots: &'a [FilePath],
    pub(super) servers: &'a [v1::McpServer],
    pub(super) system_prompt: Option<&'a v1::SystemPrompt>,
}

impl<'a> SessionSetup<'a> {
    /// The parameters of a request, if it sets up a session.
    pub(super) fn of(request: &'a ClientRequest) -> Option<Self> {
        match request {
            ClientRequest::NewSession(request) => Some(request.into()),
            ClientRequest::LoadSession(request) => Some(request.into()),
            ClientRequest::ResumeSession(request) => Some(request.into()),
            ClientRequest::ForkSession(request) => Some(request.into()),
            _ => None,
        }
    }

    pub(super) fn check(&self, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
        path::absolute_by(rule!("68"), self.cwd, &at.member("cwd"), found);
        roots(
            self.roots,
            context,
            &at.member("additionalDirectories"),
            found,
        );
        mcp::servers(self.servers, context, &at.member("mcpServers"), found);
        if let Some(prompt) = self.system_prompt {
            check_system_prompt(prompt, context, &at.member("systemPrompt"), found);
        }
    }

    /// Reports parameters that the agent has accepted but must reject.
    pub(super) fn accepted(&self, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
        if self.roots.iter().any(|root| !root.is_absolute()) {
            let message = "a root of the request is not absolute; answer with an error (-32602)";
            found.add(rule!("67"), at, message);
        }
        if let Some(prompt) = self.system_prompt {
            accepted_system_prompt(prompt, context, at, found);
        }
    }
}

macro_rules! setups {
    ($($Request:ident)*) => {$(
        impl<'a> From<&'a v1::$Request> for SessionSetup<'a> {
            fn from(request: &'a v1::$Request) -> Self {
                SessionSetup {
                    cwd: &request.cwd,
                    roots: &request.additional_directories,
                    servers: &request.mcp_servers,
                    system_prompt: request.system_prompt.as_ref(),
                }
            }
        }
    )*};
}

setups! { NewSessionRequest LoadSessionRequest ResumeSessionRequest ForkSessionRequest }

/// Checks the modes and config options in a result.
pub(super) fn choices(
    offers: &SessionChoices,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if let Some(modes) = &offers.modes {
        mode::state(modes, &at.member("modes"), found);
    }
    if let Some(options) = &offers.config_options {
        config_option::list(options, context, &at.member("configOptions"), found);
    }
    mode::matches_option(offers, at, found);
}

/// Reports an id that another session has.
pub(super) fn unused_id(
    session: &v1::SessionId,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if context.sessions.contains_key(session) {
        let message = "another session has this id; make a new one";
        found.add(rule!("52"), &at.member("sessionId"), message);
    }
}

fn roots(roots: &[FilePath], context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    let offered = &context.agent.session_capabilities.additional_directories;
    if !roots.is_empty() && offered.is_none() {
        let capability = "agentCapabilities.sessionCapabilities.additionalDirectories";
        gate::closed(rule!("63"), capability, at, found);
    }
    for (index, root) in roots.iter().enumerate() {
        path::absolute_by(rule!("64"), root, &at.item(index), found);
    }
}

fn check_system_prompt(
    prompt: &v1::SystemPrompt,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if let Some((member, message)) = system_prompt_fault(prompt, context) {
        let inner = member.map(|name| at.member(name));
        found.add(rule!("76"), inner.as_ref().unwrap_or(at), message);
    }
}

/// Reports an unusable system prompt that the agent has accepted. An agent without the capability ignores system
/// prompts.
fn accepted_system_prompt(
    prompt: &v1::SystemPrompt,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let is_offered = context.agent.session_capabilities.system_prompt.is_some();
    if is_offered && system_prompt_fault(prompt, context).is_some() {
        let message = "the request's system prompt cannot be used; answer with an error";
        found.add(rule!("77"), at, message);
    }
}

type SystemPromptFault = (Option<&'static str>, &'static str);

fn system_prompt_fault(prompt: &v1::SystemPrompt, context: &Context) -> Option<SystemPromptFault> {
    let Some(offered) = &context.agent.session_capabilities.system_prompt else {
        let message = "needs agentCapabilities.sessionCapabilities.systemPrompt, which was not advertised; \
            do not send it";
        return Some((None, message));
    };
    let overriding = offered
        .mode
        .as_ref()
        .and_then(|mode| mode.overriding.as_ref());
    match prompt.mode {
        v1::SystemPromptMode::Override if overriding.is_none() => Some((
            Some("mode"),
            "the agent's own prompt cannot be replaced; use append",
        )),
        v1::SystemPromptMode::Other(_) => Some((
            Some("mode"),
            "the mode is not defined; use append or override",
        )),
        _ => content_fault(&prompt.content).map(|message| (Some("content"), message)),
    }
}

fn content_fault(content: &[v1::ContentBlock]) -> Option<&'static str> {
    let mut is_empty = true;
    for block in content {
        match block {
            v1::ContentBlock::Text(text) => is_empty &= text.text.is_empty(),
            _ => return Some("has a block that is not text; send text blocks only"),
        }
    }
    is_empty.then_some("the system prompt has no text; omit it")
}
