//! Calls as data: what each side is asked and told, with the answers that are due. Made from the table of methods.

use std::sync::Arc;

use attache_rpc::json::Raw;
use attache_rpc::{Id, SessionKey};
use attache_schema::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, Extension,
};
use attache_schema::error::method_not_found;
use attache_schema::v1;

use crate::Reply;
use crate::connection::Connection;
use crate::reply::RequestKind;

macro_rules! sides {
    (
        $(#[$_1:meta])*
        Request ClientRequest $_d1:ident in $_t1:ident { $($ToAgent:ident($AgentParams:ident -> $AgentResult:ident) = $agent_method:literal $_s1:ident $_g1:expr;)* }
        $(#[$_2:meta])*
        Notification ClientNotification $_d2:ident in $_t2:ident { $($TellAgent:ident($AgentNote:ident) = $agent_note:literal $_s2:ident $_g2:expr;)* }
        $(#[$_3:meta])*
        Request AgentRequest $_d3:ident in $_t3:ident { $($ToClient:ident($ClientParams:ident -> $ClientResult:ident) = $client_method:literal $_s3:ident $_g3:expr;)* }
        $(#[$_4:meta])*
        Notification AgentNotification $_d4:ident in $_t4:ident { $($TellClient:ident($ClientNote:ident) = $client_note:literal $_s4:ident $_g4:expr;)* }
        $($_rest:tt)*
    ) => {
        side! {
            /// What a client asks of an agent, or tells it.
            AgentCall ClientRequest ClientNotification
            { $($ToAgent($AgentParams -> $AgentResult) = $agent_method;)* }
            { $($TellAgent($AgentNote) = $agent_note;)* }
        }
        side! {
            /// What an agent asks of a client, or tells it.
            ClientCall AgentRequest AgentNotification
            { $($ToClient($ClientParams -> $ClientResult) = $client_method;)* }
            { $($TellClient($ClientNote) = $client_note;)* }
        }
    };
}

macro_rules! side {
    (
        $(#[$doc:meta])*
        $Call:ident $Requests:ident $Notifications:ident
        { $($Request:ident($Params:ident -> $Result:ident) = $method:literal;)* }
        { $($Notification:ident($Note:ident) = $note:literal;)* }
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "a call is made once and moved a few times")]
        pub enum $Call {
            $(
                #[doc = concat!("`", $method, "`")]
                $Request(v1::$Params, Reply<v1::$Result>),
            )*
            $(
                #[doc = concat!("`", $note, "`")]
                $Notification(v1::$Note),
            )*
            /// A request outside the protocol.
            Extension(Extension, Reply<Raw>),
            /// A notification outside the protocol.
            ExtensionNotification(Extension),
        }

        impl $Call {
            pub(crate) fn from_request(connection: &Arc<Connection>, id: Id, session: SessionKey, request: $Requests) -> Self {
                match request {
                    $($Requests::$Request(params) => {
                        $Call::$Request(params, Reply::new(connection, id, session, RequestKind::of($method)))
                    })*
                    $Requests::Extension(call) => {
                        $Call::Extension(call, Reply::new(connection, id, session, RequestKind::Ordinary))
                    }
                }
            }

            pub(crate) fn from_notification(notification: $Notifications) -> Self {
                match notification {
                    $($Notifications::$Notification(params) => $Call::$Notification(params),)*
                    $Notifications::Extension(call) => $Call::ExtensionNotification(call),
                }
            }

            /// The method's name.
            pub fn method(&self) -> &str {
                match self {
                    $($Call::$Request(..) => $method,)*
                    $($Call::$Notification(..) => $note,)*
                    $Call::Extension(call, _) | $Call::ExtensionNotification(call) => &call.method,
                }
            }

            /// Answers that there is no such method; a notification is ignored. What a program does not know ends here.
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

impl RequestKind {
    fn of(method: &str) -> Self {
        match method {
            "initialize" => RequestKind::Initialize,
            "session/prompt" => RequestKind::Prompt,
            "session/request_permission" => RequestKind::Permission,
            _ => RequestKind::Ordinary,
        }
    }
}
