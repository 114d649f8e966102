//! Tests of modes, options, permission requests and updates as values.

#![cfg(test)]

mod attack_suggestions;
mod mcp_elicitations;
mod settings;

use std::collections::BTreeMap;

use attache::json::{Encode, Raw};
use attache::v1;
use attache_adapter::frames::{CanUseTool, Frame};
use attache_adapter::{elicitation, launch, permission, prompt, tools};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn check(value: &(impl Encode + ?Sized), expected: &Expect) {
    expected.assert_eq(Raw::of(value).as_str());
}

fn asked(request: Value) -> CanUseTool {
    let frame = json!({ "type": "control_request", "request_id": "q", "request": request });
    match Frame::from_value(frame) {
        Frame::CanUseTool(question) => *question,
        other => panic!("{other:?}"),
    }
}

fn command() -> CanUseTool {
    asked(json!({
        "subtype": "can_use_tool",
        "tool_name": "Bash",
        "input": { "command": "touch a" },
        "tool_use_id": "t",
        "permission_suggestions": [
            { "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": "touch a *" }], "behavior": "allow", "destination": "localSettings" },
            { "type": "addDirectories", "directories": ["/other"], "destination": "session" },
            { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
        ],
    }))
}

#[test]
fn an_option_says_what_choosing_it_writes() {
    check_options(
        &command(),
        &expect![[r#"
            allow_once allow: Allow
            allow_always allow_always:0: Always allow Bash(touch a *) in this project's local settings (.claude/settings.local.json)
            allow_always allow_always:1: Let Claude work in /other for this session
            allow_always allow_always:2: Accept all edits (mode acceptEdits) for this session
            reject_once reject: Reject"#]],
    );
}

fn check_options(question: &CanUseTool, expected: &Expect) {
    let options = permission::options(question, false);
    let lines = options.iter().map(|option| {
        let (kind, id) = (&option.kind, option.option_id.as_str());
        format!("{kind} {id}: {}", option.name)
    });
    expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

/// A permission request with suggestions and one additional member.
fn suggesting(name: &str, value: Value) -> CanUseTool {
    let mut request = json!({
        "subtype": "can_use_tool",
        "tool_name": "Bash",
        "input": { "command": "touch a" },
        "permission_suggestions": [
            { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
        ],
    });
    request[name] = value;
    asked(request)
}

#[test]
fn nothing_is_allowed_for_ever_where_the_cli_or_a_rule_says_so() {
    let rule = json!({ "source": "userSettings", "tool_name": "Bash" });
    for (name, value) in [
        ("suppress_always_allow_rule", json!(true)),
        ("matched_ask_rule", rule),
        ("decision_reason_type", json!("rule")),
        ("requires_user_interaction", json!(true)),
    ] {
        let question = suggesting(name, value);
        check_options(
            &question,
            &expect![[r#"
                allow_once allow: Allow
                reject_once reject: Reject"#]],
        );
        let answer = permission::respond(&question, "allow_always:0");
        assert_eq!(answer["response"]["response"]["behavior"], "deny", "{name}");
    }
}

#[test]
fn a_suggestion_that_allows_nothing_is_not_offered() {
    let suggestions = json!([
        { "type": "addRules", "rules": [{ "toolName": "Bash" }], "behavior": "deny", "destination": "session" },
        { "type": "removeRules", "rules": [{ "toolName": "Bash" }], "behavior": "deny", "destination": "userSettings" },
        { "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": "ls\u{1b}[2K" }], "behavior": "allow", "destination": "userSettings" },
    ]);
    let question = suggesting("permission_suggestions", suggestions);
    check_options(
        &question,
        &expect![[r#"
            allow_once allow: Allow
            allow_always allow_always:0: Always allow Bash(ls␛[2K) in your user settings, for every project (~/.claude/settings.json)
            reject_once reject: Reject"#]],
    );
    let answer = permission::respond(&question, "allow_always:0");
    let written = &answer["response"]["response"]["updatedPermissions"][0];
    assert_eq!(*written, question.suggestions[2]);
}

#[test]
fn no_comes_first_where_the_cli_prefers_it() {
    check_options(
        &suggesting("default_to_no", json!(true)),
        &expect![[r#"
            reject_once reject: Reject
            allow_once allow: Allow
            allow_always allow_always:0: Accept all edits (mode acceptEdits) for this session"#]],
    );
}

#[test]
fn a_reason_steers_no_terminal() {
    let reason = |text: &str| permission::reason(&suggesting("decision_reason", json!(text)));
    let text = "\u{1b}[31mDangerous\u{1b}[0m rm\u{1b}]8;;x\u{7}\non\u{202e} /";
    assert_eq!(reason(text).as_deref(), Some("Dangerous rm\non /"));
    assert_eq!(reason("\u{1b}[0m"), None);
}

#[test]
fn a_path_out_of_bounds_is_a_location() {
    let locations = |path: &str, shown: &[&str]| {
        let shown = shown.iter().map(|path| v1::ToolCallLocation::new(*path));
        let question = suggesting("blocked_path", json!(path));
        let locations = permission::locations(&question, shown.collect());
        let paths = locations.iter().map(|it| it.path.as_str().to_owned());
        paths.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(locations("/etc/hosts", &[]), "/etc/hosts");
    assert_eq!(locations("/etc/hosts", &["/etc/hosts"]), "/etc/hosts");
    assert_eq!(locations("/opt", &["/etc/hosts"]), "/etc/hosts /opt");
    assert_eq!(locations("here", &[]), "");
}

#[test]
fn answers_are_as_the_cli_wants_them() {
    let command = command();
    let shown = [
        permission::respond(&command, "allow"),
        permission::respond(&command, "allow_always:0"),
        permission::respond(&command, "reject"),
        permission::respond(&command, "nonsense"),
        permission::cancelled(&command),
    ];
    let shown: Vec<_> = shown
        .iter()
        .map(|answer| answer["response"]["response"].to_string())
        .collect();
    expect![[r#"
        {"behavior":"allow","updatedInput":{"command":"touch a"}}
        {"behavior":"allow","updatedInput":{"command":"touch a"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch a *"}],"behavior":"allow","destination":"localSettings"}]}
        {"behavior":"deny","message":"The user rejected this."}
        {"behavior":"deny","message":"The user rejected this."}
        {"behavior":"deny","message":"The user closed the question.","interrupt":true}"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn a_plan_is_left_with_a_mode() {
    let plan = asked(
        json!({ "subtype": "can_use_tool", "tool_name": "ExitPlanMode", "input": { "plan": "p" } }),
    );
    let options = permission::options(&plan, true);
    let ids: Vec<_> = options
        .iter()
        .map(|option| option.option_id.as_str())
        .collect();
    assert_eq!(ids, ["bypassPermissions", "acceptEdits", "default", "plan"]);
    let answer = permission::respond(&plan, "acceptEdits");
    expect![[r#"{"behavior":"allow","updatedInput":{"plan":"p"},"updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#]].assert_eq(&answer["response"]["response"].to_string());
    let answer = permission::respond(&plan, "plan");
    expect![[r#"{"behavior":"deny","message":"The user wants to keep planning."}"#]]
        .assert_eq(&answer["response"]["response"].to_string());
}

#[test]
fn questions_are_a_form() {
    let asked = asked(json!({
        "subtype": "can_use_tool",
        "tool_name": "AskUserQuestion",
        "input": { "questions": [
            { "question": "Which?", "header": "Pick", "multiSelect": false, "options": [{ "label": "A", "description": "a" }, { "label": "B", "description": "" }] },
            { "question": "Which ones?", "header": "Picks", "multiSelect": true, "options": [{ "label": "C", "description": "c" }, { "label": "D", "description": "d" }] },
        ] },
    }));
    let choices = elicitation::user_questions(&asked).expect("choices");
    check(
        &elicitation::question_form(&choices),
        &expect![[
            r#"{"type":"object","properties":{"answer1":{"type":"string","title":"Pick","description":"Which?","oneOf":[{"const":"A","title":"A","description":"a"},{"const":"B","title":"B"}]},"answer2":{"type":"array","items":{"anyOf":[{"const":"C","title":"C","description":"c"},{"const":"D","title":"D","description":"d"}]},"title":"Picks","description":"Which ones?"}},"required":["answer1","answer2"]}"#
        ]],
    );
    let several = vec!["C".to_owned(), "D".to_owned()];
    let content = BTreeMap::from([
        (
            "answer1".to_owned(),
            v1::ElicitationContentValue::String("B".to_owned()),
        ),
        (
            "answer2".to_owned(),
            v1::ElicitationContentValue::StringArray(several),
        ),
    ]);
    let answer =
        elicitation::respond_with_answers(&asked, &elicitation::form_answers(&choices, &content));
    expect![[r#"{"Which ones?":"C, D","Which?":"B"}"#]]
        .assert_eq(&answer["response"]["response"]["updatedInput"]["answers"].to_string());
}

#[test]
fn a_prompt_has_its_resources_behind_it() {
    let text = v1::TextResourceContents::new("fn main() {}", "file:///p/main.rs");
    let embedded = v1::EmbeddedResource::new(v1::EmbeddedResourceResource::Text(text));
    let blocks = [
        v1::ContentBlock::from("/mcp:files:find it"),
        v1::ContentBlock::Resource(embedded),
        v1::ContentBlock::ResourceLink(v1::ResourceLink::new("page", "https://example.com")),
        v1::ContentBlock::Image(v1::ImageContent::new("aGk=", "image/png")),
    ];
    let frame = prompt::user_frame(&blocks, "u");
    let content = frame["message"]["content"].as_array().expect("blocks");
    let content: Vec<_> = content.iter().map(ToString::to_string).collect();
    expect![[r#"
        {"type":"text","text":"/files:find (MCP) it"}
        {"type":"text","text":"[@main.rs](file:///p/main.rs)"}
        {"type":"text","text":"https://example.com"}
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}
        {"type":"text","text":"\n<context ref=\"file:///p/main.rs\">\nfn main() {}\n</context>"}"#]]
    .assert_eq(&content.join("\n"));
    assert_eq!(prompt::steering_frame(&blocks, "u")["priority"], "now");
    let long = v1::ContentBlock::from("\n  A title \nand more");
    assert_eq!(prompt::title(&[long]).as_deref(), Some("A title"));
}

#[test]
fn servers_are_as_the_cli_wants_them() {
    let env = [v1::EnvVariable::new("KEY", "k")];
    let headers = [v1::HttpHeader::new("Authorization", "Bearer t")];
    let servers: [v1::McpServer; 2] = [
        v1::McpServerStdio::new("files", "/bin/files", ["--stdio"], env).into(),
        v1::McpServerHttp::new("issues", "https://example.com", headers).into(),
    ];
    expect![[r#"{"mcpServers":{"files":{"type":"stdio","command":"/bin/files","args":["--stdio"],"env":{"KEY":"k"}},"issues":{"type":"http","url":"https://example.com","headers":{"Authorization":"Bearer t"}}}}"#]].assert_eq(&launch::server_config(&servers).to_string());
}

#[test]
fn only_a_command_that_failed_has_an_exit_line() {
    let stdout = json!({ "stdout": "Exit code 7\nfound", "stderr": "" });
    let given = tools::result_display("Bash", &json!(""), &stdout, false);
    assert_eq!(given.exit_code, Some(0));
    assert_eq!(given.output.as_deref(), Some("Exit code 7\nfound"));
    let content = json!("Exit code 7\nfailed");
    let given = tools::result_display("Bash", &content, &json!("Error"), true);
    assert_eq!(given.exit_code, Some(7));
    assert_eq!(given.output.as_deref(), Some("failed"));
}

#[test]
fn a_fence_is_longer_than_any_inside_and_made_at_once() {
    let ticks = "`".repeat(2_000_000);
    for (text, fence) in [("plain", 3), ("a ``` b", 4), (ticks.as_str(), 2_000_001)] {
        let given = tools::result_display(
            "Read",
            &json!(text),
            &json!({ "file": { "content": text } }),
            false,
        );
        let shown = given.content.expect("content");
        let v1::ToolCallContent::Content(content) = &shown[0] else {
            panic!("{shown:?}");
        };
        let shown = content.content.as_text().expect("text");
        let ends = shown.len() - shown.trim_end_matches('`').len();
        assert_eq!(ends, fence);
    }
}
