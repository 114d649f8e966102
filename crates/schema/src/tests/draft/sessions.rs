//! Setting up sessions: new ones, old ones, and their servers.

use expect_test::expect;

use super::*;

#[test]
fn new_session() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "client session/new",
        r#"{
          "workingDirectory": "/home/user/project",
          "mcpServers": [
            {
              "name": "filesystem",
              "transport": {
                "type": "stdio",
                "command": "mcp-server-filesystem",
                "args": ["/home/user/project"]
              }
            }
          ],
          "systemPrompt": "You are a helpful coding assistant."
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= session/new",
        r#"{"sessionId": "s", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![],
    );
    check(
        &mut talk,
        "client session/new",
        r#"{
          "workingDirectory": "/p",
          "initialMode": "plan",
          "configOptions": {"autoApprove": true, "maxTokens": 4096}
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= session/new",
        r#"{"sessionId": "t", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![],
    );
}

#[test]
fn declared_modes_are_the_modes_of_every_session() {
    let mut talk = Talk::new();
    talk.pass(
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"sessionCapabilities": {"modes": ["default", "plan"]}}
        }"#,
    );
    talk.pass("client session/new", r#"{"workingDirectory": "/p"}"#);
    check(
        &mut talk,
        "agent= session/new",
        r#"{"sessionId": "s", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![],
    );
}

#[test]
fn new_session_for_a_draft_peer() {
    let mut talk = Talk::new();
    check_written(
        &mut talk,
        "agent session/new",
        r#"{
          "cwd": "/p",
          "mcpServers": [],
          "additionalDirectories": ["/q"],
          "systemPrompt": {
            "mode": "override",
            "content": [
              {"type": "text", "text": "a"},
              {"type": "text", "text": "b"}
            ]
          }
        }"#,
        expect![],
    );
    talk.pass("client session/new", r#"{"workingDirectory": "/p"}"#);
    check_written(
        &mut talk,
        "client= session/new",
        r#"{
          "sessionId": "s",
          "modes": {
            "currentModeId": "ask",
            "availableModes": [{"id": "ask", "name": "Ask"}]
          },
          "configOptions": [
            {
              "id": "m",
              "name": "Model",
              "type": "select",
              "currentValue": "x",
              "options": [{"value": "x", "name": "X"}]
            }
          ]
        }"#,
        expect![],
    );
}

#[test]
fn mcp_servers_on_this_machine() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "client session/new",
        r#"{
          "workingDirectory": "/p",
          "mcpServers": [
            {
              "name": "a",
              "transport": {
                "type": "stdio",
                "command": "c",
                "args": ["--root", "/home/user"],
                "env": {"DEBUG": "1"},
                "cwd": "/home/user"
              }
            },
            {
              "name": "b",
              "transport": {
                "type": "stdio",
                "command": "c",
                "args": [],
                "env": {}
              }
            }
          ]
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "client session/new",
        r#"{"workingDirectory": "/p", "mcpServers": []}"#,
        expect![],
    );
}

#[test]
fn mcp_servers_elsewhere() {
    let mut talk = Talk::new();
    check(
        &mut talk,
        "client session/new",
        r#"{
          "workingDirectory": "/p",
          "mcpServers": [
            {
              "name": "c",
              "transport": {
                "type": "http",
                "url": "https://api.example.com/mcp",
                "headers": {"Authorization": "Bearer token"},
                "timeout": 30000
              }
            },
            {
              "name": "d",
              "transport": {
                "type": "sse",
                "url": "https://api.example.com/mcp/events"
              }
            },
            {
              "name": "e",
              "transport": {
                "type": "acp",
                "agentUrl": "acp://trusted-agent.example.com",
                "mcpServerName": "internal-tool"
              }
            }
          ]
        }"#,
        expect![],
    );
}

#[test]
fn mcp_servers_for_a_draft_agent() {
    let mut talk = Talk::new();
    check_written(
        &mut talk,
        "agent session/new",
        r#"{
          "cwd": "/p",
          "mcpServers": [
            {
              "name": "a",
              "command": "c",
              "args": [],
              "env": [{"name": "A", "value": "1"}]
            },
            {"type": "http", "name": "b", "url": "u", "headers": []},
            {"type": "acp", "name": "c", "serverId": "i"}
          ]
        }"#,
        expect![],
    );
}

#[test]
fn load_session() {
    let mut talk = Talk::in_session();
    check(&mut talk, "client session/load", r#"{"sessionId": "s"}"#, expect![]);
    check(
        &mut talk,
        "agent= session/load",
        r#"{
          "sessionId": "s",
          "workingDirectory": "/home/user/project",
          "mode": "plan",
          "configOptions": {"autoApprove": true, "model": "large", "maxTokens": 4096},
          "messageCount": 12
        }"#,
        expect![],
    );
    check_written(
        &mut talk,
        "agent session/load",
        r#"{"sessionId": "s", "cwd": "/p", "mcpServers": []}"#,
        expect![],
    );
}

#[test]
fn load_session_that_this_connection_has_not_seen() {
    let mut talk = Talk::new();
    check(&mut talk, "client session/load", r#"{"sessionId": "old"}"#, expect![]);
    check_written(
        &mut talk,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "user_message_chunk",
            "content": {"type": "text", "text": "a"}
          }
        }"#,
        expect![],
    );
    check_written(
        &mut talk,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "b"}
          }
        }"#,
        expect![],
    );
    check_written(
        &mut talk,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "c"}
          }
        }"#,
        expect![],
    );
    check_written(&mut talk, "client= session/load", r#"null"#, expect![]);
}
