//! The agent that a client under test talks to, as far as it does not matter: it says yes, and leaves prompts to the act.

use serde_json::{Value, json};

use crate::conformance::stage::{Manners, Reply};

pub(crate) struct Post {
    pub(crate) capabilities: Value,
    pub(crate) version: Value,
    pub(crate) logins: Value,
    /// Whether a session wants a login first.
    pub(crate) locked: bool,
}

impl Default for Post {
    fn default() -> Self {
        Post {
            capabilities: json!({}),
            version: json!(1),
            logins: json!([]),
            locked: false,
        }
    }
}

impl Manners for Post {
    fn answer(&mut self, method: &str, _: &Value) -> Reply {
        match method {
            "initialize" => Reply::Ok(json!({
                "protocolVersion": self.version,
                "agentCapabilities": self.capabilities,
                "authMethods": self.logins,
                "agentInfo": { "name": "attache-check", "version": env!("CARGO_PKG_VERSION") },
            })),
            "session/new" if self.locked => Reply::Fail(-32000, "a login is needed"),
            "session/new" => Reply::Ok(json!({ "sessionId": SESSION })),
            "authenticate" => {
                self.locked = false;
                Reply::Ok(json!({}))
            }
            "session/prompt" => Reply::Hold,
            "session/load" | "session/resume" | "session/close" | "session/delete" | "logout"
            | "session/set_mode" => Reply::Ok(json!({})),
            "session/list" => Reply::Ok(json!({ "sessions": [] })),
            _ => Reply::Fail(-32601, "method not found"),
        }
    }
}

/// The id of the one session.
pub(crate) const SESSION: &str = "check-session";
