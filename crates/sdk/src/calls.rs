//! Decoding of incoming calls, and error responses to invalid ones.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use attache_rpc::{Call, Error, Id, SendOptions, SessionKey};
use attache_schema::call::{AgentNotification, AgentRequest, ClientNotification, ClientRequest};
use attache_schema::method::{Direction, Method, MethodKind, Requirement};
use attache_schema::{error, v1};
use attache_transport::{Inbox, IncomingCall};

use crate::connection::{Connection, session_key};
use crate::{AgentCall, ClientCall, diagnostics};

pub(crate) fn poll_for_agent(
    connection: &Arc<Connection>,
    inbox: &mut Inbox,
    cx: &mut Context<'_>,
) -> Poll<Option<AgentCall>> {
    loop {
        let Some(incoming) = ready!(inbox.poll_next(cx)) else {
            return Poll::Ready(None);
        };
        match incoming {
            IncomingCall::Request(id, call) => match agent_request(connection, &call) {
                Ok(request) => {
                    diagnostics::received(&connection.link, &id, &call);
                    let session = session_of(&call);
                    match AgentCall::from_request(connection, id, session, request) {
                        Ok(request) => return Poll::Ready(Some(request)),
                        Err((id, error)) => refuse(connection, &id, &call, &error),
                    }
                }
                Err(error) => refuse(connection, &id, &call, &error),
            },
            // The protocol requires that an invalid notification is ignored.
            IncomingCall::Notification(call) => {
                let decoded = ClientNotification::decode(call.method(), call.params());
                match decoded.and_then(AgentCall::from_notification) {
                    Ok(notification) => return Poll::Ready(Some(notification)),
                    Err(error) => {
                        diagnostics::ignored_notification(&connection.link, &call, &error);
                        connection.ignore(call.method(), error);
                    }
                }
            }
        }
    }
}

pub(crate) fn poll_for_client(
    connection: &Arc<Connection>,
    inbox: &mut Inbox,
    cx: &mut Context<'_>,
) -> Poll<Option<ClientCall>> {
    loop {
        let Some(incoming) = ready!(inbox.poll_next(cx)) else {
            return Poll::Ready(None);
        };
        match incoming {
            IncomingCall::Request(id, call) => match client_request(connection, &call) {
                Ok(request) => {
                    diagnostics::received(&connection.link, &id, &call);
                    let session = session_of(&call);
                    let request = ClientCall::from_request(connection, id, session, request);
                    // Sent before the agent received the cancellation, so the user need not decide.
                    match request {
                        Ok(ClientCall::RequestPermission(_, reply))
                            if connection.turns.are_cancelled(session) =>
                        {
                            let outcome = v1::RequestPermissionOutcome::Cancelled;
                            reply.ok(v1::RequestPermissionResponse::new(outcome));
                        }
                        Ok(request) => return Poll::Ready(Some(request)),
                        Err((id, error)) => refuse(connection, &id, &call, &error),
                    }
                }
                Err(error) => refuse(connection, &id, &call, &error),
            },
            IncomingCall::Notification(call) => {
                let decoded = AgentNotification::decode(call.method(), call.params());
                match decoded.and_then(ClientCall::from_notification) {
                    Ok(notification) => return Poll::Ready(Some(notification)),
                    Err(error) => {
                        diagnostics::ignored_notification(&connection.link, &call, &error);
                        connection.ignore(call.method(), error);
                    }
                }
            }
        }
    }
}

fn agent_request(connection: &Connection, call: &Call) -> Result<ClientRequest, Error> {
    let request = ClientRequest::decode(call.method(), call.params())?;
    let mut handshake = connection.handshake();
    match &request {
        ClientRequest::Initialize(_)
            if handshake.is_initialized() || handshake.proposed.is_some() =>
        {
            let reason = "the connection is already initialized; its version and capabilities stay";
            Err(error::invalid_request("already_initialized", reason))
        }
        ClientRequest::Initialize(initialize) => {
            handshake.proposed = Some(initialize.client_capabilities.clone());
            Ok(request)
        }
        ClientRequest::Extension(_) => Ok(request),
        _ if !handshake.is_initialized() => {
            let reason = "`initialize` comes first";
            Err(error::invalid_request("not_initialized", reason))
        }
        _ => Ok(request),
    }
}

/// Decodes a request from the agent. A method that the client does not advertise counts as unknown.
fn client_request(connection: &Connection, call: &Call) -> Result<AgentRequest, Error> {
    let request = AgentRequest::decode(call.method(), call.params())?;
    let method = Method::find(call.method(), MethodKind::Request, Direction::ToClient);
    if let Some(Requirement::ClientCapability(_, is_set)) = method.map(|method| method.requirement)
    {
        let handshake = connection.handshake();
        let default = v1::ClientCapabilities::default();
        if !is_set(handshake.client.as_ref().unwrap_or(&default)) {
            return Err(error::method_not_found(call.method()));
        }
    }
    Ok(request)
}

/// The session of a call. If the reader did not need the session, this function reads it from the params.
fn session_of(call: &Call) -> SessionKey {
    let found = call.session();
    found.unwrap_or_else(|| call.params().map_or(SessionKey::CONNECTION, session_key))
}

fn refuse(connection: &Connection, id: &Id, call: &Call, error: &Error) {
    diagnostics::rejected_request(&connection.link, id, call, error);
    let options = SendOptions::of(SessionKey::CONNECTION);
    connection
        .link
        .respond::<v1::PromptResponse>(id, options, Err(error));
}
