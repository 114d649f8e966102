//! Calls as data: one enum for each kind of message and side that sends it, made from the table of methods.
//!
//! Whoever receives reads requests with the enum of the other side ([`ClientRequest`], [`AgentRequest`]), and
//! notifications with that of the other side, then with [`ProtocolLevelNotification`], which belongs to neither.
//!
//! ```
//! use attache_schema::call::{ClientNotification, ClientRequest, ProtocolLevelNotification};
//!
//! let params = r#"{"sessionId":"s1","prompt":[{"type":"text","text":"Hello"}]}"#;
//! let ClientRequest::Prompt(prompt) = ClientRequest::decode("session/prompt", Some(params))? else {
//!     panic!("it is a prompt");
//! };
//! assert_eq!(prompt.session_id.as_str(), "s1");
//!
//! // The error is the answer to send.
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

use crate::error;
use crate::method::{Direction, Gate, Kind, Method, Notification, Request, Shape, Stability};
use crate::v1;

/// A call of a method outside the protocol; its name starts with `_`.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// The method's name.
    pub method: String,
    /// Its parameters, as they came.
    pub params: Option<Raw>,
}

macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $kind:ident $Calls:ident $direction:ident in $TABLE:ident {
            $($Variant:ident($Params:ident $(-> $Result:ident)?) = $name:literal $stability:ident $gate:expr;)*
        }
    )*) => {
        /// The rows of the table, a list for each enum of this module.
        pub(crate) const TABLES: &[&[Method]] = &[$($TABLE),*];

        $(
        const $TABLE: &[Method] = &[$(*<v1::$Params as $kind>::METHOD,)*];

        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a call is made once and moved a few times")]
        pub enum $Calls {
            $(
                #[doc = concat!("`", $name, "`" $(, ", answered with [`", stringify!($Result), "`](v1::", stringify!($Result), ")")?)]
                $Variant(v1::$Params),
            )*
            /// A method outside the protocol.
            Extension(Extension),
        }

        impl $Calls {
            /// Reads a call. The error is the one to answer with: no such method, or parameters that do not fit.
            pub fn decode(method: &str, params: Option<&str>) -> Result<Self, Error> {
                match method {
                    $($name => read(params).map(Self::$Variant),)*
                    _ if method.starts_with('_') => extension(method, params).map(Self::Extension),
                    _ => Err(error::method_not_found(method)),
                }
            }

            /// The method's name.
            pub fn method(&self) -> &str {
                match self {
                    $(Self::$Variant(_) => $name,)*
                    Self::Extension(call) => &call.method,
                }
            }

            /// Appends the parameters as JSON; `{}` where an extension has none.
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
            #[doc = concat!("The method `", $name, "`" $(, ", answered with [`", stringify!($Result), "`](v1::", stringify!($Result), ")")?, ".")]
            impl $kind for v1::$Params {
                const METHOD: &'static Method = &Method {
                    name: $name,
                    direction: Direction::$direction,
                    kind: Kind::$kind,
                    stability: Stability::$stability,
                    gate: $gate,
                    params: Shape::of::<v1::$Params>(stringify!($Params)),
                    result: calls! { @result $($Result)? },
                };
                $(type Response = v1::$Result;)?
            }

            impl From<v1::$Params> for $Calls {
                fn from(params: v1::$Params) -> Self {
                    Self::$Variant(params)
                }
            }
        )*
        )*
    };

    (@result) => { None };
    (@result $Result:ident) => { Some(Shape::of::<v1::$Result>(stringify!($Result))) };
}

