//! Checks of the messages that an agent sends: requests, notifications and responses.

use attache_rpc::Error;
use attache_rpc::json::{self, from_str};

use super::session_setup::{self, SessionSetup};
use super::{
    Context, Findings, MessagePath, SessionChoices, Violation, config_option, elicitation,
    envelope, gate, initialize, mcp, path, permission, session_catalog, unique, update, wire,
};
use crate::call::{AgentNotification, AgentRequest, ClientRequest};
use crate::error::ErrorCode;
use crate::method::{Direction, Method, MethodKind};
use crate::v1;

/// Checks a request from the agent. `context` is the state before the request.
pub fn check_request(request: &AgentRequest, context: &Context) -> Vec<Violation> {
    let mut found = Findings::default();
    let name = request.method();
    let at = MessagePath::params(name);
    match request {
        AgentRequest::Extension(call) => {
            envelope::extension(&call.method, &mut found);
            return found.into_list();
        }
        // Gated by its mode, which is checked with the params.
        AgentRequest::CreateElicitation(_) => {}
        _ => gate::method(
            name,
            MethodKind::Request,
            Direction::ToClient,
            context,
            &mut found,
        ),
    }
    request_params(request, context, &at, &mut found);
    let mut text = String::new();
    request.encode_params(&mut text);
    wire::check(&text, &at, &mut found);
    found.into_list()
}

/// Checks a notification from the agent. `context` is the state before the notification.
pub fn check_notification(notification: &AgentNotification, context: &Context) -> Vec<Violation> {
    let mut found = Findings::default();
    if let AgentNotification::Extension(call) = notification {
        envelope::extension(&call.method, &mut found);
        return found.into_list();
    }
    let name = notification.method();
    let at = MessagePath::params(name);
    gate::method(
        name,
        MethodKind::Notification,
        Direction::ToClient,
        context,
        &mut found,
    );
    match notification {
        AgentNotification::Session(news) => update::check(news, context, &at, &mut found),
        AgentNotification::CompleteElicitation(done) => {
            elicitation::completed(done, context, &at, &mut found);
        }
        _ => {}
    }
    let mut text = String::new();
    notification.encode_params(&mut text);
    wire::check(&text, &at, &mut found);
    found.into_list()
}

/// Checks the agent's response to a request: the result as JSON, or the error. `context` is the state before the
/// response; it is not used for the response to `initialize`. [`json::to_string`] encodes a typed result.
pub fn check_response(
    request: &ClientRequest,
    outcome: Result<&str, &Error>,
    context: &Context,
) -> Vec<Violation> {
    let mut found = Findings::default();
    initialize::too_early(request, outcome, context, &mut found);
    match outcome {
        Ok(result) => {
            if let Err(fault) = result_of(request, result, context, &mut found) {
                found.unreadable(&MessagePath::result(request.method()), &fault);
            }
        }
        Err(error) => error_response(request, error, &mut found),
    }
    found.into_list()
}

fn request_params(
    request: &AgentRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    match request {
        AgentRequest::RequestPermission(request) => permission::request(request, at, found),
        AgentRequest::ReadTextFile(request) => {
            path::absolute(&request.path, &at.member("path"), found);
            path::line(request.line, &at.member("line"), found);
        }
        AgentRequest::WriteTextFile(request) => {
            path::absolute(&request.path, &at.member("path"), found);
        }
        AgentRequest::CreateTerminal(request) => {
            if let Some(cwd) = &request.cwd {
                path::absolute(cwd, &at.member("cwd"), found);
            }
        }
        AgentRequest::CreateElicitation(request) => {
            elicitation::request(request, context, at, found);
        }
        AgentRequest::MessageMcp(call) => {
            mcp::call(&call.server_id, &call.request_id, context, at, found);
        }
        _ => {}
    }
}

