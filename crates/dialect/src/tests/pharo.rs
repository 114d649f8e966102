//! The Pharo shape, row by row: the peer's JSON first, the official one second.

mod error;
mod host;
mod initialize;
mod permission;
mod session;
mod update;

use super::call_translator::TranslatedConversation;
use crate::{Dialect, Role};

fn agent() -> TranslatedConversation {
    TranslatedConversation::new(Dialect::Pharo, Role::Agent)
}

fn client() -> TranslatedConversation {
    TranslatedConversation::new(Dialect::Pharo, Role::Client)
}

/// Parameters that are read, and written back as they were.
fn check(method: &str, peers: &str, official: &str) {
    agent().reads(method, peers, official);
    client().writes(method, peers, official);
}

/// A result, likewise.
fn check_result(method: &str, peers: &str, official: &str) {
    client().reads_result(method, peers, official);
    agent().writes_result(method, peers, official);
}

/// An update, likewise.
fn check_update(peers: &str, official: &str) {
    check("session/update", &of_session(peers), &of_session(official));
}

fn of_session(update: &str) -> String {
    format!(r#"{{"sessionId":"s","update":{update}}}"#)
}

#[test]
fn credentials() {
    check(
        "authenticate",
        r#"{"methodId":"api_key","credentials":{"apiKey":"k"}}"#,
        r#"{"methodId":"api_key","_meta":{"attache.dialect":{"credentials":{"apiKey":"k"}}}}"#,
    );
}

#[test]
fn empty_results_are_null() {
    for method in [
        "authenticate",
        "session/set_mode",
        "fs/write_text_file",
        "terminal/kill",
        "terminal/release",
        "session/load",
    ] {
        check_result(method, "null", "{}");
    }
}

#[test]
fn stop_reasons() {
    check_result(
        "session/prompt",
        r#"{"stopReason":"refusal"}"#,
        r#"{"stopReason":"refusal"}"#,
    );
    client().writes_result(
        "session/prompt",
        r#"{"stopReason":"max_tokens"}"#,
        r#"{"stopReason":"max_turn_requests"}"#,
    );
}

#[test]
fn messages_of_other_shapes_pass_unchanged() {
    for method in ["session/cancel", "session/set_mode", "_x/y"] {
        let params = r#"{ "sessionId":"s", "modeId":"m" }"#;
        check(method, params, params);
    }
}