/// The table of methods, handed to a macro: whoever makes enums from it cannot forget a row.
#[doc(hidden)]
#[macro_export]
macro_rules! __methods {
    ($callback:ident) => { $callback! {
    /// What a client asks of an agent.
    Request ClientRequest ToAgent in CLIENT_REQUESTS {
        Initialize(InitializeRequest -> InitializeResponse) = "initialize" Stable Gate::Always;
        Authenticate(AuthenticateRequest -> AuthenticateResponse) = "authenticate" Stable
            Gate::Offer("authMethods");
        Logout(LogoutRequest -> LogoutResponse) = "logout" Stable
            Gate::Agent("agentCapabilities.auth.logout", |c| c.auth.logout.is_some());
        AuthStatus(AuthStatusRequest -> AuthStatusResponse) = "auth/status" Unstable
            Gate::Agent("agentCapabilities.auth.status", |c| c.auth.status.is_some());
        NewSession(NewSessionRequest -> NewSessionResponse) = "session/new" Stable Gate::Always;
        LoadSession(LoadSessionRequest -> LoadSessionResponse) = "session/load" Stable
            Gate::Agent("agentCapabilities.loadSession", |c| c.load_session);
        ResumeSession(ResumeSessionRequest -> ResumeSessionResponse) = "session/resume" Stable
            Gate::Agent("agentCapabilities.sessionCapabilities.resume", |c| c.session_capabilities.resume.is_some());
        CloseSession(CloseSessionRequest -> CloseSessionResponse) = "session/close" Stable
            Gate::Agent("agentCapabilities.sessionCapabilities.close", |c| c.session_capabilities.close.is_some());
        ListSessions(ListSessionsRequest -> ListSessionsResponse) = "session/list" Stable
            Gate::Agent("agentCapabilities.sessionCapabilities.list", |c| c.session_capabilities.list.is_some());
        DeleteSession(DeleteSessionRequest -> DeleteSessionResponse) = "session/delete" Stable
            Gate::Agent("agentCapabilities.sessionCapabilities.delete", |c| c.session_capabilities.delete.is_some());
        ForkSession(ForkSessionRequest -> ForkSessionResponse) = "session/fork" Unstable
            Gate::Agent("agentCapabilities.sessionCapabilities.fork", |c| c.session_capabilities.fork.is_some());
        ArchiveSession(ArchiveSessionRequest -> ArchiveSessionResponse) = "session/archive" Unstable
            Gate::Agent("agentCapabilities.sessionCapabilities.archive", |c| c.session_capabilities.archive.is_some());
        UnarchiveSession(UnarchiveSessionRequest -> UnarchiveSessionResponse) = "session/unarchive" Unstable
            Gate::Agent("agentCapabilities.sessionCapabilities.archive", |c| c.session_capabilities.archive.is_some());
        SessionStatus(SessionStatusRequest -> SessionStatusResponse) = "session/status" Unstable
            Gate::Agent("agentCapabilities.sessionCapabilities.status", |c| c.session_capabilities.status.is_some());
        SetSessionTitle(SetSessionTitleRequest -> SetSessionTitleResponse) = "session/set_title" Unstable
            Gate::Agent("agentCapabilities.sessionCapabilities.title", |c| c.session_capabilities.title.is_some());
        SetSessionMode(SetSessionModeRequest -> SetSessionModeResponse) = "session/set_mode" Stable
            Gate::Offer("modes");
        SetSessionConfigOption(SetSessionConfigOptionRequest -> SetSessionConfigOptionResponse) =
            "session/set_config_option" Stable Gate::Offer("configOptions");
        Prompt(PromptRequest -> PromptResponse) = "session/prompt" Stable Gate::Always;
        ListProviders(ListProvidersRequest -> ListProvidersResponse) = "providers/list" Unstable
            Gate::Agent("agentCapabilities.providers", |c| c.providers.is_some());
        SetProvider(SetProviderRequest -> SetProviderResponse) = "providers/set" Unstable
            Gate::Agent("agentCapabilities.providers", |c| c.providers.is_some());
        DisableProvider(DisableProviderRequest -> DisableProviderResponse) = "providers/disable" Unstable
            Gate::Agent("agentCapabilities.providers", |c| c.providers.is_some());
    }

    /// What a client tells an agent. What either side may tell is a [`ProtocolLevelNotification`].
    Notification ClientNotification ToAgent in CLIENT_NOTIFICATIONS {
        Cancel(CancelNotification) = "session/cancel" Stable Gate::Always;
        MessageMcp(MessageMcpNotification) = "mcp/message" Unstable
            Gate::Agent("agentCapabilities.mcpCapabilities.acp", |c| c.mcp_capabilities.acp);
    }

    /// What an agent asks of a client.
    Request AgentRequest ToClient in AGENT_REQUESTS {
        RequestPermission(RequestPermissionRequest -> RequestPermissionResponse) =
            "session/request_permission" Stable Gate::Always;
        ReadTextFile(ReadTextFileRequest -> ReadTextFileResponse) = "fs/read_text_file" Stable
            Gate::Client("clientCapabilities.fs.readTextFile", |c| c.fs.read_text_file);
        WriteTextFile(WriteTextFileRequest -> WriteTextFileResponse) = "fs/write_text_file" Stable
            Gate::Client("clientCapabilities.fs.writeTextFile", |c| c.fs.write_text_file);
        CreateTerminal(CreateTerminalRequest -> CreateTerminalResponse) = "terminal/create" Stable
            Gate::Client("clientCapabilities.terminal", |c| c.terminal);
        TerminalOutput(TerminalOutputRequest -> TerminalOutputResponse) = "terminal/output" Stable
            Gate::Client("clientCapabilities.terminal", |c| c.terminal);
        WaitForTerminalExit(WaitForTerminalExitRequest -> WaitForTerminalExitResponse) =
            "terminal/wait_for_exit" Stable Gate::Client("clientCapabilities.terminal", |c| c.terminal);
        KillTerminal(KillTerminalRequest -> KillTerminalResponse) = "terminal/kill" Stable
            Gate::Client("clientCapabilities.terminal", |c| c.terminal);
        ReleaseTerminal(ReleaseTerminalRequest -> ReleaseTerminalResponse) = "terminal/release" Stable
            Gate::Client("clientCapabilities.terminal", |c| c.terminal);
        CreateElicitation(CreateElicitationRequest -> CreateElicitationResponse) = "elicitation/create" Stable
            Gate::Client("clientCapabilities.elicitation", |c| {
                c.elicitation.as_ref().is_some_and(|e| e.form.is_some() || e.url.is_some())
            });
        MessageMcp(MessageMcpRequest -> MessageMcpResponse) = "mcp/message" Unstable
            Gate::Offer("mcpServers");
    }

    /// What an agent tells a client. What either side may tell is a [`ProtocolLevelNotification`].
    Notification AgentNotification ToClient in AGENT_NOTIFICATIONS {
        Session(SessionNotification) = "session/update" Stable Gate::Always;
        CompleteElicitation(CompleteElicitationNotification) = "elicitation/complete" Stable
            Gate::Client("clientCapabilities.elicitation.url", |c| {
                c.elicitation.as_ref().is_some_and(|e| e.url.is_some())
            });
        AuthStatusUpdate(AuthStatusUpdateNotification) = "auth/status_update" Unstable
            Gate::Agent("agentCapabilities.auth.status", |c| c.auth.status.is_some());
    }

    /// What a conductor asks of a proxy to begin with.
    Request ConductorRequest ToProxy in CONDUCTOR_REQUESTS {
        Initialize(InitializeProxyRequest -> InitializeProxyResponse) = "proxy/initialize" Unstable Gate::Always;
    }

    /// What a proxy and its conductor ask of each other.
    Request ProxyRequest Successor in PROXY_REQUESTS {
        Successor(ProxySuccessorRequest -> ProxySuccessorResponse) = "proxy/successor" Unstable Gate::Always;
    }

    /// What a proxy and its conductor tell each other.
    Notification ProxyNotification Successor in PROXY_NOTIFICATIONS {
        Successor(ProxySuccessorNotification) = "proxy/successor" Unstable Gate::Always;
    }

    /// What both sides may tell each other at any time, and ignore. Neither [`ClientNotification`] nor
    /// [`AgentNotification`] reads it.
    Notification ProtocolLevelNotification Either in PROTOCOL_NOTIFICATIONS {
        CancelRequest(CancelRequestNotification) = "$/cancel_request" Stable Gate::Always;
    }
    } };
}

__methods!(calls);

fn read<T: json::Decode>(params: Option<&str>) -> Result<T, Error> {
    let given = params.filter(|text| !is_empty_list(text));
    decode(given.unwrap_or("null"))
}

fn decode<T: json::Decode>(text: &str) -> Result<T, Error> {
    from_str(text).map_err(|fault| error::invalid_params(&fault.within("params")))
}

/// Parameters by position that are none: the same as no parameters.
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
