//! Calls as data: one enum for each kind of message and side that sends it, made from the table of methods.
//!
//! The receiver decodes requests with the enum of the other side ([`ClientRequest`], [`AgentRequest`]). It decodes
//! notifications with the other side's enum, then with [`ProtocolLevelNotification`], which both sides may send.
//!
//! ```
//! use attache_schema::call::{ClientNotification, ClientRequest, ProtocolLevelNotification};
//!
//! let params = r#"{"sessionId":"s1","prompt":[{"type":"text","text":"Hello"}]}"#;
//! let ClientRequest::Prompt(prompt) = ClientRequest::decode("session/prompt", Some(params))? else {
//!     panic!("not a prompt");
//! };
//! assert_eq!(prompt.session_id.as_str(), "s1");
//!
//! // The error is the one to respond with.
//! let error = ClientRequest::decode("session/prompt", Some("{}")).unwrap_err();
//! assert_eq!(error.to_string(), "Invalid params: params.sessionId: missing (-32602)");
//!
//! let (method, params) = ("$/cancel_request", Some(r#"{"requestId":7}"#));
//! assert!(ClientNotification::decode(method, params).is_err());
//! assert!(ProtocolLevelNotification::decode(method, params).is_ok());
//! # Ok::<(), attache_rpc::Error>(())
//! ```

use attache_rpc::json::{self, Encode, Raw};
use attache_rpc::{Error, json::from_str};
use serde_core::de::DeserializeOwned;

use crate::error;
use crate::method::{
    Direction, ExtensionNotification, ExtensionRequest, Method, MethodKind, Notification,
    NotificationToAgent, NotificationToClient, Order, PayloadType, Request, RequestToAgent,
    RequestToClient, Requirement, SendNotification, SendRequest, Stability,
};
use crate::v1;

/// A request or notification outside the protocol. Its method starts with `_`.
///
/// See [Extensibility](https://agentclientprotocol.com/protocol/v1/extensibility).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Extension {
    /// The method's name.
    pub method: String,
    /// The parameters, as received.
    pub params: Option<Raw>,
}

impl Extension {
    /// A call of a method, whose name starts with `_`.
    pub fn new(method: impl Into<String>, params: Option<Raw>) -> Self {
        let method = method.into();
        Extension { method, params }
    }

    /// Reads the parameters of a typed request. Returns `None` if this is another method. The error is the one to
    /// respond with.
    pub fn request<R: ExtensionRequest + DeserializeOwned>(&self) -> Option<Result<R, Error>> {
        self.read_as(R::METHOD)
    }

    /// Reads the parameters of a typed notification. Returns `None` if this is another method.
    pub fn notification<N: ExtensionNotification + DeserializeOwned>(
        &self,
    ) -> Option<Result<N, Error>> {
        self.read_as(N::METHOD)
    }

    fn read_as<T: DeserializeOwned>(&self, method: &str) -> Option<Result<T, Error>> {
        if self.method != method {
            return None;
        }
        let params = self.params.as_ref().map_or("null", Raw::as_str);
        let params = json::decode_serde(params);
        Some(params.map_err(|fault| error::invalid_params(&fault.within("params"))))
    }
}

macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $kind:ident $Calls:ident $direction:ident in $TABLE:ident {
            $(
                $Variant:ident($Params:ident $(-> $Result:ident)?) = $name:literal
                    $stability:ident $requirement:ident $(($($needed:tt)*))? $([$($order:ident)*])?;
            )*
        }
    )*) => {
        /// The rows of the table, with one list for each enum of this module.
        pub(crate) const TABLES: &[&[Method]] = &[$($TABLE),*];

        $(
        const $TABLE: &[Method] = &[$(*<v1::$Params as $kind>::METHOD,)*];

        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a call is made once and moved a few times")]
        #[non_exhaustive]
        pub enum $Calls {
            $(
                #[doc = __method_doc!($kind $direction $name $stability $requirement ($($($needed)*)?) $($Result)?)]
                $Variant(v1::$Params),
            )*
            /// A method outside the protocol. Its name starts with `_`.
            Extension(Extension),
        }

        impl $Calls {
            /// Decodes a call. The error is the one to respond with: method not found, or invalid params.
            pub fn decode(method: &str, params: Option<&str>) -> Result<Self, Error> {
                match method {
                    $($name => decode_params(params).map(Self::$Variant),)*
                    _ if method.starts_with('_') => extension(method, params).map(Self::Extension),
                    _ => Err(error::method_not_found(method)),
                }
            }

            /// The ordering rules of a method. A method that is not in this enum has no special rules.
            pub fn order(method: &str) -> Order {
                match method {
                    $($name => <v1::$Params as $kind>::METHOD.order,)*
                    _ => Order::NONE,
                }
            }

            /// The method's name.
            pub fn method(&self) -> &str {
                match self {
                    $(Self::$Variant(_) => $name,)*
                    Self::Extension(call) => &call.method,
                }
            }

            /// Appends the parameters as JSON; `{}` if an extension has none.
            pub fn encode_params(&self, out: &mut String) {
                match self {
                    $(Self::$Variant(params) => params.encode(out),)*
                    Self::Extension(call) => match &call.params {
                        Some(params) => params.encode(out),
                        None => out.push_str("{}"),
                    },
                }
            }
        }

        $(
            #[doc = __method_doc!($kind $direction $name $stability $requirement ($($($needed)*)?) $($Result)?)]
            impl $kind for v1::$Params {
                const METHOD: &'static Method = &Method {
                    name: $name,
                    direction: Direction::$direction,
                    kind: MethodKind::$kind,
                    stability: Stability::$stability,
                    requirement: Requirement::$requirement $(($($needed)*))?,
                    order: Order { $($($order: true,)*)? ..Order::NONE },
                    params: PayloadType::of::<v1::$Params>(stringify!($Params)),
                    result: calls! { @result $($Result)? },
                };
                $(type Response = v1::$Result;)?
            }

            calls! { @send $kind $Params $($Result)? }
            calls! { @direction $kind $direction $Params }

            impl From<v1::$Params> for $Calls {
                fn from(params: v1::$Params) -> Self {
                    Self::$Variant(params)
                }
            }
        )*
        )*
    };

    (@send Request $Params:ident $Result:ident) => {
        impl SendRequest for v1::$Params {
            type Response = v1::$Result;

            fn method() -> &'static Method {
                <v1::$Params as Request>::METHOD
            }

            fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError> {
                self.encode(out);
                Ok(())
            }

            fn decode_response(result: &str) -> Result<v1::$Result, json::DecodeError> {
                from_str(result)
            }
        }
    };
    (@send Notification $Params:ident) => {
        impl SendNotification for v1::$Params {
            fn method() -> &'static Method {
                <v1::$Params as Notification>::METHOD
            }

            fn encode_params(&self, out: &mut String) -> Result<(), json::EncodeError> {
                self.encode(out);
                Ok(())
            }
        }
    };

    (@direction Request ToAgent $Params:ident) => { impl RequestToAgent for v1::$Params {} };
    (@direction Request ToClient $Params:ident) => { impl RequestToClient for v1::$Params {} };
    (@direction Notification ToAgent $Params:ident) => { impl NotificationToAgent for v1::$Params {} };
    (@direction Notification ToClient $Params:ident) => { impl NotificationToClient for v1::$Params {} };
    // A proxy stands where the agent is.
    (@direction $kind:ident ToProxy $Params:ident) => { calls! { @direction $kind ToAgent $Params } };
    (@direction $kind:ident Either $Params:ident) => { calls! { @direction $kind Successor $Params } };
    (@direction $kind:ident Successor $Params:ident) => {
        calls! { @direction $kind ToAgent $Params }
        calls! { @direction $kind ToClient $Params }
    };

    (@result) => { None };
    (@result $Result:ident) => { Some(PayloadType::of::<v1::$Result>(stringify!($Result))) };
}