fn result_of(
    request: &ClientRequest,
    result: &str,
    context: &Context,
    found: &mut Findings,
) -> Result<(), json::DecodeError> {
    let at = MessagePath::result(request.method());
    match request {
        ClientRequest::Initialize(request) => {
            initialize::response(request, &from_str(result)?, &at, found);
        }
        ClientRequest::ListSessions(request) => {
            session_catalog::page(request, &from_str(result)?, context, &at, found);
        }
        ClientRequest::SetSessionTitle(request) => {
            session_catalog::stored_title(request, &from_str(result)?, &at, found);
        }
        ClientRequest::SetSessionConfigOption(request) => {
            options_set(request, &from_str(result)?, context, &at, found);
        }
        ClientRequest::Prompt(_) => prompt_response(&from_str(result)?, &at, found),
        ClientRequest::ListProviders(_) => provider_list(&from_str(result)?, &at, found),
        ClientRequest::Extension(_) => return Ok(()),
        _ => Method::check_result(request.method(), Direction::ToAgent, result)?,
    }
    session_result(request, result, context, found)?;
    wire::check(result, &at, found);
    Ok(())
}

/// Checks the result of a request that sets up a session. The results of new and fork have the same members, and so do
/// those of load and resume.
fn session_result(
    request: &ClientRequest,
    result: &str,
    context: &Context,
    found: &mut Findings,
) -> Result<(), json::DecodeError> {
    let Some(setup) = SessionSetup::of(request) else {
        return Ok(());
    };
    let at = MessagePath::result(request.method());
    let offers = match request {
        ClientRequest::NewSession(_) | ClientRequest::ForkSession(_) => {
            let session: v1::NewSessionResponse = from_str(result)?;
            session_setup::unused_id(&session.session_id, context, &at, found);
            SessionChoices {
                modes: session.modes,
                config_options: session.config_options,
            }
        }
        _ => {
            let session: v1::LoadSessionResponse = from_str(result)?;
            SessionChoices {
                modes: session.modes,
                config_options: session.config_options,
            }
        }
    };
    setup.accepted(context, &at, found);
    session_setup::choices(&offers, context, &at, found);
    Ok(())
}

fn options_set(
    request: &v1::SetSessionConfigOptionRequest,
    response: &v1::SetSessionConfigOptionResponse,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let (session, set) = (&request.session_id, &request.config_id);
    let at = at.member("configOptions");
    config_option::list(&response.config_options, context, &at, found);
    config_option::set_response(session, set, &response.config_options, context, &at, found);
}

fn prompt_response(response: &v1::PromptResponse, at: &MessagePath<'_>, found: &mut Findings) {
    if !response.stop_reason.is_known() {
        let message = "the reason is not defined; use end_turn, max_tokens, max_turn_requests, refusal or cancelled";
        found.add(rule!("B3"), &at.member("stopReason"), message);
    }
}

/// A required provider must have a configuration: without one it would be disabled.
fn provider_list(response: &v1::ListProvidersResponse, at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("providers");
    let ids = response
        .providers
        .iter()
        .map(|provider| provider.provider_id.as_str());
    unique::ids(ids, "providerId", &at, found);
    for (index, provider) in response.providers.iter().enumerate() {
        if provider.required && provider.current.is_none() {
            let message = "a required provider is never disabled; show its configuration";
            found.add(rule!("179"), &at.item(index).member("current"), message);
        }
    }
}

/// Checks an error response: some requests must not fail with some codes.
fn error_response(request: &ClientRequest, error: &Error, found: &mut Findings) {
    let at = MessagePath::error(request.method());
    match (request, ErrorCode::of(error)) {
        (ClientRequest::AuthStatus(_), ErrorCode::AuthRequired) => {
            let message = "the status can be asked without a login; answer with the state";
            found.add(rule!("49"), &at.member("code"), message);
        }
        (ClientRequest::DeleteSession(_), ErrorCode::ResourceNotFound) => {
            let message = "there is nothing to delete, which is fine; answer with success";
            found.add(rule!("87"), &at.member("code"), message);
        }
        (ClientRequest::SessionStatus(_), ErrorCode::ResourceNotFound) => {
            let data = error.data.as_ref();
            if data
                .and_then(|data| data.string_member("sessionId"))
                .is_none()
            {
                let message = "the session's id is missing; add it as sessionId";
                found.add(rule!("90"), &at.member("data"), message);
            }
        }
        _ => {}
    }
}
