//! Building messages with `new` and setters: one realistic message of each group.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::Meta;
use crate::json::{self, Encode, MaybeUndefined};
use crate::v1;

fn check(message: &impl Encode, expect: Expect) {
    let value: Value = serde_json::from_str(&json::to_string(message)).expect("JSON");
    expect.assert_eq(&format!("{}\n", shown(&value, 0)));
}

/// Formats a value, on one line if it fits.
fn shown(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let parts: Vec<String> = match value {
        _ if indent + line.len() <= 90 => return line,
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("\"{name}\":{}", shown(value, indent + 2))
            };
            members.iter().map(member).collect()
        }
        Value::Array(items) => items.iter().map(|item| shown(item, indent + 2)).collect(),
        _ => return line,
    };
    let (open, close) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    let gap = " ".repeat(indent);
    let parts: String = parts
        .iter()
        .map(|part| format!("{gap}  {part},\n"))
        .collect();
    format!("{open}\n{parts}{gap}{close}")
}

#[test]
fn an_initialize_request() {
    let message = v1::InitializeRequest::new(v1::ProtocolVersion::V1)
        .client_info(v1::Implementation::new("editor", "1.2.3").title("The Editor"))
        .client_capabilities(
            v1::ClientCapabilities::new()
                .fs(v1::FileSystemCapabilities::new().read_text_file(true))
                .terminal(true)
                .elicitation(
                    v1::ElicitationCapabilities::new().form(v1::ElicitationFormCapabilities::new()),
                )
                .session(
                    v1::ClientSessionCapabilities::new()
                        .notices(v1::NoticeCapabilities::new())
                        .config_options(
                            v1::SessionConfigOptionsCapabilities::new()
                                .boolean(v1::BooleanConfigOptionCapabilities::new()),
                        ),
                ),
        );
    check(
        &message,
        expect![[r#"
            {
              "protocolVersion":1,
              "clientCapabilities":{
                "fs":{"readTextFile":true,"writeTextFile":false},
                "terminal":true,
                "session":{"configOptions":{"boolean":{}},"notices":{}},
                "auth":{"terminal":false},
                "elicitation":{"form":{}},
              },
              "clientInfo":{"name":"editor","version":"1.2.3","title":"The Editor"},
            }
        "#]],
    );
}

#[test]
fn an_initialize_response() {
    let message = v1::InitializeResponse::new(v1::ProtocolVersion::V1)
        .agent_info(v1::Implementation::new("agent", "0.1.0"))
        .agent_capabilities(
            v1::AgentCapabilities::new()
                .load_session(true)
                .prompt_capabilities(v1::PromptCapabilities::new().image(true))
                .session_capabilities(
                    v1::SessionCapabilities::new()
                        .list(v1::SessionListCapabilities::new())
                        .resume(v1::SessionResumeCapabilities::new()),
                ),
        )
        .auth_methods(vec![
            v1::AuthMethod::Agent(v1::AuthMethodAgent::new("browser", "Log in")),
            v1::AuthMethod::Terminal(
                v1::AuthMethodTerminal::new("tui", "Log in here")
                    .args(["login"])
                    .env([("TERM", "xterm")]),
            ),
        ]);
    check(
        &message,
        expect![[r#"
            {
              "protocolVersion":1,
              "agentCapabilities":{
                "loadSession":true,
                "promptCapabilities":{"image":true,"audio":false,"embeddedContext":false},
                "mcpCapabilities":{"http":false,"sse":false,"acp":false},
                "sessionCapabilities":{"list":{},"resume":{}},
                "auth":{},
              },
              "authMethods":[
                {"id":"browser","name":"Log in"},
                {
                  "type":"terminal",
                  "id":"tui",
                  "name":"Log in here",
                  "args":["login"],
                  "env":{"TERM":"xterm"},
                },
              ],
              "agentInfo":{"name":"agent","version":"0.1.0"},
            }
        "#]],
    );
}

#[test]
fn a_session_with_mcp_servers() {
    let servers = vec![
        v1::McpServer::Stdio(v1::McpServerStdio::new(
            "files",
            "/usr/bin/mcp-files",
            ["--root", "/project"],
            [v1::EnvVariable::new("LOG", "debug")],
        )),
        v1::McpServer::Http(v1::McpServerHttp::new(
            "issues",
            "https://example.com/mcp",
            [v1::HttpHeader::new("Authorization", "Bearer …")],
        )),
    ];
    let message = v1::NewSessionRequest::new("/project", servers)
        .additional_directories(["/shared"])
        .meta(Meta::new().with(
            "traceparent",
            json!("00-0af7651916cd43dd-b7ad6b7169203331-01"),
        ));
    check(
        &message,
        expect![[r#"
            {
              "cwd":"/project",
              "mcpServers":[
                {
                  "name":"files",
                  "command":"/usr/bin/mcp-files",
                  "args":["--root","/project"],
                  "env":[{"name":"LOG","value":"debug"}],
                },
                {
                  "type":"http",
                  "name":"issues",
                  "url":"https://example.com/mcp",
                  "headers":[{"name":"Authorization","value":"Bearer …"}],
                },
              ],
              "additionalDirectories":["/shared"],
              "_meta":{"traceparent":"00-0af7651916cd43dd-b7ad6b7169203331-01"},
            }
        "#]],
    );
}

#[test]
fn a_prompt() {
    let message = v1::PromptRequest::new(
        "s1",
        vec![
            "What does this do?".into(),
            v1::ContentBlock::ResourceLink(
                v1::ResourceLink::new("main.rs", "file:///project/main.rs")
                    .mime_type("text/x-rust")
                    .size(120),
            ),
            v1::ContentBlock::Image(
                v1::ImageContent::new("iVBORw0KGgo=", "image/png").annotations(
                    v1::Annotations::new()
                        .audience([v1::Role::User])
                        .priority(0.5),
                ),
            ),
        ],
    );
    check(
        &message,
        expect![[r#"
            {
              "sessionId":"s1",
              "prompt":[
                {"type":"text","text":"What does this do?"},
                {
                  "type":"resource_link",
                  "name":"main.rs",
                  "uri":"file:///project/main.rs",
                  "mimeType":"text/x-rust",
                  "size":120,
                },
                {
                  "type":"image",
                  "data":"iVBORw0KGgo=",
                  "mimeType":"image/png",
                  "annotations":{"audience":["user"],"priority":0.5},
                },
              ],
            }
        "#]],
    );
}

#[test]
fn a_tool_call_and_its_update() {
    let call = v1::ToolCall::new("call_1", "Edit main.rs")
        .name("edit_file")
        .kind(v1::ToolKind::Edit)
        .status(v1::ToolCallStatus::InProgress)
        .locations([v1::ToolCallLocation::new("/project/main.rs").line(12)])
        .raw_input(json!({"path": "/project/main.rs", "replace": "a", "with": "b"}));
    check(
        &v1::SessionNotification::new("s1", call),
        expect![[r#"
            {
              "sessionId":"s1",
              "update":{
                "sessionUpdate":"tool_call",
                "toolCallId":"call_1",
                "title":"Edit main.rs",
                "name":"edit_file",
                "kind":"edit",
                "status":"in_progress",
                "locations":[{"path":"/project/main.rs","line":12}],
                "rawInput":{"path":"/project/main.rs","replace":"a","with":"b"},
              },
            }
        "#]],
    );
    let done = v1::ToolCallUpdate::new("call_1")
        .status(v1::ToolCallStatus::Completed)
        .content([
            v1::ToolCallContent::Diff(v1::Diff::new("/project/main.rs", "b\n").old_text("a\n")),
            v1::ToolCallContent::Content(v1::Content::new("1 replacement")),
        ]);
    check(
        &v1::SessionNotification::new("s1", done),
        expect![[r#"
            {
              "sessionId":"s1",
              "update":{
                "sessionUpdate":"tool_call_update",
                "toolCallId":"call_1",
                "status":"completed",
                "content":[
                  {"type":"diff","path":"/project/main.rs","newText":"b\n","oldText":"a\n"},
                  {"type":"content","content":{"type":"text","text":"1 replacement"}},
                ],
              },
            }
        "#]],
    );
}

#[test]
fn a_permission_request_and_its_response() {
    let message = v1::RequestPermissionRequest::new(
        "s1",
        v1::ToolCallUpdate::new("call_2")
            .title("rm -r build")
            .kind(v1::ToolKind::Execute),
        vec![
            v1::PermissionOption::new("yes", "Run it", v1::PermissionOptionKind::AllowOnce),
            v1::PermissionOption::new("no", "Do not", "reject_once"),
        ],
    );
    check(
        &message,
        expect![[r#"
            {
              "sessionId":"s1",
              "toolCall":{"toolCallId":"call_2","title":"rm -r build","kind":"execute"},
              "options":[
                {"optionId":"yes","name":"Run it","kind":"allow_once"},
                {"optionId":"no","name":"Do not","kind":"reject_once"},
              ],
            }
        "#]],
    );
    let answer = v1::RequestPermissionResponse::new(v1::RequestPermissionOutcome::Selected(
        v1::SelectedPermissionOutcome::new("yes"),
    ));
    check(
        &answer,
        expect![[r#"
            {"outcome":{"outcome":"selected","optionId":"yes"}}
        "#]],
    );
}

#[test]
fn an_elicitation_form() {
    let colours = ["red", "green"].map(|colour| v1::EnumOption::new(colour, colour.to_uppercase()));
    let schema = v1::ElicitationSchema::new()
        .title("A new project")
        .properties([
            (
                "name".to_owned(),
                v1::ElicitationPropertySchema::String(
                    v1::StringPropertySchema::new().title("Name").min_length(1),
                ),
            ),
            (
                "colours".to_owned(),
                v1::ElicitationPropertySchema::Array(v1::MultiSelectPropertySchema::new(
                    v1::MultiSelectItems::Titled(v1::TitledMultiSelectItems::new(colours)),
                )),
            ),
        ])
        .required(["name"]);
    let message = v1::CreateElicitationRequest::new(
        "What shall it be?",
        v1::ElicitationScope::Session(
            v1::ElicitationSessionScope::new("s1").tool_call_id("call_3"),
        ),
        v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema)),
    );
    check(
        &message,
        expect![[r#"
            {
              "message":"What shall it be?",
              "sessionId":"s1",
              "toolCallId":"call_3",
              "mode":"form",
              "requestedSchema":{
                "type":"object",
                "title":"A new project",
                "properties":{
                  "colours":{
                    "type":"array",
                    "items":{"anyOf":[{"const":"red","title":"RED"},{"const":"green","title":"GREEN"}]},
                  },
                  "name":{"type":"string","title":"Name","minLength":1},
                },
                "required":["name"],
              },
            }
        "#]],
    );
}

#[test]
fn a_config_option() {
    let models = v1::SessionConfigSelectOptions::Ungrouped(vec![
        v1::SessionConfigSelectOption::new("small", "Small"),
        v1::SessionConfigSelectOption::new("large", "Large").description("Slow and clever"),
    ]);
    let option = v1::SessionConfigOption::new(
        "model",
        "Model",
        v1::SessionConfigKind::Select(v1::SessionConfigSelect::new("small", models)),
    )
    .category(v1::SessionConfigOptionCategory::Model);
    check(
        &option,
        expect![[r#"
            {
              "id":"model",
              "name":"Model",
              "type":"select",
              "currentValue":"small",
              "options":[
                {"value":"small","name":"Small"},
                {"value":"large","name":"Large","description":"Slow and clever"},
              ],
              "category":"model",
            }
        "#]],
    );
    check(
        &v1::SetSessionConfigOptionRequest::new("s1", "web", true),
        expect![[r#"
            {"sessionId":"s1","configId":"web","type":"boolean","value":true}
        "#]],
    );
}

#[test]
fn a_plan() {
    let plan = v1::Plan::new([
        v1::PlanEntry::new(
            "Read",
            v1::PlanEntryPriority::High,
            v1::PlanEntryStatus::Completed,
        ),
        v1::PlanEntry::new("Write", "medium", "pending"),
    ]);
    check(
        &v1::SessionNotification::new("s1", plan),
        expect![[r#"
            {
              "sessionId":"s1",
              "update":{
                "sessionUpdate":"plan",
                "entries":[
                  {"content":"Read","priority":"high","status":"completed"},
                  {"content":"Write","priority":"medium","status":"pending"},
                ],
              },
            }
        "#]],
    );
}

#[test]
fn an_update_that_clears_a_title() {
    let mut update = v1::SessionInfoUpdate::new().updated_at("2026-01-01T00:00:00Z");
    update.title = MaybeUndefined::Null;
    check(
        &v1::SessionNotification::new("s1", update),
        expect![[r#"
            {
              "sessionId":"s1",
              "update":{"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-01-01T00:00:00Z"},
            }
        "#]],
    );
}

#[test]
fn a_command_in_a_terminal() {
    let message = v1::CreateTerminalRequest::new("s1", "cargo")
        .args(["test"])
        .env([v1::EnvVariable::new("CI", "1")])
        .cwd("/project")
        .output_byte_limit(65_536);
    check(
        &message,
        expect![[r#"
            {
              "sessionId":"s1",
              "command":"cargo",
              "args":["test"],
              "env":[{"name":"CI","value":"1"}],
              "cwd":"/project",
              "outputByteLimit":65536,
            }
        "#]],
    );
    let status = v1::TerminalExitStatus::new().exit_code(0);
    let output = v1::TerminalOutputResponse::new("ok\n", false).exit_status(status);
    check(
        &output,
        expect![[r#"
            {"output":"ok\n","truncated":false,"exitStatus":{"exitCode":0}}
        "#]],
    );
}

#[test]
fn an_empty_list_needs_no_type() {
    let new = v1::NewSessionRequest::new("/project", []);
    check(
        &new,
        expect![[r#"
            {"cwd":"/project","mcpServers":[]}
        "#]],
    );
    assert_eq!(v1::LoadSessionRequest::new("s1", "/", []).mcp_servers, []);
    let resume = v1::ResumeSessionRequest::new("s1", "/").mcp_servers([]);
    let fork = v1::ForkSessionRequest::new("s1", "/").mcp_servers([]);
    assert_eq!(resume.mcp_servers, fork.mcp_servers);
    assert_eq!(v1::ListSessionsResponse::new([]).sessions, []);
}

#[test]
fn unique_ids_differ_and_say_what_they_name() {
    let ids: Vec<_> = (0..100).map(|_| v1::ToolCallId::unique()).collect();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    assert!(ids[0].as_str().starts_with("call-"));
    assert!(v1::SessionId::unique().as_str().starts_with("session-"));
}

#[test]
fn ids_are_compared_with_text() {
    let id = v1::SessionId::from("s");
    let other: &str = "t";
    assert_eq!(id, "s");
    assert_eq!("s", id);
    assert_eq!(id, *"s");
    assert_eq!(*"s", id);
    assert_ne!(id, other);
}

#[test]
fn an_option_is_picked_by_its_kind_and_never_a_lasting_one() {
    use v1::PermissionOptionKind as Kind;
    let check = |kinds: &[Kind], allows: bool, rejects: bool| {
        let options = kinds
            .iter()
            .map(|kind| v1::PermissionOption::new(kind.as_str(), "An option", kind.clone()));
        let call = v1::ToolCallUpdate::new("t");
        let request = v1::RequestPermissionRequest::new("s", call, options);
        for (response, option, is_there) in [
            (request.allow_once(), "allow_once", allows),
            (request.reject_once(), "reject_once", rejects),
        ] {
            assert_eq!(response.is_some(), is_there, "{option} of {kinds:?}");
            assert!(response.is_none_or(|response| response.outcome.selects(option)));
        }
    };
    check(
        &[
            Kind::AllowAlways,
            Kind::AllowOnce,
            Kind::RejectAlways,
            Kind::RejectOnce,
        ],
        true,
        true,
    );
    check(&[Kind::AllowAlways, Kind::RejectAlways], false, false);
    check(
        &[Kind::from("allow_once_more"), Kind::RejectOnce],
        false,
        true,
    );
    check(&[], false, false);
}

#[test]
fn a_setter_takes_a_value_or_an_option() {
    let kept = v1::Implementation::new("a", "1").title("T");
    let title: Option<&str> = Some("T");
    assert_eq!(v1::Implementation::new("a", "1").title(title), kept);
    assert_eq!(
        v1::Implementation::new("a", "1").title(kept.title.clone()),
        kept
    );
    let none: Option<String> = None;
    assert_eq!(v1::Implementation::new("a", "1").title(none).title, None);
    let read = v1::ReadTextFileRequest::new("s", "/a");
    assert_eq!(read.clone().line(7).line, read.line(Some(7)).line);
}
