//! Proxy chains: what a conductor and its proxies say to each other (unstable).

use attache_rpc::json::{Decode, Encode, Error, Raw, Reader};

use super::{InitializeRequest, InitializeResponse};

/// `initialize` for a component that has a successor (unstable).
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeProxyRequest(pub InitializeRequest);

/// The answer to `proxy/initialize` (unstable).
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeProxyResponse(pub InitializeResponse);

message! {
    /// A request to or from the successor, wrapped (unstable).
    pub struct ProxySuccessorRequest {
        /// The inner method.
        method: String = "method",
        ..
        /// The inner parameters, as they are.
        params: Option<Raw> = "params",
    }
}

message! {
    /// A notification to or from the successor, wrapped (unstable).
    pub struct ProxySuccessorNotification {
        /// The inner method.
        method: String = "method",
        ..
        /// The inner parameters, as they are.
        params: Option<Raw> = "params",
    }
}

/// The inner result, as it is (unstable).
#[derive(Debug, Clone, PartialEq)]
pub struct ProxySuccessorResponse(pub Raw);

macro_rules! transparent {
    ($($Name:ident($Inner:ty))*) => {$(
        impl Decode for $Name {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
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
