//! Calls as data: the requests and notifications that each side receives, together with the replies to send. A macro
//! generates these enums from the table of methods.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use std::sync::Arc;

use attache_rpc::json::{self, Object, Raw};
use attache_rpc::{Error, Id, SessionKey};
use attache_schema::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, Extension,
};
use attache_schema::error::method_not_found;
use attache_schema::method::{Method, Request};
use attache_schema::{__method_doc, Meta, v1};

use crate::Reply;
use crate::connection::Connection;
use crate::reply::RequestKind;

macro_rules! sides {
    (
        $(#[$_1:meta])*
        Request ClientRequest $_d1:ident in $_t1:ident { $($client_requests:tt)* }
        $(#[$_2:meta])*
        Notification ClientNotification $_d2:ident in $_t2:ident { $($client_notifications:tt)* }
        $(#[$_3:meta])*
        Request AgentRequest $_d3:ident in $_t3:ident { $($agent_requests:tt)* }
        $(#[$_4:meta])*
        Notification AgentNotification $_d4:ident in $_t4:ident { $($agent_notifications:tt)* }
        $($_rest:tt)*
    ) => {
        side! {
            /// A request or notification that an agent receives from a client. Each request comes with the [`Reply`]
            /// that sends its response.
            AgentCall ToAgent
            ClientRequest { $($client_requests)* }
            ClientNotification { $($client_notifications)* }
        }
        side! {
            /// A request or notification that a client receives from an agent. Each request comes with the [`Reply`]
            /// that sends its response.
            ClientCall ToClient
            AgentRequest { $($agent_requests)* }
            AgentNotification { $($agent_notifications)* }
        }
    };
}

macro_rules! side {
    (
        $(#[$doc:meta])*
        $Call:ident $direction:ident
        $Requests:ident { $(
            $Request:ident($Params:ident -> $Result:ident) = $method:literal
                $stability:ident $requirement:ident $(($($needed:tt)*))? $([$($_order:ident)*])?;
        )* }
        $Notifications:ident { $(
            $Notification:ident($Note:ident) = $note:literal
                $note_stability:ident $note_requirement:ident $(($($note_needed:tt)*))? $([$($_note_order:ident)*])?;
        )* }
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "a call is made once and moved a few times")]
        #[non_exhaustive]
        pub enum $Call {
            $(
                #[doc = __method_doc!(Request $direction $method $stability $requirement ($($($needed)*)?) $Result)]
                $Request(v1::$Params, Reply<v1::$Result>),
            )*
            $(
                #[doc = __method_doc!(Notification $direction $note $note_stability $note_requirement ($($($note_needed)*)?))]
                $Notification(v1::$Note),
            )*
            /// A request outside the protocol. Its method starts with `_`.
            Extension(Extension, Reply<Raw>),
            /// A notification outside the protocol. Its method starts with `_`.
            ExtensionNotification(Extension),
        }

        impl $Call {
            /// The error is the response to a request that this enum does not know.
            pub(crate) fn from_request(
                connection: &Arc<Connection>,
                id: Id,
                session: SessionKey,
                request: $Requests,
            ) -> Result<Self, (Id, Error)> {
                match request {
                    $($Requests::$Request(params) => {
                        let kind = RequestKind::of(<v1::$Params as Request>::METHOD);
                        let reply = Reply::new(connection, id, session, kind, params.meta.as_ref());
                        Ok($Call::$Request(params, reply))
                    })*
                    $Requests::Extension(call) => {
                        let meta = call.params.as_ref().and_then(extension_meta);
                        let reply = Reply::new(connection, id, session, RequestKind::Ordinary, meta.as_ref());
                        Ok($Call::Extension(call, reply))
                    }
                    unknown => Err((id, method_not_found(unknown.method()))),
                }
            }

            /// The error says that this enum does not know the notification.
            pub(crate) fn from_notification(notification: $Notifications) -> Result<Self, Error> {
                match notification {
                    $($Notifications::$Notification(params) => Ok($Call::$Notification(params)),)*
                    $Notifications::Extension(call) => Ok($Call::ExtensionNotification(call)),
                    unknown => Err(method_not_found(unknown.method())),
                }
            }

            /// Name of the method.
            pub fn method(&self) -> &str {
                match self {
                    $($Call::$Request(..) => $method,)*
                    $($Call::$Notification(..) => $note,)*
                    $Call::Extension(call, _) | $Call::ExtensionNotification(call) => &call.method,
                }
            }

            /// Responds "method not found" to a request and ignores a notification. Call it for everything you do not
            /// handle.
            pub fn refuse(self) {
                match self {
                    $($Call::$Request(_, reply) => reply.fail(method_not_found($method)),)*
                    $Call::Extension(call, reply) => reply.fail(method_not_found(&call.method)),
                    $($Call::$Notification(_) => {})*
                    $Call::ExtensionNotification(_) => {}
                }
            }
        }
    };
}

attache_schema::__methods!(sides);

/// The `_meta` of an extension method, whose params may be any JSON.
fn extension_meta(params: &Raw) -> Option<Meta> {
    let params = Object::parse(params.as_str()).ok()?;
    json::from_str(params.get("_meta")?).ok()
}

impl RequestKind {
    fn of(method: &Method) -> Self {
        if method.name == v1::InitializeRequest::METHOD.name {
            RequestKind::Initialize
        } else if method.name == v1::PromptRequest::METHOD.name {
            RequestKind::Prompt
        } else if method.order.urgent_response {
            RequestKind::Urgent
        } else {
            RequestKind::Ordinary
        }
    }
}
