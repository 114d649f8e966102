//! Checks of the messages that a client sends: requests, notifications and responses.

use attache_rpc::Error;
use attache_rpc::json::{self, from_str};

use super::session_setup::SessionSetup;
use super::{
    Context, Findings, MessagePath, Violation, config_option, content, elicitation, envelope, gate,
    initialize, mcp, mode, permission, session_catalog, subagent, wire,
};
use crate::call::{AgentRequest, ClientNotification, ClientRequest};
use crate::method::{Direction, Method, MethodKind};

/// Checks a request from the client. `context` is the state before the request.
pub fn check_request(request: &ClientRequest, context: &Context) -> Vec<Violation> {
    let mut found = Findings::default();
    if let ClientRequest::Extension(call) = request {
        envelope::extension(&call.method, &mut found);
        return found.into_list();
    }
    let at = MessagePath::params(request.method());
    gate::method(
        request.method(),
        MethodKind::Request,
        Direction::ToAgent,
        context,
        &mut found,
    );
    request_params(request, context, &at, &mut found);
    let mut text = String::new();
    request.encode_params(&mut text);
    wire::check(&text, &at, &mut found);
    found.into_list()
}

/// Checks a notification from the client.
pub fn check_notification(notification: &ClientNotification, context: &Context) -> Vec<Violation> {
    let mut found = Findings::default();
    let name = notification.method();
    let at = MessagePath::params(name);
    match notification {
        ClientNotification::Extension(call) => {
            envelope::extension(&call.method, &mut found);
            return found.into_list();
        }
        ClientNotification::Cancel(cancel) => {
            subagent::cancelled(&cancel.session_id, context, &at, &mut found);
        }
        ClientNotification::MessageMcp(call) => {
            mcp::call(&call.server_id, &call.request_id, context, &at, &mut found);
        }
    }
    gate::method(
        name,
        MethodKind::Notification,
        Direction::ToAgent,
        context,
        &mut found,
    );
    let mut text = String::new();
    notification.encode_params(&mut text);
    wire::check(&text, &at, &mut found);
    found.into_list()
}

/// Checks the client's response to a request: the result as JSON, or the error. [`json::to_string`] encodes a typed
/// result.
pub fn check_response(
    request: &AgentRequest,
    outcome: Result<&str, &Error>,
    context: &Context,
) -> Vec<Violation> {
    let mut found = Findings::default();
    let at = MessagePath::result(request.method());
    if let Ok(result) = outcome
        && let Err(fault) = result_of(request, result, context, &mut found)
    {
        found.unreadable(&at, &fault);
    }
    found.into_list()
}

fn request_params(
    request: &ClientRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if let Some(setup) = SessionSetup::of(request) {
        initialize::session_before(at, context, found);
        setup.check(context, at, found);
    }
    match request {
        ClientRequest::Initialize(request) => initialize::request(request, at, found),
        ClientRequest::Authenticate(request) => initialize::login(request, context, at, found),
        ClientRequest::ListSessions(request) => session_catalog::list(request, context, at, found),
        ClientRequest::SetSessionTitle(request) => session_catalog::set_title(request, at, found),
        ClientRequest::SetSessionMode(request) => {
            mode::set(request, context, at, found);
            subagent::changed(&request.session_id, context, at, found);
        }
        ClientRequest::SetSessionConfigOption(request) => {
            config_option::set(request, context, at, found);
            subagent::changed(&request.session_id, context, at, found);
        }
        ClientRequest::Prompt(request) => {
            content::prompt(&request.prompt, context, &at.member("prompt"), found);
            subagent::changed(&request.session_id, context, at, found);
        }
        _ => {}
    }
}

fn result_of(
    request: &AgentRequest,
    result: &str,
    context: &Context,
    found: &mut Findings,
) -> Result<(), json::DecodeError> {
    let name = request.method();
    let at = MessagePath::result(name);
    match request {
        AgentRequest::RequestPermission(request) => {
            permission::response(request, &from_str(result)?, &at, found);
        }
        AgentRequest::CreateElicitation(request) => {
            elicitation::response(request, &from_str(result)?, context, &at, found);
            // The values of a form are the user's input: no member of them is an id.
            return Ok(());
        }
        AgentRequest::MessageMcp(_) => mcp::response(result, &at, found),
        AgentRequest::Extension(_) => return Ok(()),
        _ => {}
    }
    Method::check_result(name, Direction::ToClient, result)?;
    wire::check(result, &at, found);
    Ok(())
}
