//! Proxy chains: messages between a conductor and its proxies (unstable).

use attache_rpc::json::{Decode, DecodeError, Encode, Raw, Reader};

use super::{InitializeRequest, InitializeResponse};

/// Parameters of `proxy/initialize`, which the conductor sends instead of `initialize` to a component that has a
/// successor. Before it responds, the proxy MUST send `initialize` to its successor through `proxy/successor`.
///
/// Unstable: may change or be removed. See [Proxy chains](https://agentclientprotocol.com/rfds/proxy-chains).
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeProxyRequest(pub InitializeRequest);

/// Response to `proxy/initialize`: what the chain from this proxy onwards supports. The proxy MUST NOT change the
/// protocol version.
///
/// Unstable: may change or be removed. See [Proxy chains](https://agentclientprotocol.com/rfds/proxy-chains).
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeProxyResponse(pub InitializeResponse);

message! {
    /// Parameters of a `proxy/successor` request. A proxy sends it to pass a request to its successor, and the
    /// conductor sends it to deliver a request from the successor. The response is that of the wrapped request,
    /// unchanged.
    ///
    /// Unstable: may change or be removed. See [Proxy chains](https://agentclientprotocol.com/rfds/proxy-chains).
    pub struct ProxySuccessorRequest {
        /// Method of the wrapped request.
        method: String = "method",
        ..
        /// Parameters of the wrapped request, unchanged. MUST be an object or an array if present.
        params: Option<Raw> = "params",
    }
}

message! {
    /// Parameters of a `proxy/successor` notification. A proxy sends it to pass a notification to its successor, and
    /// the conductor sends it to deliver a notification from the successor.
    ///
    /// Unstable: may change or be removed. See [Proxy chains](https://agentclientprotocol.com/rfds/proxy-chains).
    pub struct ProxySuccessorNotification {
        /// Method of the wrapped notification.
        method: String = "method",
        ..
        /// Parameters of the wrapped notification, unchanged. MUST be an object or an array if present.
        params: Option<Raw> = "params",
    }
}

/// Response to a `proxy/successor` request: the result of the wrapped request, unchanged.
///
/// Unstable: may change or be removed. See [Proxy chains](https://agentclientprotocol.com/rfds/proxy-chains).
#[derive(Debug, Clone, PartialEq)]
pub struct ProxySuccessorResponse(pub Raw);

macro_rules! transparent {
    ($($Name:ident($Inner:ty))*) => {$(
        impl Decode for $Name {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                <$Inner>::decode(reader).map(Self)
            }
        }

        impl Encode for $Name {
            fn encode(&self, out: &mut String) {
                self.0.encode(out);
            }
        }

        serde_bridge! { $Name }
    )*};
}

transparent! {
    InitializeProxyRequest(InitializeRequest)
    InitializeProxyResponse(InitializeResponse)
    ProxySuccessorResponse(Raw)
}
