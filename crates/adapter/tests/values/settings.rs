//! Tests of config options, the endpoint of the CLI, and its login status.

use std::collections::BTreeMap;

use attache::v1;
use attache_adapter::provider::Provider;
use attache_adapter::settings::{self, Settings};
use expect_test::expect;
use serde_json::{Value, json};

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
    let mut settings = Settings::from_responses(&offered, &applied, false);
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
    expect!["deep-research dataviz update-config verify debug code-review simplify batch fewer-permission-prompts loop claude-api workflow-authoring run run-skill-generator plugin-authoring autocompact compact config output-style context effort init mcp model reload-skills rename security-review usage insights recap goal list-agents team-onboarding"].assert_eq(&names.join(" "));
    assert_eq!(settings.choice_request("mode", "bypassPermissions"), None);
    assert_eq!(settings.choice_request("model", "gpt"), None);
    let effort = settings.choice_request("effort", "high").expect("a choice");
    assert_eq!(effort["settings"]["effortLevel"], "high");
    settings.set_choice("effort", "high");
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
        let settings = Settings::from_responses(&offered, &applied, false);
        assert_eq!(settings.options().len(), options, "{model} {effort}");
    }
}

#[test]
fn a_model_that_the_cli_uses_is_the_choice() {
    let models = json!([
        { "value": "default", "resolvedModel": "deep-5", "displayName": "Default", "supportedEffortLevels": ["low", "high"], "supportsFastMode": true },
        { "value": "deep", "resolvedModel": "deep-5", "displayName": "Deep", "supportedEffortLevels": ["low", "high"], "supportsFastMode": true },
        { "value": "quick", "resolvedModel": "quick-5", "displayName": "Quick" },
        { "displayName": "Without a name" },
    ]);
    let offered = json!({ "models": models, "fast_mode_state": "off", "fast_mode_disabled_reason": "sdk_opt_in_required" });
    let applied = json!({ "applied": { "model": "deep-5", "effort": "low" } });
    let mut settings = Settings::from_responses(&offered, &applied, false);
    let mut shown = vec![chosen(&settings)];
    settings.set_choice("model", "deep");
    settings.set_choice("fast", "on");
    // Both names mean the same model, and the user has chosen one of them.
    settings.select_model("deep-5");
    shown.push(chosen(&settings));
    settings.apply_settings(&json!({ "applied": { "model": "quick-5", "effort": null } }));
    shown.push(chosen(&settings));
    settings.apply_settings(&json!({ "applied": { "model": "mine", "effort": "high" } }));
    shown.push(chosen(&settings));
    assert!(settings.choice_request("model", "mine").is_some());
    let before = settings.clone();
    let mut settings = Settings::from_responses(
        &json!({ "current_permission_mode": "newer" }),
        &Value::Null,
        false,
    );
    settings.keep_custom_models(&before);
    assert!(settings.choice_request("model", "mine").is_some());
    assert!(settings.has_mode("newer"));
    shown.push(chosen(&settings));
    expect![[r#"
        mode = default, model = default, effort = low, fast = off
        mode = default, model = deep, effort = low, fast = on
        mode = default, model = quick
        mode = default, model = mine, effort = high
        mode = newer, model = default"#]]
    .assert_eq(&shown.join("\n"));
}

fn chosen(settings: &Settings) -> String {
    let options = settings.options();
    let options = options.iter().map(|option| match &option.kind {
        v1::SessionConfigKind::Select(select) => {
            format!("{} = {}", option.id.as_str(), select.current_value.as_str())
        }
        other => panic!("{other:?}"),
    });
    options.collect::<Vec<_>>().join(", ")
}

fn provider(api: v1::LlmProtocol, url: &str, headers: &[(&str, &str)]) -> String {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), attache::schema::Secret::from(*value)));
    let request = v1::SetProviderRequest::new("main", api, url);
    match Provider::from_request(&request.headers(headers.collect::<BTreeMap<_, _>>())) {
        Ok(provider) => {
            let debug = format!("{provider:?}");
            assert!(!debug.contains("secret"), "{debug}");
            let variables = provider.environment();
            let variables =
                variables.filter_map(|(name, value)| Some(format!("{name}={}", value?)));
            variables.collect::<Vec<_>>().join(" ").replace('\n', "|")
        }
        Err(error) => error.message,
    }
}

#[test]
fn an_endpoint_is_an_environment_of_the_cli() {
    let anthropic =
        |url: &str, headers: &[(&str, &str)]| provider(v1::LlmProtocol::Anthropic, url, headers);
    let url = "https://gateway.example/v2";
    let shown = [
        anthropic(url, &[]),
        anthropic(
            url,
            &[
                ("AUTHORIZATION", "bearer secret"),
                ("X-A", "1: 2"),
                ("X-B", "3"),
            ],
        ),
        anthropic(url, &[("x-api-key", "secret")]),
        provider(v1::LlmProtocol::Bedrock, url, &[("x-api-key", "secret")]),
        provider(v1::LlmProtocol::OpenAi, url, &[]),
        anthropic(url, &[("Authorization", "Basic secret")]),
        anthropic(url, &[("X-A", "1\nX-B: 2")]),
        anthropic(url, &[("X A", "1")]),
    ];
    expect![[r#"
        ANTHROPIC_BASE_URL=https://gateway.example/v2 ANTHROPIC_AUTH_TOKEN=none
        ANTHROPIC_BASE_URL=https://gateway.example/v2 ANTHROPIC_AUTH_TOKEN=secret ANTHROPIC_CUSTOM_HEADERS=X-A: 1: 2|X-B: 3
        ANTHROPIC_BASE_URL=https://gateway.example/v2 ANTHROPIC_API_KEY=secret
        ANTHROPIC_CUSTOM_HEADERS=x-api-key: secret CLAUDE_CODE_USE_BEDROCK=1 CLAUDE_CODE_SKIP_BEDROCK_AUTH=1 ANTHROPIC_BEDROCK_BASE_URL=https://gateway.example/v2
        Invalid params: unsupported `apiType`; use `anthropic` or `bedrock`
        Invalid params: the header `Authorization` is sent as `Bearer` and a token only
        Invalid params: `headers` contains an invalid name or value
        Invalid params: `headers` contains an invalid name or value"#]].assert_eq(&shown.join("\n"));
    for url in [
        "",
        "gateway.example",
        "ftp://a",
        "https://",
        "https://:80",
        "https://me:secret@a",
        "https://a?k=1",
        "http://a b",
    ] {
        let refused = anthropic(url, &[]);
        assert!(
            refused.contains("`baseUrl`") && !refused.contains("secret"),
            "{url}: {refused}"
        );
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