/// Generates the documentation of a method from its row of the table.
#[doc(hidden)]
#[macro_export]
macro_rules! __method_doc {
    (@message Request) => { "A request" };
    (@message Notification) => { "A notification" };
    (@way ToAgent) => { " from the client to the agent." };
    (@way ToClient) => { " from the agent to the client." };
    (@way Either) => { " that either side may send and ignore." };
    (@way ToProxy) => { " from the conductor of a chain to a proxy." };
    (@way Successor) => { " between a proxy and its conductor, in either direction." };
    (@response) => { "" };
    (@response $Result:ident) => {
        concat!(" The response is [`", stringify!($Result), "`](v1::", stringify!($Result), ").")
    };
    (@stability Stable) => { "" };
    (@stability Unstable) => { " Unstable: may change or be removed." };
    (@requirement Always) => { "" };
    (@requirement AgentCapability $path:literal $($met:tt)*) => {
        concat!(" Only if the agent advertises `", $path, "`.")
    };
    (@requirement ClientCapability $path:literal $($met:tt)*) => {
        concat!(" Only if the client advertises `", $path, "`.")
    };
    (@requirement Offered $path:literal) => {
        concat!(" Only for what the other side has named in `", $path, "`.")
    };
    ($kind:ident $direction:ident $name:literal $stability:ident $requirement:ident ($($needed:tt)*) $($Result:ident)?) => {
        concat!(
            "`", $name, "`. ",
            $crate::__method_doc!(@message $kind),
            $crate::__method_doc!(@way $direction),
            $crate::__method_doc!(@response $($Result)?),
            $crate::__method_doc!(@requirement $requirement $($needed)*),
            $crate::__method_doc!(@stability $stability),
        )
    };
}

