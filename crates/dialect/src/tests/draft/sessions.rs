//! Setting up sessions: new ones, old ones, and their servers.

use expect_test::expect;

use super::*;

#[test]
fn new_session() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
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
        expect![[r#"
            {
              "cwd":"/home/user/project",
              "mcpServers":[
                {
                  "name":"filesystem",
                  "command":"mcp-server-filesystem",
                  "args":["/home/user/project"],
                  "env":[]
                }
              ],
              "systemPrompt":{
                "mode":"append",
                "content":[{"type":"text","text":"You are a helpful coding assistant."}]
              }
            }"#]],
    );
    check(
        &mut conversation,
        "agent= session/new",
        r#"{"sessionId": "s", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![[
            r#"{"sessionId":"s","_meta":{"attache.dialect":{"createdAt":"2026-02-04T10:30:00Z"}}}"#
        ]],
    );
    check(
        &mut conversation,
        "client session/new",
        r#"{
          "workingDirectory": "/p",
          "initialMode": "plan",
          "configOptions": {"autoApprove": true, "maxTokens": 4096}
        }"#,
        expect![[r#"
            {
              "cwd":"/p",
              "mcpServers":[],
              "_meta":{
                "attache.dialect":{"initialMode":"plan","configOptions":{"autoApprove":true,"maxTokens":4096}}
              }
            }"#]],
    );
    check(
        &mut conversation,
        "agent= session/new",
        r#"{"sessionId": "t", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![[r#"
            {
              "sessionId":"t",
              "_meta":{"attache.dialect":{"createdAt":"2026-02-04T10:30:00Z"}},
              "modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"plan"}]},
              "configOptions":[{"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true}]
            }"#]],
    );
}

#[test]
fn declared_modes_are_the_modes_of_every_session() {
    let mut conversation = TranslatedConversation::new();
    conversation.pass(
        "agent= initialize",
        r#"{
          "protocolVersion": 1,
          "agentInfo": {"name": "a", "version": "1"},
          "capabilities": {"sessionCapabilities": {"modes": ["default", "plan"]}}
        }"#,
    );
    conversation.pass("client session/new", r#"{"workingDirectory": "/p"}"#);
    check(
        &mut conversation,
        "agent= session/new",
        r#"{"sessionId": "s", "createdAt": "2026-02-04T10:30:00Z"}"#,
        expect![[r#"
            {
              "sessionId":"s",
              "_meta":{"attache.dialect":{"createdAt":"2026-02-04T10:30:00Z"}},
              "modes":{
                "currentModeId":"default",
                "availableModes":[{"id":"default","name":"default"},{"id":"plan","name":"plan"}]
              }
            }"#]],
    );
}

#[test]
fn new_session_for_a_draft_peer() {
    let mut conversation = TranslatedConversation::new();
    check_written(
        &mut conversation,
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
        expect![[
            r#"{"workingDirectory":"/p","additionalDirectories":["/q"],"systemPrompt":"a\n\nb"}"#
        ]],
    );
    conversation.pass("client session/new", r#"{"workingDirectory": "/p"}"#);
    check_written(
        &mut conversation,
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
        expect![[r#"{"sessionId":"s","mode":"ask","configOptions":{"m":"x"}}"#]],
    );
}

#[test]
fn mcp_servers_on_this_machine() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
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
        expect![[r#"
            {
              "cwd":"/p",
              "mcpServers":[
                {
                  "name":"a",
                  "command":"c",
                  "args":["--root","/home/user"],
                  "env":[{"name":"DEBUG","value":"1"}],
                  "_meta":{"attache.dialect":{"transport":{"cwd":"/home/user"}}}
                },
                {
                  "name":"b",
                  "command":"c",
                  "args":[],
                  "env":[],
                  "_meta":{"attache.dialect":{"transport":{"args":[],"env":{}}}}
                }
              ]
            }"#]],
    );
    check(
        &mut conversation,
        "client session/new",
        r#"{"workingDirectory": "/p", "mcpServers": []}"#,
        expect![[r#"{"cwd":"/p","mcpServers":[],"_meta":{"attache.dialect":{"mcpServers":[]}}}"#]],
    );
}

#[test]
fn mcp_servers_elsewhere() {
    let mut conversation = TranslatedConversation::new();
    check(
        &mut conversation,
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
        expect![[r#"
            {
              "cwd":"/p",
              "mcpServers":[
                {
                  "name":"c",
                  "type":"http",
                  "url":"https://api.example.com/mcp",
                  "headers":[{"name":"Authorization","value":"Bearer token"}],
                  "_meta":{"attache.dialect":{"transport":{"timeout":30000}}}
                },
                {
                  "name":"d",
                  "type":"sse",
                  "url":"https://api.example.com/mcp/events",
                  "headers":[]
                },
                {
                  "name":"e",
                  "type":"acp",
                  "serverId":"internal-tool",
                  "_meta":{
                    "attache.dialect":{"transport":{"agentUrl":"acp://trusted-agent.example.com"}}
                  }
                }
              ]
            }"#]],
    );
}

#[test]
fn mcp_servers_for_a_draft_agent() {
    let mut conversation = TranslatedConversation::new();
    check_written(
        &mut conversation,
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
        expect![[r#"
            {
              "workingDirectory":"/p",
              "mcpServers":[
                {"name":"a","transport":{"type":"stdio","command":"c","env":{"A":"1"}}},
                {"name":"b","transport":{"type":"http","url":"u"}},
                {"name":"c","transport":{"type":"acp","mcpServerName":"i"}}
              ]
            }"#]],
    );
}

#[test]
fn load_session() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/load",
        r#"{"sessionId": "s"}"#,
        expect![[r#"{"sessionId":"s","cwd":"/home/user/project","mcpServers":[]}"#]],
    );
    check(
        &mut conversation,
        "agent= session/load",
        r#"{
          "sessionId": "s",
          "workingDirectory": "/home/user/project",
          "mode": "plan",
          "configOptions": {"autoApprove": true, "model": "large", "maxTokens": 4096},
          "messageCount": 12
        }"#,
        expect![[r#"
            {
              "configOptions":[
                {"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true},
                {
                  "id":"model",
                  "name":"model",
                  "type":"select",
                  "options":[{"value":"large","name":"large"}],
                  "currentValue":"large"
                }
              ],
              "modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"plan"}]},
              "_meta":{
                "attache.dialect":{
                  "configOptions":{"autoApprove":true,"model":"large","maxTokens":4096},
                  "sessionId":"s",
                  "workingDirectory":"/home/user/project",
                  "messageCount":12
                }
              }
            }"#]],
    );
    check_written(
        &mut conversation,
        "agent session/load",
        r#"{"sessionId": "s", "cwd": "/p", "mcpServers": []}"#,
        expect![[r#"{"sessionId":"s"}"#]],
    );
}

const NO_DIRECTORY: &str = "Invalid params: workingDirectory: missing, and the session's directory is not known here; \
     send it with the call (-32602)";

fn refused_load(conversation: &mut TranslatedConversation, params: &str) {
    let refusal = conversation.client.read_call(call("session/load", params));
    assert_eq!(refusal.expect_err("refused").to_string(), NO_DIRECTORY);
}

#[test]
fn a_session_is_never_loaded_in_an_unknown_directory() {
    let mut conversation = TranslatedConversation::in_session();
    for unnamed in ["", r#","workingDirectory":"""#, r#","cwd":null"#] {
        refused_load(
            &mut conversation,
            &format!(r#"{{"sessionId":"old"{unnamed}}}"#),
        );
    }
    conversation
        .client
        .remember_session(&"old".into(), &"".into());
    refused_load(&mut conversation, r#"{"sessionId":"old"}"#);
    check_lossy(
        &mut conversation,
        "client session/load",
        r#"{"sessionId":"old","workingDirectory":"/named"}"#,
        expect![[r#"{"sessionId":"old","cwd":"/named","mcpServers":[]}"#]],
        expect![[r#"{"sessionId":"old"}"#]],
    );
}

#[test]
fn a_closed_session_is_loaded_in_its_directory() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass("client session/close", r#"{"sessionId":"s"}"#);
    check(
        &mut conversation,
        "client session/load",
        r#"{"sessionId":"s"}"#,
        expect![[r#"{"sessionId":"s","cwd":"/home/user/project","mcpServers":[]}"#]],
    );
}

#[test]
fn a_stored_session_does_not_count_as_live() {
    let mut conversation = TranslatedConversation::in_session();
    conversation
        .agent
        .remember_session(&"old".into(), &"/old".into());
    let (official, _) = conversation.pass("agent fs/read_text_file", r#"{"path":"a"}"#);
    assert_eq!(
        value(&official),
        value(r#"{"path":"/home/user/project/a","sessionId":"s"}"#)
    );
}

#[test]
fn load_session_that_the_program_has_stored() {
    let mut conversation = TranslatedConversation::new();
    conversation
        .client
        .remember_session(&"old".into(), &"/old".into());
    check(
        &mut conversation,
        "client session/load",
        r#"{"sessionId": "old"}"#,
        expect![[r#"{"sessionId":"old","cwd":"/old","mcpServers":[]}"#]],
    );
    check_written(
        &mut conversation,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "user_message_chunk",
            "content": {"type": "text", "text": "a"}
          }
        }"#,
        expect![[r#"{"sessionId":"old","type":"user_message_chunk","data":{"content":"a"}}"#]],
    );
    check_written(
        &mut conversation,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "b"}
          }
        }"#,
        expect![[r#"{"sessionId":"old","type":"agent_message_chunk","data":{"content":"b"}}"#]],
    );
    check_written(
        &mut conversation,
        "client session/update",
        r#"{
          "sessionId": "old",
          "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "c"}
          }
        }"#,
        expect![[r#"{"sessionId":"old","type":"agent_message_chunk","data":{"content":"c"}}"#]],
    );
    check_written(
        &mut conversation,
        "client= session/load",
        r#"null"#,
        expect![[r#"
            {
              "configOptions":{},
              "sessionId":"old",
              "workingDirectory":"/old",
              "messageCount":2,
              "mode":"default"
            }"#]],
    );
}
