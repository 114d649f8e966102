//! `initialize` and `authenticate`.

use expect_test::expect;

use super::*;

#[test]
fn client_capabilities() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
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
        expect![[r#"
            {
              "protocolVersion":1,
              "clientInfo":{"name":"VS Code","version":"1.85.0"},
              "clientCapabilities":{
                "fs":{
                  "readTextFile":true,
                  "writeTextFile":true,
                  "_meta":{"attache.dialect":{"watch":false}}
                },
                "terminal":true,
                "_meta":{
                  "attache.dialect":{
                    "terminal":{"create":true,"interactive":false,"maxConcurrent":5},
                    "ui":{"permissionDialogs":true,"diffViewer":true},
                    "_custom":{"x":1}
                  }
                }
              }
            }"#]],
    );
    check(
        &mut conversation,
        "client initialize",
        r#"{
          "protocolVersion": 1,
          "clientInfo": {"name": "a", "version": "1"},
          "capabilities": {"fs": {"read": true}, "terminal": {"create": false}}
        }"#,
        expect![[r#"
            {
              "protocolVersion":1,
              "clientInfo":{"name":"a","version":"1"},
              "clientCapabilities":{
                "fs":{"readTextFile":true},
                "terminal":false,
                "_meta":{"attache.dialect":{"terminal":{"create":false}}}
              }
            }"#]],
    );
    check(
        &mut conversation,
        "client initialize",
        r#"{
          "protocolVersion": 1,
          "clientInfo": {"name": "a", "version": "1"},
          "capabilities": {},
          "_meta": {"trace": "t"}
        }"#,
        expect![[r#"
            {
              "protocolVersion":1,
              "clientInfo":{"name":"a","version":"1"},
              "clientCapabilities":{},
              "_meta":{"trace":"t"}
            }"#]],
    );
}

#[test]
fn client_capabilities_for_a_draft_agent() {
    let mut conversation = TranslatedConversation::new();
    check_written(
        &mut conversation,
        "agent initialize",
        r#"{
          "protocolVersion": 1,
          "clientCapabilities": {
            "fs": {"readTextFile": true, "writeTextFile": false},
            "terminal": true,
            "elicitation": {"form": {}}
          }
        }"#,
        expect![[r#"
            {
              "protocolVersion":1,
              "capabilities":{
                "fs":{"read":true,"write":false},
                "terminal":{"create":true},
                "elicitation":{"form":{}}
              },
              "clientInfo":{"name":"unknown","version":"unknown"}
            }"#]],
    );
    check_written(
        &mut conversation,
        "agent initialize",
        r#"{"protocolVersion": 1}"#,
        expect![[r#"
        {
          "protocolVersion":1,
          "capabilities":{},
          "clientInfo":{"name":"unknown","version":"unknown"}
        }"#]],
    );
}

#[test]
fn agent_capabilities() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
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
        expect![[r#"
            {
              "protocolVersion":1,
              "agentInfo":{"name":"Claude Agent","version":"1.0.0"},
              "agentCapabilities":{
                "loadSession":true,
                "mcpCapabilities":{
                  "http":true,
                  "sse":false,
                  "_meta":{"attache.dialect":{"servers":true,"transport":["stdio","http"]}}
                },
                "promptCapabilities":{
                  "_meta":{"attache.dialect":{"streaming":true,"cancellation":true,"attachments":true}}
                },
                "sessionCapabilities":{
                  "_meta":{
                    "attache.dialect":{
                      "modes":["default","plan"],
                      "configOptions":["autoApprove"],
                      "persistence":true
                    }
                  }
                },
                "_meta":{"attache.dialect":{"_custom":{"codeAnalysis":true}}}
              },
              "_meta":{"attache.dialect":{"requiredClientCapabilities":{"fs":{"read":true}}}}
            }"#]],
    );
}

#[test]
fn some_agent_capabilities() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"mcpCapabilities": {"servers": false, "transport": ["sse"]}}
        }"#,
        expect![[r#"
            {
              "protocolVersion":1,
              "agentInfo":{"name":"a","version":"1"},
              "agentCapabilities":{
                "mcpCapabilities":{
                  "http":false,
                  "sse":false,
                  "_meta":{"attache.dialect":{"servers":false,"transport":["sse"]}}
                },
                "_meta":{"attache.dialect":{}}
              }
            }"#]],
    );
    check(
        &mut conversation,
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"sessionCapabilities": {"modes": ["default"]}}
        }"#,
        expect![[r#"
            {
              "protocolVersion":1,
              "agentInfo":{"name":"a","version":"1"},
              "agentCapabilities":{
                "sessionCapabilities":{"_meta":{"attache.dialect":{"modes":["default"]}}},
                "_meta":{"attache.dialect":{}}
              }
            }"#]],
    );
}

#[test]
fn agent_capabilities_for_a_draft_client() {
    let mut conversation = TranslatedConversation::new();
    check_written(
        &mut conversation,
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
        expect![[r#"
            {
              "protocolVersion":1,
              "capabilities":{
                "loadSession":true,
                "promptCapabilities":{"image":true,"streaming":true,"cancellation":true},
                "mcpCapabilities":{"servers":true,"transport":["stdio","http","sse"]},
                "sessionCapabilities":{"list":{},"persistence":true}
              },
              "authMethods":[{"id":"k","name":"Key"}],
              "agentInfo":{"name":"a","version":"1"}
            }"#]],
    );
    check_written(
        &mut conversation,
        "client= initialize",
        r#"{"protocolVersion": 1}"#,
        expect![[r#"
        {
          "protocolVersion":1,
          "capabilities":{
            "mcpCapabilities":{"servers":true,"transport":["stdio"]},
            "promptCapabilities":{"streaming":true,"cancellation":true},
            "sessionCapabilities":{"persistence":false}
          },
          "agentInfo":{"name":"unknown","version":"unknown"}
        }"#]],
    );
}

#[test]
fn login() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
        "client authenticate",
        r#"{"method": "api_key", "credentials": {"apiKey": "sk-..."}}"#,
        expect![[r#"
            {
              "methodId":"api_key",
              "_meta":{"attache.dialect":{"credentials":{"apiKey":"sk-..."}}}
            }"#]],
    );
    check(
        &mut conversation,
        "agent= authenticate",
        r#"{"success": true, "expiresAt": "2026-02-05T00:00:00Z"}"#,
        expect![[
            r#"{"_meta":{"attache.dialect":{"success":true,"expiresAt":"2026-02-05T00:00:00Z"}}}"#
        ]],
    );
    check_written(
        &mut conversation,
        "agent authenticate",
        r#"{"methodId": "oauth2"}"#,
        expect![[r#"{"method":"oauth2","credentials":{}}"#]],
    );
    check_written(
        &mut conversation,
        "client= authenticate",
        r#"{}"#,
        expect![[r#"{"success":true}"#]],
    );
    check_written(
        &mut conversation,
        "client= authenticate",
        r#"null"#,
        expect![[r#"{"success":true}"#]],
    );
}

#[test]
fn a_failed_login_is_an_error() {
    let mut conversation = TranslatedConversation::new();
    let mut failure = |result| {
        let result = conversation.agent.read_result(id(), "authenticate", result);
        result.expect_err("failed").to_string()
    };
    expect!["bad key (-32000)"].assert_eq(&failure(r#"{"success":false,"error":"bad key"}"#));
    expect!["authentication failed (-32000)"].assert_eq(&failure(r#"{"success":false}"#));
}