/// The table of methods. It calls a macro with all rows, so enums made from it have a variant for every method.
///
/// A row is `Variant(Params -> Result) = "name" Stability Requirement [order];`, where the parts are the variants of
/// [`Stability`](crate::method::Stability) and [`Requirement`](crate::method::Requirement) and the members of
/// [`Order`](crate::method::Order) that are true.
#[doc(hidden)]
#[macro_export]
macro_rules! __methods {
    ($callback:ident) => { $callback! {
    /// Requests that a client sends to an agent.
    Request ClientRequest ToAgent in CLIENT_REQUESTS {
        Initialize(InitializeRequest -> InitializeResponse) = "initialize" Stable Always;
        Authenticate(AuthenticateRequest -> AuthenticateResponse) = "authenticate" Stable
            Offered("authMethods");
        Logout(LogoutRequest -> LogoutResponse) = "logout" Stable
            AgentCapability("agentCapabilities.auth.logout", |c| c.auth.logout.is_some());
        AuthStatus(AuthStatusRequest -> AuthStatusResponse) = "auth/status" Unstable
            AgentCapability("agentCapabilities.auth.status", |c| c.auth.status.is_some());
        NewSession(NewSessionRequest -> NewSessionResponse) = "session/new" Stable Always;
        LoadSession(LoadSessionRequest -> LoadSessionResponse) = "session/load" Stable
            AgentCapability("agentCapabilities.loadSession", |c| c.load_session) [ends_updates];
        ResumeSession(ResumeSessionRequest -> ResumeSessionResponse) = "session/resume" Stable
            AgentCapability("agentCapabilities.sessionCapabilities.resume", |c| c.session_capabilities.resume.is_some());
        CloseSession(CloseSessionRequest -> CloseSessionResponse) = "session/close" Stable
            AgentCapability("agentCapabilities.sessionCapabilities.close", |c| c.session_capabilities.close.is_some());
        ListSessions(ListSessionsRequest -> ListSessionsResponse) = "session/list" Stable
            AgentCapability("agentCapabilities.sessionCapabilities.list", |c| c.session_capabilities.list.is_some());
        DeleteSession(DeleteSessionRequest -> DeleteSessionResponse) = "session/delete" Stable
            AgentCapability("agentCapabilities.sessionCapabilities.delete", |c| c.session_capabilities.delete.is_some());
        ForkSession(ForkSessionRequest -> ForkSessionResponse) = "session/fork" Unstable
            AgentCapability("agentCapabilities.sessionCapabilities.fork", |c| c.session_capabilities.fork.is_some());
        ArchiveSession(ArchiveSessionRequest -> ArchiveSessionResponse) = "session/archive" Unstable
            AgentCapability("agentCapabilities.sessionCapabilities.archive", |c| c.session_capabilities.archive.is_some());
        UnarchiveSession(UnarchiveSessionRequest -> UnarchiveSessionResponse) = "session/unarchive" Unstable
            AgentCapability("agentCapabilities.sessionCapabilities.archive", |c| c.session_capabilities.archive.is_some());
        SessionStatus(SessionStatusRequest -> SessionStatusResponse) = "session/status" Unstable
            AgentCapability("agentCapabilities.sessionCapabilities.status", |c| c.session_capabilities.status.is_some());
        SetSessionTitle(SetSessionTitleRequest -> SetSessionTitleResponse) = "session/set_title" Unstable
            AgentCapability("agentCapabilities.sessionCapabilities.title", |c| c.session_capabilities.title.is_some());
        SetSessionMode(SetSessionModeRequest -> SetSessionModeResponse) = "session/set_mode" Stable
            Offered("modes");
        SetSessionConfigOption(SetSessionConfigOptionRequest -> SetSessionConfigOptionResponse) =
            "session/set_config_option" Stable Offered("configOptions");
        Prompt(PromptRequest -> PromptResponse) = "session/prompt" Stable Always
            [ends_with_cancel ends_updates];
        ListProviders(ListProvidersRequest -> ListProvidersResponse) = "providers/list" Unstable
            AgentCapability("agentCapabilities.providers", |c| c.providers.is_some());
        SetProvider(SetProviderRequest -> SetProviderResponse) = "providers/set" Unstable
            AgentCapability("agentCapabilities.providers", |c| c.providers.is_some());
        DisableProvider(DisableProviderRequest -> DisableProviderResponse) = "providers/disable" Unstable
            AgentCapability("agentCapabilities.providers", |c| c.providers.is_some());
    }

    /// Notifications that a client sends to an agent. For those that both sides may send, see
    /// [`ProtocolLevelNotification`].
    Notification ClientNotification ToAgent in CLIENT_NOTIFICATIONS {
        Cancel(CancelNotification) = "session/cancel" Stable Always [cancels_session];
        MessageMcp(MessageMcpNotification) = "mcp/message" Unstable
            AgentCapability("agentCapabilities.mcpCapabilities.acp", |c| c.mcp_capabilities.acp);
    }

    /// Requests that an agent sends to a client.
    Request AgentRequest ToClient in AGENT_REQUESTS {
        RequestPermission(RequestPermissionRequest -> RequestPermissionResponse) =
            "session/request_permission" Stable Always [ends_with_cancel urgent_response];
        ReadTextFile(ReadTextFileRequest -> ReadTextFileResponse) = "fs/read_text_file" Stable
            ClientCapability("clientCapabilities.fs.readTextFile", |c| c.fs.read_text_file);
        WriteTextFile(WriteTextFileRequest -> WriteTextFileResponse) = "fs/write_text_file" Stable
            ClientCapability("clientCapabilities.fs.writeTextFile", |c| c.fs.write_text_file);
        CreateTerminal(CreateTerminalRequest -> CreateTerminalResponse) = "terminal/create" Stable
            ClientCapability("clientCapabilities.terminal", |c| c.terminal);
        TerminalOutput(TerminalOutputRequest -> TerminalOutputResponse) = "terminal/output" Stable
            ClientCapability("clientCapabilities.terminal", |c| c.terminal);
        WaitForTerminalExit(WaitForTerminalExitRequest -> WaitForTerminalExitResponse) =
            "terminal/wait_for_exit" Stable ClientCapability("clientCapabilities.terminal", |c| c.terminal);
        KillTerminal(KillTerminalRequest -> KillTerminalResponse) = "terminal/kill" Stable
            ClientCapability("clientCapabilities.terminal", |c| c.terminal);
        ReleaseTerminal(ReleaseTerminalRequest -> ReleaseTerminalResponse) = "terminal/release" Stable
            ClientCapability("clientCapabilities.terminal", |c| c.terminal);
        CreateElicitation(CreateElicitationRequest -> CreateElicitationResponse) = "elicitation/create" Stable
            ClientCapability("clientCapabilities.elicitation", |c| {
                c.elicitation.as_ref().is_some_and(|e| e.form.is_some() || e.url.is_some())
            });
        MessageMcp(MessageMcpRequest -> MessageMcpResponse) = "mcp/message" Unstable
            Offered("mcpServers");
    }

    /// Notifications that an agent sends to a client. For those that both sides may send, see
    /// [`ProtocolLevelNotification`].
    Notification AgentNotification ToClient in AGENT_NOTIFICATIONS {
        Session(SessionNotification) = "session/update" Stable Always;
        CompleteElicitation(CompleteElicitationNotification) = "elicitation/complete" Stable
            ClientCapability("clientCapabilities.elicitation.url", |c| {
                c.elicitation.as_ref().is_some_and(|e| e.url.is_some())
            });
        AuthStatusUpdate(AuthStatusUpdateNotification) = "auth/status_update" Unstable
            AgentCapability("agentCapabilities.auth.status", |c| c.auth.status.is_some());
    }

    /// Requests that a conductor sends to a proxy to set up a chain.
    Request ConductorRequest ToProxy in CONDUCTOR_REQUESTS {
        Initialize(InitializeProxyRequest -> InitializeProxyResponse) = "proxy/initialize" Unstable Always;
    }

    /// Requests between a proxy and its conductor, in either direction.
    Request ProxyRequest Successor in PROXY_REQUESTS {
        Successor(ProxySuccessorRequest -> ProxySuccessorResponse) = "proxy/successor" Unstable Always;
    }

    /// Notifications between a proxy and its conductor, in either direction.
    Notification ProxyNotification Successor in PROXY_NOTIFICATIONS {
        Successor(ProxySuccessorNotification) = "proxy/successor" Unstable Always;
    }

    /// Notifications that both sides may send at any time, and ignore. Neither [`ClientNotification`] nor
    /// [`AgentNotification`] decodes them.
    Notification ProtocolLevelNotification Either in PROTOCOL_NOTIFICATIONS {
        CancelRequest(CancelRequestNotification) = "$/cancel_request" Stable Always;
    }
    } };
}

__methods!(calls);

/// Decodes the parameters of a call. An empty list counts as no parameters. The error is the one to respond with.
pub fn decode_params<T: json::Decode>(params: Option<&str>) -> Result<T, Error> {
    let given = params.filter(|text| !is_empty_list(text));
    decode(given.unwrap_or("null"))
}

fn decode<T: json::Decode>(text: &str) -> Result<T, Error> {
    from_str(text).map_err(|fault| error::invalid_params(&fault.within("params")))
}

/// Whether the parameters are an empty list, which counts as no parameters.
fn is_empty_list(text: &str) -> bool {
    let inside = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| inside.trim_matches([' ', '\t', '\n', '\r']).is_empty())
}

fn extension(method: &str, params: Option<&str>) -> Result<Extension, Error> {
    let method = method.to_owned();
    let params = params.map(decode).transpose()?;
    Ok(Extension { method, params })
}
