//! Logging in and out.

use std::collections::BTreeMap;

use crate::Secret;

ids! {
    /// Names a way to log in.
    AuthMethodId
}

union! {
    /// A way to log in.
    pub enum AuthMethod by "type" {
        /// The client runs the agent's command in a terminal; never passed to `authenticate`.
        Terminal(AuthMethodTerminal) = "terminal",
    }
    untagged
    /// The agent logs in by itself when `authenticate` is called.
    Agent(AuthMethodAgent) = "agent"
}

message! {
    /// A login that the agent carries out.
    pub struct AuthMethodAgent {
        /// Its name for programs.
        id: AuthMethodId = "id",
        /// Its name for people.
        name: String = "name",
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// A login in a terminal: the agent's own command with more arguments.
    pub struct AuthMethodTerminal {
        /// Its name for programs.
        id: AuthMethodId = "id",
        /// Its name for people.
        name: String = "name",
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
        /// Arguments to append.
        args: Vec<String> = "args" nullable,
        /// Environment variables to set.
        env: BTreeMap<String, Secret> = "env" nullable,
    }
}

message! {
    /// Asks the agent to log in.
    pub struct AuthenticateRequest {
        /// By which method.
        method_id: AuthMethodId = "methodId",
    }
}

message! {
    /// The login went well.
    pub struct AuthenticateResponse or null {}
}

message! {
    /// Asks the agent to forget the login.
    pub struct LogoutRequest or null {}
}

message! {
    /// The login is forgotten.
    pub struct LogoutResponse or null {}
}

message! {
    /// Asks whether the agent is logged in (unstable).
    pub struct AuthStatusRequest or null {}
}

message! {
    /// Whether the agent is logged in, and as whom (unstable).
    pub struct AuthStatusResponse {
        /// Logged in or not.
        state: AuthState = "state",
        ..
        /// The accounts, for display only.
        accounts: Vec<AuthAccount> = "accounts" items,
    }
}

message! {
    /// The login has changed (unstable).
    pub struct AuthStatusUpdateNotification {
        /// Logged in or not.
        state: AuthState = "state",
        ..
        /// The accounts, for display only.
        accounts: Vec<AuthAccount> = "accounts" items,
    }
}

open_enum! {
    /// Whether an agent is logged in (unstable). A value that is not known counts as `unknown`.
    pub enum AuthState {
        /// Logged in.
        Authenticated = "authenticated",
        /// Not logged in, and a login is needed.
        Unauthenticated = "unauthenticated",
        /// No login is needed.
        NotRequired = "not_required",
        /// The agent cannot tell.
        Unknown = "unknown",
    }
}

message! {
    /// An account, for display only: none of it is an id, and none of it belongs in a log (unstable).
    pub struct AuthAccount {
        /// What to show.
        label: Secret = "label",
        ..
        /// Whether it is the one in use.
        active: Option<bool> = "active" lenient,
        /// The person's name.
        name: Option<Secret> = "name" lenient,
        /// The person's address.
        email: Option<Secret> = "email" lenient,
        /// The person's organisation.
        organization: Option<Secret> = "organization" lenient,
    }
}
