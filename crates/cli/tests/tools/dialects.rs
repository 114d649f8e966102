//! Peers that speak a dialect: every command that talks to one detects it from the first messages.

use std::fs;

use expect_test::{Expect, expect};

use crate::{Machine, scripts};

/// An agent of the draft, and what a command sends to it behind `initialize`.
fn check_sent(arguments: &[&str], expected: &Expect) {
    let machine = Machine::new();
    let noted = r#"
    *'"session/new"'*) printf '%s\n' "$line" >>sent; answer '"result":{"sessionId":"s"}' ;;
    *'"session/load"'*) printf '%s\n' "$line" >>sent; answer '"result":{}' ;;
    *'"session/prompt"'*) printf '%s\n' "$line" >>sent; answer '"result":{"stopReason":"end_turn"}' ;;"#;
    let capabilities = r#""capabilities":{"loadSession":true}"#;
    machine.program("bin/agent", &scripts::agent(capabilities, noted));
    let output = machine.attache(&[arguments, &["--", "agent"]].concat());
    let sent = machine.path("project/sent");
    assert!(sent.exists(), "{}", machine.shown(&output));
    let sent = fs::read_to_string(sent).unwrap();
    let root = machine.path("").display().to_string();
    expected.assert_eq(&sent.replace(root.trim_end_matches('/'), "~"));
}

/// A client of the draft, and what an agent of ours answers to its `initialize`.
fn check_answered(arguments: &[&str]) {
    let machine = Machine::new();
    machine.program("bin/claude", "#!/bin/sh\necho '1.0.0 (Claude Code)'\n");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{}}}"#;
    let output = machine.send(arguments, format!("{hello}\n").as_bytes());
    let shown = machine.shown(&output);
    let answer = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answer.lines().count(), 1, "{shown}");
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert!(answer["result"]["capabilities"].is_object(), "{shown}");
    let official = answer["result"].get("agentCapabilities");
    assert!(official.is_none(), "{shown}");
}

#[test]
fn run_speaks_the_dialect_of_its_agent() {
    check_sent(
        &["run", "hello"],
        &expect![[r#"
        {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"workingDirectory":"~/project"}}
        {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","content":[{"type":"text","text":"hello"}]}}
    "#]],
    );
}

#[test]
fn doctor_speaks_the_dialect_of_its_agent() {
    check_sent(
        &["doctor"],
        &expect![[r#"
        {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"workingDirectory":"~/project"}}
    "#]],
    );
}

#[test]
fn sessions_speaks_the_dialect_of_its_agent() {
    check_sent(
        &["sessions", "show", "one"],
        &expect![[r#"
        {"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"one"}}
    "#]],
    );
}

#[test]
fn the_agent_answers_in_the_dialect_of_its_client() {
    check_answered(&["agent", "--data", "data"]);
}

#[test]
fn claude_answers_in_the_dialect_of_its_client() {
    check_answered(&["claude"]);
}
