//! What is offered, asked and said, as values.

#![cfg(test)]

use std::collections::BTreeMap;

use attache::json::{Encode, Raw};
use attache::v1;
use attache_adapter::frames::{CanUseTool, Frame};
use attache_adapter::settings::Settings;
use attache_adapter::{launch, prompt, question, settings, tools};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn check(value: &(impl Encode + ?Sized), expected: &Expect) {
    expected.assert_eq(Raw::of(value).as_str());
}

fn asked(request: Value) -> CanUseTool {
    let frame = json!({ "type": "control_request", "request_id": "q", "request": request });
    match Frame::of(frame) {
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
    let names = question::options(&command(), false);
    let names: Vec<_> = names
        .iter()
        .map(|option| {
            format!(
                "{} {}: {}",
                option.kind,
                option.option_id.as_str(),
                option.name
            )
        })
        .collect();
    expect![[r#"
        allow_once allow: Allow
        allow_always allow_always:0: Always allow Bash(touch a *) in .claude/settings.local.json
        allow_always allow_always:1: Allow work in /other for this session
        allow_always allow_always:2: Accept all edits for this session
        reject_once reject: Reject"#]]
    .assert_eq(&names.join("\n"));
}

#[test]
fn answers_are_as_the_cli_wants_them() {
    let command = command();
    let shown = [
        question::answer(&command, "allow"),
        question::answer(&command, "allow_always:0"),
        question::answer(&command, "reject"),
        question::answer(&command, "nonsense"),
        question::dismissed(&command),
    ];
    let shown: Vec<_> = shown
        .iter()
        .map(|answer| answer["response"]["response"].to_string())
        .collect();
    expect![[r#"
        {"behavior":"allow","updatedInput":{"command":"touch a"}}
        {"behavior":"allow","updatedInput":{"command":"touch a"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch a *"}],"behavior":"allow","destination":"localSettings"}]}
        {"behavior":"deny","message":"The user does not want this to be done."}
        {"behavior":"deny","message":"The user does not want this to be done."}
        {"behavior":"deny","message":"The user closed the question.","interrupt":true}"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn a_plan_is_left_with_a_mode() {
    let plan = asked(
        json!({ "subtype": "can_use_tool", "tool_name": "ExitPlanMode", "input": { "plan": "p" } }),
    );
    let options = question::options(&plan, true);
    let ids: Vec<_> = options
        .iter()
        .map(|option| option.option_id.as_str())
        .collect();
    assert_eq!(ids, ["bypassPermissions", "acceptEdits", "default", "plan"]);
    let answer = question::answer(&plan, "acceptEdits");
    expect![[r#"{"behavior":"allow","updatedInput":{"plan":"p"},"updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#]].assert_eq(&answer["response"]["response"].to_string());
    let answer = question::answer(&plan, "plan");
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
    let choices = question::choices(&asked).expect("choices");
    check(
        &question::form(&choices),
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
    let answer = question::answered(&asked, &question::filled(&choices, &content));
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
    let frame = prompt::frame(&blocks, "u");
    let content = frame["message"]["content"].as_array().expect("blocks");
    let content: Vec<_> = content.iter().map(ToString::to_string).collect();
    expect![[r#"
        {"type":"text","text":"/files:find (MCP) it"}
        {"type":"text","text":"[@main.rs](file:///p/main.rs)"}
        {"type":"text","text":"https://example.com"}
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}
        {"type":"text","text":"\n<context ref=\"file:///p/main.rs\">\nfn main() {}\n</context>"}"#]]
    .assert_eq(&content.join("\n"));
    assert_eq!(prompt::steering(&blocks, "u")["priority"], "now");
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
fn what_the_cli_offers_is_what_can_be_chosen() {
    let recorded = include_str!("../fixtures/initialize.jsonl");
    let lines = recorded
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut offered = lines.map(|line| line["msg"]["response"]["response"].clone());
    let offered = offered
        .find(|it| it["models"].is_array())
        .expect("an answer to initialize");
    let applied = json!({ "applied": { "model": "claude-sonnet-5-5", "effort": "medium" } });
    let mut settings = Settings::of(&offered, &applied, false);
    assert_eq!(settings.version, "2.1.325");
    let options = settings.options();
    let options: Vec<_> = options
        .iter()
        .map(|option| match &option.kind {
            v1::SessionConfigKind::Select(select) => {
                let v1::SessionConfigSelectOptions::Ungrouped(choices) = &select.options else {
                    panic!("groups");
                };
                let choices: Vec<_> = choices.iter().map(|it| it.value.as_str()).collect();
                let (id, now) = (option.id.as_str(), select.current_value.as_str());
                format!("{id} = {now} of {}", choices.join(" "))
            }
            other => panic!("{other:?}"),
        })
        .collect();
    expect![[r#"
        mode = default of default acceptEdits plan dontAsk auto
        model = sonnet of default opus fable sonnet haiku
        effort = medium of low medium high xhigh max"#]]
    .assert_eq(&options.join("\n"));
    let has = ["compact", "clear", "new"].map(|name| settings.has_command(name));
    assert_eq!(has, [true, false, false]);
    let commands = settings.commands().available_commands;
    let names: Vec<_> = commands
        .iter()
        .map(|command| command.name.as_str())
        .collect();
    expect!["deep-research dataviz update-config verify debug code-review simplify batch fewer-permission-prompts loop claude-api workflow-authoring run run-skill-generator plugin-authoring agents auto-mode-setup autocompact compact config output-style context effort fast init mcp model reload-skills rename security-review usage insights recap goal list-agents team-onboarding"].assert_eq(&names.join(" "));
    assert_eq!(settings.choice("mode", "bypassPermissions"), None);
    assert_eq!(settings.choice("model", "gpt"), None);
    let effort = settings.choice("effort", "high").expect("a choice");
    assert_eq!(effort["settings"]["effortLevel"], "high");
    settings.chosen("effort", "high");
    assert_eq!(settings.effort.as_deref(), Some("high"));
}

#[test]
fn an_effort_is_offered_where_the_model_has_some() {
    let models = json!([
        { "value": "quick", "resolvedModel": "q", "displayName": "Quick" },
        { "value": "deep", "resolvedModel": "d", "displayName": "Deep", "supportedEffortLevels": ["low", "high"] },
    ]);
    let offered = json!({ "models": models });
    for (model, effort, options) in [("q", "low", 2), ("d", "low", 3), ("d", "odd", 2)] {
        let applied = json!({ "applied": { "model": model, "effort": effort } });
        let settings = Settings::of(&offered, &applied, false);
        assert_eq!(settings.options().len(), options, "{model} {effort}");
    }
}

#[test]
fn a_login_is_missing_only_if_the_cli_says_so() {
    let is_out = |account: Value| settings::is_logged_out(&json!({ "account": account }));
    assert!(is_out(
        json!({ "tokenSource": "none", "apiProvider": "firstParty" })
    ));
    for account in [
        json!({ "tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty" }),
        json!({ "tokenSource": "apiKeyHelper", "apiProvider": "firstParty" }),
        json!({ "subscriptionType": "Claude Max", "apiProvider": "firstParty" }),
        json!({ "apiProvider": "bedrock" }),
        json!({}),
        Value::Null,
    ] {
        assert!(!is_out(account.clone()), "{account}");
    }
}

#[test]
fn only_a_command_that_failed_has_an_exit_line() {
    let stdout = json!({ "stdout": "Exit code 7\nfound", "stderr": "" });
    let given = tools::given("Bash", &json!(""), &stdout, false);
    assert_eq!(given.exit_code, Some(0));
    assert_eq!(given.output.as_deref(), Some("Exit code 7\nfound"));
    let content = json!("Exit code 7\nfailed");
    let given = tools::given("Bash", &content, &json!("Error"), true);
    assert_eq!(given.exit_code, Some(7));
    assert_eq!(given.output.as_deref(), Some("failed"));
}

#[test]
fn a_fence_is_longer_than_any_inside_and_made_at_once() {
    let ticks = "`".repeat(2_000_000);
    for (text, fence) in [("plain", 3), ("a ``` b", 4), (ticks.as_str(), 2_000_001)] {
        let given = tools::given(
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
