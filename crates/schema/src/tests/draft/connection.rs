//! `initialize` and `authenticate`.

use expect_test::expect;

use super::*;

#[test]
fn client_capabilities() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "client initialize",
        r#"{
          "protocolVersion": 1,
          "clientInfo": {"name": "VS Code", "version": "1.85.0"},
          "capabilities": {
            "fs": {"read": true, "write": true, "watch": false},
            "terminal": {
              "create": true,
              "interactive": false,
              "maxConcurrent": 5
            },
            "ui": {"permissionDialogs": true, "diffViewer": true},
            "_custom": {"x": 1}
          }
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "client initialize",
        r#"{
          "protocolVersion": 1,
          "clientInfo": {"name": "a", "version": "1"},
          "capabilities": {"fs": {"read": true}, "terminal": {"create": false}}
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "client initialize",
        r#"{
          "protocolVersion": 1,
          "clientInfo": {"name": "a", "version": "1"},
          "capabilities": {},
          "_meta": {"trace": "t"}
        }"#,
        expect![],
    );
}

#[test]
fn client_capabilities_for_a_draft_agent() {
    let mut talk = Talk::new();
    check_written(
        &mut talk,
        "agent initialize",
        r#"{
          "protocolVersion": 1,
          "clientCapabilities": {
            "fs": {"readTextFile": true, "writeTextFile": false},
            "terminal": true,
            "elicitation": {"form": {}}
          }
        }"#,
        expect![],
    );
    check_written(&mut talk, "agent initialize", r#"{"protocolVersion": 1}"#, expect![]);
}

#[test]
fn agent_capabilities() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "Claude Agent", "version": "1.0.0"},
          "capabilities": {
            "loadSession": true,
            "mcpCapabilities": {
              "servers": true,
              "transport": ["stdio", "http"]
            },
            "promptCapabilities": {
              "streaming": true,
              "cancellation": true,
              "attachments": true
            },
            "sessionCapabilities": {
              "modes": ["default", "plan"],
              "configOptions": ["autoApprove"],
              "persistence": true
            },
            "_custom": {"codeAnalysis": true}
          },
          "requiredClientCapabilities": {"fs": {"read": true}}
        }"#,
        expect![],
    );
}

#[test]
fn some_agent_capabilities() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"mcpCapabilities": {"servers": false, "transport": ["sse"]}}
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"sessionCapabilities": {"modes": ["default"]}}
        }"#,
        expect![],
    );
}

#[test]
fn agent_capabilities_for_a_draft_client() {
    let mut talk = Talk::new();
    check_written(
        &mut talk,
        "client= initialize",
        r#"{
          "protocolVersion": 1,
          "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true},
            "mcpCapabilities": {"http": true, "sse": true},
            "sessionCapabilities": {"list": {}}
          },
          "authMethods": [{"id": "k", "name": "Key"}],
          "agentInfo": {"name": "a", "version": "1"}
        }"#,
        expect![],
    );
    check_written(&mut talk, "client= initialize", r#"{"protocolVersion": 1}"#, expect![]);
}

#[test]
fn login() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "client authenticate",
        r#"{"method": "api_key", "credentials": {"apiKey": "sk-..."}}"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= authenticate",
        r#"{"success": true, "expiresAt": "2026-02-05T00:00:00Z"}"#,
        expect![],
    );
    check_written(&mut talk, "agent authenticate", r#"{"methodId": "oauth2"}"#, expect![]);
    check_written(&mut talk, "client= authenticate", r#"{}"#, expect![]);
    check_written(&mut talk, "client= authenticate", r#"null"#, expect![]);
}

#[test]
fn a_login_that_did_not_succeed_is_an_error() {
    let mut talk = Talk::new();
    let mut failure = |result| {
        let result = talk.agent.read_result("authenticate", result);
        result.expect_err("failed").to_string()
    };
    expect![].assert_eq(&failure(r#"{"success":false,"error":"bad key"}"#));
    expect![].assert_eq(&failure(r#"{"success":false}"#));
}
