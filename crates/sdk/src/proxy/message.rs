//! The messages of a proxy as data: one variant for each type of params and results. A macro generates the enum from the
//! table of methods.

use attache_rpc::json::Raw;
use attache_schema::{__method_doc, v1};

use super::held::{HeldNotification, HeldRequest, HeldResponse};
use super::{ProxyNotification, ProxyRequest, ProxyResponse};
use crate::Role;

macro_rules! messages {
    (
        $(#[$_1:meta])*
        Request ClientRequest $_d1:ident in $_t1:ident { $(
            $_cr:ident($ClientRequest:ident -> $AgentResponse:ident) = $client_request:literal
                $cr_stability:ident $cr_requirement:ident $(($($cr_needed:tt)*))? $([$($_cr_order:ident)*])?;
        )* }
        $(#[$_2:meta])*
        Notification ClientNotification $_d2:ident in $_t2:ident { $(
            $_cn:ident($ClientNotification:ident) = $client_notification:literal
                $cn_stability:ident $cn_requirement:ident $(($($cn_needed:tt)*))? $([$($_cn_order:ident)*])?;
        )* }
        $(#[$_3:meta])*
        Request AgentRequest $_d3:ident in $_t3:ident { $(
            $_ar:ident($AgentRequest:ident -> $ClientResponse:ident) = $agent_request:literal
                $ar_stability:ident $ar_requirement:ident $(($($ar_needed:tt)*))? $([$($_ar_order:ident)*])?;
        )* }
        $(#[$_4:meta])*
        Notification AgentNotification $_d4:ident in $_t4:ident { $(
            $_an:ident($AgentNotification:ident) = $agent_notification:literal
                $an_stability:ident $an_requirement:ident $(($($an_needed:tt)*))? $([$($_an_order:ident)*])?;
        )* }
        $($_rest:tt)*
    ) => {
        /// A message on its way through a proxy. The name of a variant is the type of the params or of the result, which
        /// are decoded only if you ask.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum ProxyMessage {
            $(
                #[doc = __method_doc!(Request ToAgent $client_request $cr_stability $cr_requirement ($($($cr_needed)*)?) $AgentResponse)]
                $ClientRequest(ProxyRequest<v1::$ClientRequest>),
                #[doc = concat!("The agent's response to `", $client_request, "`.")]
                $AgentResponse(ProxyResponse<v1::$ClientRequest>),
            )*
            $(
                #[doc = __method_doc!(Notification ToAgent $client_notification $cn_stability $cn_requirement ($($($cn_needed)*)?))]
                $ClientNotification(ProxyNotification<v1::$ClientNotification>),
            )*
            $(
                #[doc = __method_doc!(Request ToClient $agent_request $ar_stability $ar_requirement ($($($ar_needed)*)?) $ClientResponse)]
                $AgentRequest(ProxyRequest<v1::$AgentRequest>),
                #[doc = concat!("The client's response to `", $agent_request, "`.")]
                $ClientResponse(ProxyResponse<v1::$AgentRequest>),
            )*
            $(
                #[doc = __method_doc!(Notification ToClient $agent_notification $an_stability $an_requirement ($($($an_needed)*)?))]
                $AgentNotification(ProxyNotification<v1::$AgentNotification>),
            )*
            /// A request with another method, such as an extension, from either side.
            OtherRequest(ProxyRequest<Raw>),
            /// A notification with another method, such as an extension, from either side.
            OtherNotification(ProxyNotification<Raw>),
            /// The response to a request with another method, from either side.
            OtherResponse(ProxyResponse<Raw>),
        }

        /// Calls the same method on the content of every variant.
        macro_rules! each {
            ($value:expr, $message:ident => $body:expr) => {
                match $value {
                    $(ProxyMessage::$ClientRequest($message) => $body,)*
                    $(ProxyMessage::$AgentResponse($message) => $body,)*
                    $(ProxyMessage::$ClientNotification($message) => $body,)*
                    $(ProxyMessage::$AgentRequest($message) => $body,)*
                    $(ProxyMessage::$ClientResponse($message) => $body,)*
                    $(ProxyMessage::$AgentNotification($message) => $body,)*
                    ProxyMessage::OtherRequest($message) => $body,
                    ProxyMessage::OtherNotification($message) => $body,
                    ProxyMessage::OtherResponse($message) => $body,
                }
            };
        }

        impl ProxyMessage {
            pub(super) fn of_request(held: HeldRequest) -> Self {
                match (held.sender(), held.call.method()) {
                    $((Role::Client, $client_request) => ProxyMessage::$ClientRequest(ProxyRequest::new(held)),)*
                    $((Role::Agent, $agent_request) => ProxyMessage::$AgentRequest(ProxyRequest::new(held)),)*
                    _ => ProxyMessage::OtherRequest(ProxyRequest::new(held)),
                }
            }

            pub(super) fn of_notification(held: HeldNotification) -> Self {
                match (held.sender(), held.call.method()) {
                    $((Role::Client, $client_notification) => ProxyMessage::$ClientNotification(ProxyNotification::new(held)),)*
                    $((Role::Agent, $agent_notification) => ProxyMessage::$AgentNotification(ProxyNotification::new(held)),)*
                    _ => ProxyMessage::OtherNotification(ProxyNotification::new(held)),
                }
            }

            pub(super) fn of_response(held: HeldResponse) -> Self {
                match (held.sender(), &*held.request.method) {
                    $((Role::Agent, $client_request) => ProxyMessage::$AgentResponse(ProxyResponse::new(held)),)*
                    $((Role::Client, $agent_request) => ProxyMessage::$ClientResponse(ProxyResponse::new(held)),)*
                    _ => ProxyMessage::OtherResponse(ProxyResponse::new(held)),
                }
            }

            /// Forwards the message unchanged. Call it for everything you do not handle.
            pub fn forward(self) {
                each!(self, message => message.forward());
            }

            /// The name of the method; for a response, that of its request.
            pub fn method(&self) -> &str {
                each!(self, message => message.method())
            }

            /// The side that has sent the message.
            pub fn sender(&self) -> Role {
                each!(self, message => message.sender())
            }

            /// The whole message as JSON text, as received; empty for a response that is not a valid one.
            pub fn line(&self) -> &str {
                each!(self, message => message.line()).trim_ascii_end()
            }
        }
    };
}

attache_schema::__methods!(messages);
