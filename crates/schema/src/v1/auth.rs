//! Logging in and out.

use std::collections::BTreeMap;

use crate::Secret;

ids! {
    /// Id of an authentication method, chosen by the agent.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    AuthMethodId
}

union! {
    /// A way to log in. The member `type` names its kind; without it, or with an unknown value, the method is
    /// [`Agent`](Self::Agent).
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub enum AuthMethod by "type" {
        /// The user logs in to the agent program in a terminal. The client MUST NOT pass this method to `authenticate`.
        Terminal(AuthMethodTerminal) = "terminal",
    }
    untagged
    /// The agent carries out the login when `authenticate` is called.
    Agent(AuthMethodAgent) = "agent"
}

message! {
    /// A login that the agent carries out itself when the client calls `authenticate`.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthMethodAgent {
        /// Id to pass to `authenticate`.
        id: AuthMethodId = "id",
        /// Name for the user.
        name: String = "name",
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// A login in a terminal: the client runs the configured agent program once more, interactively, with the arguments
    /// and variables given here. Exit status 0 means success; the client then connects again.
    ///
    /// The agent MUST offer this method only if the client set
    /// [`AuthCapabilities::terminal`](super::AuthCapabilities#structfield.terminal). The client MUST NOT pass it to
    /// `authenticate`.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthMethodTerminal {
        /// Id of the method.
        id: AuthMethodId = "id",
        /// Name for the user.
        name: String = "name",
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
        /// Arguments to append to those of the configured command. Default: none.
        args: Vec<String> = "args" nullable,
        /// Environment variables to add. They replace configured variables of the same name. Default: none.
        env: BTreeMap<String, Secret> = "env" nullable,
    }
}

message! {
    /// Parameters of `authenticate`: log in with one of the methods that the agent offered in `initialize`. After
    /// success, creating a session no longer fails with "authentication required" (-32000).
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthenticateRequest {
        /// One of the offered methods, except those of type `terminal`.
        method_id: AuthMethodId = "methodId",
    }
}

message! {
    /// Response to `authenticate`: the login succeeded.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthenticateResponse or null {}
}

message! {
    /// Parameters of `logout`: the agent forgets the login. Later sessions need a new login. Running sessions MAY fail
    /// with an authentication error.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct LogoutRequest or null {}
}

message! {
    /// Response to `logout`: the agent has forgotten the login.
    ///
    /// See [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct LogoutResponse or null {}
}

message! {
    /// Parameters of `auth/status`: ask whether a login is needed. The agent MUST NOT change any state and MUST NOT
    /// respond with "authentication required" (-32000).
    ///
    /// Unstable: may change or be removed. See
    /// [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthStatusRequest or null {}
}

message! {
    /// Response to `auth/status`.
    ///
    /// Unstable: may change or be removed. See
    /// [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthStatusResponse {
        /// Whether sessions can be started without a login. The client should act on this member only.
        state: AuthState = "state",
        ..
        /// The configured accounts, for display only. Default: none reported.
        accounts: Vec<AuthAccount> = "accounts" items,
    }
}

message! {
    /// Parameters of `auth/status_update`: the login has changed. An agent with the capability `auth.status` MAY send
    /// it at any time after `initialize`, and SHOULD send it only when the status differs from the last one it sent.
    ///
    /// Unstable: may change or be removed. See
    /// [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthStatusUpdateNotification {
        /// Whether sessions can be started without a login. The client should act on this member only.
        state: AuthState = "state",
        ..
        /// The configured accounts, for display only. Default: none reported.
        accounts: Vec<AuthAccount> = "accounts" items,
    }
}

open_enum! {
    /// Whether the agent is logged in. The client MUST treat an unknown value as [`Unknown`](Self::Unknown).
    ///
    /// Unstable: may change or be removed. See
    /// [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub enum AuthState {
        /// Credentials are configured. They may still turn out to be invalid.
        Authenticated = "authenticated",
        /// The user needs to log in: credentials are missing, expired or known to be invalid.
        Unauthenticated = "unauthenticated",
        /// No login is needed, for example because the model runs locally.
        NotRequired = "not_required",
        /// The agent cannot tell at the moment.
        Unknown = "unknown",
    }
}

message! {
    /// A configured account or API key, for display only. The client MUST NOT use any member as a stable id, and SHOULD
    /// NOT log it or send it elsewhere.
    ///
    /// Unstable: may change or be removed. See
    /// [Authentication](https://agentclientprotocol.com/protocol/v1/authentication).
    pub struct AuthAccount {
        /// Text to show for the account on its own.
        label: Secret = "label",
        ..
        /// Whether the agent currently uses this account. Several may be active, such as one per provider. Default: not
        /// reported.
        active: Option<bool> = "active" lenient,
        /// Name of the user. Default: not reported.
        name: Option<Secret> = "name" lenient,
        /// Email address of the user. Default: not reported.
        email: Option<Secret> = "email" lenient,
        /// Name of the user's organization or team. Default: not reported.
        organization: Option<Secret> = "organization" lenient,
    }
}
