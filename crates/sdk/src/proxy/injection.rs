//! Messages that a proxy sends on its own.

use attache_rpc::json;
use attache_schema::method::{Direction, Notification, Request};
use attache_transport::{Delivery, PeerHandle};

use super::held::IN_ORDER;
use crate::CallError;

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
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Response, CallError> {
        const { assert!(is_to_agent(R::METHOD.direction), "agents send this request") };
        call(&self.0, request).await
    }

    /// Sends a notification to the agent.
    pub async fn notify<N: Notification>(&self, notification: N) -> Result<(), CallError> {
        const {
            assert!(
                is_to_agent(N::METHOD.direction),
                "agents send this notification"
            )
        };
        Ok(self
            .0
            .notify(N::METHOD.name, &notification, IN_ORDER)
            .await?)
    }
}

impl ProxyClient {
    /// Sends a request to the client and waits for the response. The id of the request differs from those of the agent's
    /// requests. Whether the client supports the method is up to you. Dropping the future cancels the request.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Response, CallError> {
        const {
            assert!(
                is_to_client(R::METHOD.direction),
                "clients send this request"
            )
        };
        call(&self.0, request).await
    }

    /// Sends a notification to the client, for example an update of a session.
    pub async fn notify<N: Notification>(&self, notification: N) -> Result<(), CallError> {
        const {
            assert!(
                is_to_client(N::METHOD.direction),
                "clients send this notification"
            )
        };
        Ok(self
            .0
            .notify(N::METHOD.name, &notification, IN_ORDER)
            .await?)
    }
}

async fn call<R: Request>(link: &PeerHandle, request: R) -> Result<R::Response, CallError> {
    let method = R::METHOD;
    let delivery = match method.order.ends_updates {
        true => Delivery::InOrder,
        false => Delivery::AtOnce,
    };
    let result = link.call(method.name, &request, IN_ORDER, delivery).await?;
    json::from_str(result.as_str()).map_err(|fault| CallError::Unreadable {
        method: method.name,
        fault: fault.within("result"),
    })
}

const fn is_to_agent(direction: Direction) -> bool {
    matches!(direction, Direction::ToAgent | Direction::Either)
}

const fn is_to_client(direction: Direction) -> bool {
    matches!(direction, Direction::ToClient | Direction::Either)
}
