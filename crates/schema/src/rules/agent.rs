//! What an agent sends: its requests, its notifications, its answers.

use attache_rpc::Error;
use attache_rpc::json::{self, from_str};

use super::session_setup::{self, SessionSetup};
use super::{
    Context, Findings, MessagePath, SessionChoices, Violation, config_option, elicitation,
    envelope, failure, gate, initialize, mcp, path, permission, prompt, provider, session_catalog,
    update, wire,
};
use crate::call::{AgentNotification, AgentRequest, ClientRequest};
use crate::method::{Direction, Method, MethodKind};
use crate::v1;

/// What is wrong with an agent's request. The context is that of before.
pub fn check_request(request: &AgentRequest, context: &Context) -> Vec<Violation> {
    let mut found = Findings::default();
    let name = request.method();
    let at = MessagePath::params(name);
    match request {
        AgentRequest::Extension(call) => {
            envelope::extension(&call.method, &mut found);
            return found.into_list();
        }
        // The mode says more than the method, and is checked with the question.
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

/// What is wrong with an agent's notification. The context is that of before.
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

/// What is wrong with an agent's answer to a client's request: its result as JSON, or its error. The context is that
/// of before; for the answer to `initialize` it does not count. A typed result is made JSON by
/// [`json::to_string`].
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
        Err(error) => failure::of_agent(request, error, &mut found),
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
        ClientRequest::Prompt(_) => prompt::response(&from_str(result)?, &at, found),
        ClientRequest::ListProviders(_) => provider::list(&from_str(result)?, &at, found),
        ClientRequest::Extension(_) => return Ok(()),
        _ => Method::check_result(request.method(), Direction::ToAgent, result)?,
    }
    session_result(request, result, context, found)?;
    wire::check(result, &at, found);
    Ok(())
}

/// The answer to one of the four requests that set a session up. Those to new and fork have the same members, and so
/// have those to load and resume.
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
