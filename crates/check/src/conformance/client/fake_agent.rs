//! The agent that a client under test talks to: it accepts the usual requests, and leaves prompts to the test case.

use serde_json::{Value, json};

use crate::conformance::test_connection::{HandlerReply, RequestHandler};

/// An agent with one session.
pub(crate) struct FakeAgent {
    pub(crate) capabilities: Value,
    pub(crate) version: Value,
    pub(crate) auth_methods: Value,
    /// Whether `session/new` fails until the client has logged in.
    pub(crate) requires_login: bool,
}

impl Default for FakeAgent {
    fn default() -> Self {
        FakeAgent {
            capabilities: json!({}),
            version: json!(1),
            auth_methods: json!([]),
            requires_login: false,
        }
    }
}

impl RequestHandler for FakeAgent {
    fn handle(&mut self, method: &str, _: &Value) -> HandlerReply {
        match method {
            "initialize" => HandlerReply::Ok(json!({
                "protocolVersion": self.version,
                "agentCapabilities": self.capabilities,
                "authMethods": self.auth_methods,
                "agentInfo": { "name": "attache-check", "version": env!("CARGO_PKG_VERSION") },
            })),
            "session/new" if self.requires_login => {
                HandlerReply::Error(-32000, "a login is required")
            }
            "session/new" => HandlerReply::Ok(json!({ "sessionId": SESSION })),
            "authenticate" => {
                self.requires_login = false;
                HandlerReply::Ok(json!({}))
            }
            "session/prompt" => HandlerReply::Defer,
            "session/load" | "session/resume" | "session/close" | "session/delete" | "logout"
            | "session/set_mode" => HandlerReply::Ok(json!({})),
            "session/list" => HandlerReply::Ok(json!({ "sessions": [] })),
            _ => HandlerReply::Error(-32601, "method not found"),
        }
    }
}

/// The id of the only session.
pub(crate) const SESSION: &str = "check-session";
