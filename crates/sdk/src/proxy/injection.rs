//! Messages that a proxy sends on its own.

use attache_rpc::json::Encode;
use attache_schema::method::{
    NotificationToAgent, NotificationToClient, RequestToAgent, RequestToClient, SendNotification,
    SendRequest,
};
use attache_transport::{Delivery, PeerHandle};

use super::held::IN_ORDER;
use super::lane::session_named_in;
use crate::error::CallErrorKind;
use crate::{CallError, Role};

/// Sends messages of the proxy itself to the agent, as if the client had sent them. It can be cloned and used from any
/// task.
#[derive(Debug, Clone)]
pub struct ProxyAgent(pub(super) PeerHandle);

/// Sends messages of the proxy itself to the client, as if the agent had sent them. It can be cloned and used from any
/// task.
#[derive(Debug, Clone)]
pub struct ProxyClient(pub(super) PeerHandle);

impl ProxyAgent {
    /// Sends a request to the agent and waits for the response. The id of the request differs from those of the client's
    /// requests. Whether the agent supports the method is up to you. Dropping the future cancels the request.
    ///
    /// The response to `session/prompt` and `session/load` comes after all earlier messages of the agent have been taken
    /// from [`Proxy::next`](super::Proxy::next). So wait for it in another task than the one that takes them.
    pub async fn request<R: RequestToAgent>(&self, request: R) -> Result<R::Response, CallError> {
        call(&self.0, Role::Agent, &request).await
    }

    /// Sends a notification to the agent.
    pub async fn notify<N: NotificationToAgent>(&self, notification: N) -> Result<(), CallError> {
        send(&self.0, Role::Agent, &notification).await
    }
}

impl ProxyClient {
    /// Sends a request to the client and waits for the response. The id of the request differs from those of the agent's
    /// requests. Whether the client supports the method is up to you. Dropping the future cancels the request.
    pub async fn request<R: RequestToClient>(&self, request: R) -> Result<R::Response, CallError> {
        call(&self.0, Role::Client, &request).await
    }

    /// Sends a notification to the client, for example an update of a session.
    pub async fn notify<N: NotificationToClient>(&self, notification: N) -> Result<(), CallError> {
        send(&self.0, Role::Client, &notification).await
    }
}

async fn call<R: SendRequest>(
    link: &PeerHandle,
    peer: Role,
    request: &R,
) -> Result<R::Response, CallError> {
    let method = R::method();
    let delivery = match method.order.ends_updates {
        true => Delivery::InOrder,
        false => Delivery::AtOnce,
    };
    let (params, encoded) = InjectedParams::of(|out| request.encode_params(out));
    let exchange = async {
        encoded.map_err(CallErrorKind::Unwritable)?;
        let result = link.call(method.name, &params, IN_ORDER, delivery).await?;
        let result = R::decode_response(result.as_str());
        result.map_err(|fault| CallErrorKind::Unreadable(fault.within("result")))
    };
    let outcome = exchange.await;
    outcome.map_err(|kind| params.error(peer, method.name, kind))
}

async fn send<N: SendNotification>(
    link: &PeerHandle,
    peer: Role,
    notification: &N,
) -> Result<(), CallError> {
    let method = N::method();
    let (params, encoded) = InjectedParams::of(|out| notification.encode_params(out));
    let exchange = async {
        encoded.map_err(CallErrorKind::Unwritable)?;
        Ok(link.notify(method.name, &params, IN_ORDER).await?)
    };
    let outcome: Result<(), CallErrorKind> = exchange.await;
    outcome.map_err(|kind| params.error(peer, method.name, kind))
}

struct InjectedParams(String);

impl InjectedParams {
    fn of<T>(encode: impl FnOnce(&mut String) -> T) -> (Self, T) {
        let mut text = String::new();
        let outcome = encode(&mut text);
        (InjectedParams(text), outcome)
    }

    fn error(&self, peer: Role, method: &'static str, kind: CallErrorKind) -> CallError {
        let session = session_named_in(&self.0).map(|id| id.as_str().to_owned());
        CallError::new(peer, method.into(), session, kind)
    }
}

impl Encode for InjectedParams {
    fn encode(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}
