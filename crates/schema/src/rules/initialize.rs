//! Checks `initialize` and login: program names, capabilities that require each other, authentication methods.

use attache_rpc::Error;

use super::{Context, Findings, Initialization, MessagePath, gate};
use crate::call::ClientRequest;
use crate::v1::{self, AuthMethod};

pub(super) fn request(request: &v1::InitializeRequest, at: &MessagePath<'_>, found: &mut Findings) {
    if request.client_info.is_none() {
        let message = "is missing; send the client's name and version";
        found.add(rule!("26"), &at.member("clientInfo"), message);
    }
}

/// Reports a session that is set up before `initialize`.
pub(super) fn session_before(at: &MessagePath<'_>, context: &Context, found: &mut Findings) {
    if context.initialization == Initialization::NotStarted {
        let message = "the connection is not initialized; call initialize first";
        found.add(rule!("24"), at, message);
    }
}

/// Reports a response to a request that came before `initialize`, unless it is the error -32600.
pub(super) fn too_early(
    request: &ClientRequest,
    outcome: Result<&str, &Error>,
    context: &Context,
    found: &mut Findings,
) {
    let can_be_first = matches!(
        request,
        ClientRequest::Initialize(_) | ClientRequest::Extension(_)
    );
    let is_refused = outcome.is_err_and(|error| error.code == Error::INVALID_REQUEST);
    if context.initialization == Initialization::NotStarted && !can_be_first && !is_refused {
        let at = match outcome {
            Ok(_) => MessagePath::result(request.method()),
            Err(_) => MessagePath::error(request.method()),
        };
        let message = "the request came before initialize; answer with an error (-32600)";
        found.add(rule!("14a"), &at, message);
    }
}

pub(super) fn response(
    request: &v1::InitializeRequest,
    response: &v1::InitializeResponse,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if response.agent_info.is_none() {
        let message = "is missing; send the agent's name and version";
        found.add(rule!("28"), &at.member("agentInfo"), message);
    }
    capabilities(
        &response.agent_capabilities,
        &at.member("agentCapabilities"),
        found,
    );
    let at = at.member("authMethods");
    for (index, method) in response.auth_methods.iter().enumerate() {
        if matches!(method, AuthMethod::Terminal(_)) && !request.client_capabilities.auth.terminal {
            let capability = "clientCapabilities.auth.terminal";
            gate::closed(rule!("40"), capability, &at.item(index), found);
        }
    }
}

/// Checks `authenticate`: the agent offers the method, and the method is not a terminal login.
pub(super) fn login(
    request: &v1::AuthenticateRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let at = at.member("methodId");
    let mut offered = context.auth_methods.iter();
    match offered.find(|method| is_named(method, request.method_id.as_str())) {
        None => {
            let message = "the agent did not offer this method; use one of authMethods";
            found.add(rule!("B5"), &at, message);
        }
        Some(AuthMethod::Terminal(_)) => {
            let message = "the method is a terminal login; run the agent's command instead";
            found.add(rule!("41"), &at, message);
        }
        Some(AuthMethod::Agent(_) | AuthMethod::Other(_)) => {}
    }
}

fn capabilities(offered: &v1::AgentCapabilities, at: &MessagePath<'_>, found: &mut Findings) {
    let session = &offered.session_capabilities;
    if session.archive.is_some() && session.list.is_none() {
        let at = at.member("sessionCapabilities");
        let message = "requires list; advertise both or neither";
        found.add(rule!("88"), &at.member("archive"), message);
    }
}

/// Whether a method has this id. A method of an unknown type counts as the agent's own.
fn is_named(method: &AuthMethod, id: &str) -> bool {
    match method {
        AuthMethod::Terminal(method) => method.id.as_str() == id,
        AuthMethod::Agent(method) => method.id.as_str() == id,
        AuthMethod::Other(method) => method.string_member("id").is_some_and(|other| other == id),
    }
}
