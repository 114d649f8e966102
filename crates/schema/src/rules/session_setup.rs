//! Setting a session up: new, load, resume and fork have the same parameters, and their answers the same offers.

mod system_prompt;

use super::{Context, Findings, MessagePath, SessionChoices, config_option, gate, mcp, mode, path};
use crate::call::ClientRequest;
use crate::{FilePath, v1};

/// What the four requests have in common.
pub(super) struct SessionSetup<'a> {
    pub(super) cwd: &'a FilePath,
    pub(super) roots: &'a [FilePath],
    pub(super) servers: &'a [v1::McpServer],
    pub(super) system_prompt: Option<&'a v1::SystemPrompt>,
}

impl<'a> SessionSetup<'a> {
    /// The setup in a request, if it is one of the four.
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
            system_prompt::check(prompt, context, &at.member("systemPrompt"), found);
        }
    }

    /// An agent must not accept what it cannot use.
    pub(super) fn accepted(&self, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
        if self.roots.iter().any(|root| !root.is_absolute()) {
            let message = "a root of the request is not absolute; answer with an error (-32602)";
            found.add(rule!("67"), at, message);
        }
        if let Some(prompt) = self.system_prompt {
            system_prompt::accepted(prompt, context, at, found);
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

/// What an answer offers.
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

/// A session's id is its own.
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
