//! Attack tests with missing, malformed and hostile suggestions: no lasting option is offered that the CLI did not
//! suggest, and the name of an option describes its whole effect.

use attache::v1;
use attache_adapter::frames::CanUseTool;
use attache_adapter::permission;
use serde_json::{Value, json};

use super::asked;

fn request(tool: &str, suggestions: Option<Value>) -> CanUseTool {
    let mut request = json!({
        "subtype": "can_use_tool",
        "tool_name": tool,
        "input": { "command": "rm -rf ." },
        "tool_use_id": "t",
    });
    if let Some(suggestions) = suggestions {
        request["permission_suggestions"] = suggestions;
    }
    asked(request)
}

/// The names of the lasting options, each with the permission updates that are sent to the CLI for it.
fn lasting(question: &CanUseTool) -> Vec<(String, Value)> {
    let options = permission::options(question, true);
    let lasting = options
        .iter()
        .filter(|it| it.kind != v1::PermissionOptionKind::AllowOnce)
        .filter(|it| it.kind != v1::PermissionOptionKind::RejectOnce);
    let sent = |option: &v1::PermissionOption| {
        let answer = permission::respond(question, option.option_id.as_str());
        answer["response"]["response"]["updatedPermissions"].clone()
    };
    lasting.map(|it| (it.name.clone(), sent(it))).collect()
}

/// Checks that no option id makes us send a lasting permission to the CLI.
fn check_grants_nothing(question: &CanUseTool) {
    assert_eq!(lasting(question), [], "{question:?}");
    let ids = (0..20).map(|at| format!("allow_always:{at}"));
    let odd = [
        "allow_always",
        "allow_always:",
        "allow_always:+0",
        "allow_always:00",
        "ALLOW",
        "",
    ];
    for id in ids.chain(odd.map(str::to_owned)) {
        let answer = permission::respond(question, &id);
        assert_eq!(answer["response"]["response"]["behavior"], "deny", "{id}");
    }
    let allowed = permission::respond(question, "allow");
    let allowed = allowed["response"]["response"]
        .as_object()
        .expect("an object");
    assert!(!allowed.contains_key("updatedPermissions"));
}

const TOOLS: [&str; 8] = [
    "Bash",
    "Write",
    "Edit",
    "Read",
    "WebFetch",
    "Task",
    "mcp__x__y",
    "NotebookEdit",
];

#[test]
fn without_suggestions_there_are_only_allow_once_and_reject() {
    for tool in TOOLS {
        for none in [
            None,
            Some(json!([])),
            Some(json!(null)),
            Some(json!({})),
            Some(json!("all")),
        ] {
            let question = request(tool, none);
            check_grants_nothing(&question);
            let ids: Vec<_> = permission::options(&question, true)
                .iter()
                .map(|it| it.option_id.as_str().to_owned())
                .collect();
            assert_eq!(ids, ["allow", "reject"]);
        }
    }
}

#[test]
fn a_suggestion_that_is_not_understood_whole_is_not_offered() {
    let rule = json!({ "toolName": "Bash", "ruleContent": "ls" });
    let good = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" });
    let mut odd = vec![
        json!(null),
        json!(3),
        json!("addRules"),
        json!([]),
        json!({}),
        json!([good]),
    ];
    // Each value replaces one member of a valid suggestion.
    for (member, values) in [
        (
            "type",
            json!([
                "replaceRules",
                "removeRules",
                "addHooks",
                "ADDRULES",
                ["addRules"]
            ]),
        ),
        ("behavior", json!(["deny", "ask", "Allow", true, null])),
        (
            "destination",
            json!(["cliArg", "policySettings", "Session", "", null, ["session"]]),
        ),
        (
            "rules",
            json!([[], {}, "Bash", [null], ["Bash"], [{}], [{ "toolName": "" }], [{ "toolName": " " }], [{ "toolName": 1 }],
            [{ "toolName": "Bash", "ruleContent": 1 }], [{ "toolName": "Bash", "ruleContent": ["ls"] }], [rule, { "ruleContent": "x" }]]),
        ),
    ] {
        for value in values.as_array().into_iter().flatten() {
            let mut suggestion = good.clone();
            suggestion[member] = value.clone();
            odd.push(suggestion);
        }
    }
    for mode in [
        "bypassPermissions",
        "BYPASSPERMISSIONS",
        "yolo",
        "",
        "accept_edits",
    ] {
        odd.push(json!({ "type": "setMode", "mode": mode, "destination": "session" }));
    }
    for directories in [
        json!([]),
        json!("/"),
        json!([1]),
        json!([""]),
        json!(["/a", null]),
    ] {
        odd.push(json!({ "type": "addDirectories", "directories": directories, "destination": "session" }));
    }
    for tool in TOOLS {
        for suggestion in &odd {
            check_grants_nothing(&request(tool, Some(json!([suggestion]))));
        }
    }
    assert_eq!(lasting(&request("Bash", Some(json!([good])))).len(), 1);
}

#[test]
fn what_is_hidden_in_a_rule_is_shown() {
    let hidden: Vec<char> = ('\0'..='\u{1f}')
        .chain([
            '\u{7f}', '\u{85}', '\u{9b}', '\u{9d}', '\u{ad}', '\u{200b}', '\u{200e}',
        ])
        .chain([
            '\u{2028}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{e0041}',
        ])
        .collect();
    for char in hidden {
        for text in [format!("a{char}b"), format!("{char}b"), format!("a{char}")] {
            let rule = json!({ "toolName": "Bash", "ruleContent": text });
            let tool = json!({ "toolName": format!("Bash{text}") });
            let grants = [
                json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "localSettings" }),
                json!({ "type": "addRules", "rules": [tool], "behavior": "allow", "destination": "session" }),
                json!({ "type": "addDirectories", "directories": [format!("/{text}")], "destination": "session" }),
            ];
            for grant in grants {
                let options = lasting(&request("Bash", Some(json!([grant]))));
                let (name, sent) = &options[0];
                assert!(!name.contains(char), "{name:?}");
                // A mark replaces the character, so the name never equals that of a shorter rule.
                let is_mark = |it| it == '⏎' || ('\u{2400}'..='\u{2426}').contains(&it);
                assert!(name.contains("⟦U+") || name.contains(is_mark), "{name:?}");
                assert_eq!(sent, &json!([grant]));
            }
        }
    }
}

/// `Bash()` looks as if it covered nothing, but covers every use of the tool.
#[test]
fn a_rule_with_empty_content_is_shown_as_one_for_everything() {
    for content in ["", " ", "\t", " \n "] {
        let rule = json!({ "toolName": "Bash", "ruleContent": content });
        let grant = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" });
        let options = lasting(&request("Bash", Some(json!([grant]))));
        let (name, sent) = &options[0];
        assert!(name.contains("Bash (whatever it is given)"), "{name}");
        assert_eq!(sent, &json!([grant]));
    }
}

#[test]
fn a_long_rule_is_shown_whole_or_not_offered_at_all() {
    for length in [1, 100, 1999, 2000, 2001, 10_000, 1_000_000] {
        let content = "x".repeat(length - "Bash".len().min(length - 1));
        let rule = json!({ "toolName": "Bash", "ruleContent": content });
        let grant = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" });
        let question = request("Bash", Some(json!([grant])));
        match lasting(&question).as_slice() {
            [(name, _)] => {
                assert!(name.contains(&format!("Bash({content})")));
                assert_eq!(permission::hidden_suggestions_note(&question), None);
            }
            _ => {
                check_grants_nothing(&question);
                let note = permission::hidden_suggestions_note(&question).expect("a note");
                assert!(note.contains("1 more lasting permission"), "{note}");
            }
        }
    }
}

#[test]
fn thousands_of_suggestions_leave_room_to_reject() {
    let grants: Vec<Value> = (0..5000)
        .map(|at| json!({ "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": format!("{at}") }], "behavior": "allow", "destination": "session" }))
        .collect();
    let question = request("Bash", Some(json!(grants)));
    let options = permission::options(&question, false);
    assert!(options.len() <= 16);
    assert_eq!(options.last().expect("one").option_id.as_str(), "reject");
    let order: Vec<_> = lasting(&question)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(order[0], "Always allow Bash(0) for this session");
    assert_eq!(order[11], "Always allow Bash(11) for this session");
    assert!(
        permission::hidden_suggestions_note(&question)
            .expect("a note")
            .contains("4988")
    );
}

#[test]
fn one_grant_said_many_times_is_one_option() {
    let grant = json!({ "type": "setMode", "mode": "acceptEdits", "destination": "session" });
    let question = request("Edit", Some(Value::Array(vec![grant; 100])));
    assert_eq!(lasting(&question).len(), 1);
    assert_eq!(permission::hidden_suggestions_note(&question), None);
}

/// A suggestion with members that its name does not describe is not offered, not even in part.
#[test]
fn a_suggestion_with_members_that_are_not_shown_is_not_offered() {
    let grant = json!({
        "type": "addRules",
        "rules": [{ "toolName": "Bash", "ruleContent": "ls", "also": "Bash(*)" }],
        "directories": ["/"],
        "mode": "bypassPermissions",
        "behavior": "allow",
        "destination": "session",
        "destinations": ["userSettings"],
    });
    let mut refused = vec![grant];
    let rule = json!({ "toolName": "Bash", "ruleContent": "ls" });
    let good = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" });
    // An unknown member at any level could change the meaning of the suggestion.
    let mode = json!({ "type": "setMode", "mode": "plan", "destination": "session" });
    let directories =
        json!({ "type": "addDirectories", "directories": ["/a"], "destination": "session" });
    for suggestion in [&good, &mode, &directories] {
        for (member, value) in [
            ("scope", json!("everything")),
            ("mode2", json!(null)),
            ("exceptions", json!([])),
            ("Rules", json!([])),
        ] {
            let mut more = suggestion.clone();
            more[member] = value.clone();
            refused.push(more);
            let mut rule = rule.clone();
            rule[member] = value;
            let mut within = good.clone();
            within["rules"] = json!([rule]);
            refused.push(within);
        }
    }
    for (suggestion, foreign) in [
        (&good, "mode"),
        (&mode, "rules"),
        (&directories, "behavior"),
    ] {
        let mut more = suggestion.clone();
        more[foreign] = json!("plan");
        refused.push(more);
    }
    for suggestion in refused {
        check_grants_nothing(&request("Bash", Some(json!([suggestion]))));
    }
    for suggestion in [good, mode, directories] {
        let question = request("Bash", Some(json!([suggestion])));
        assert_eq!(lasting(&question).len(), 1, "{suggestion}");
    }
}

#[test]
fn every_destination_and_mode_is_named() {
    for (id, words) in [
        ("session", "for this session"),
        (
            "localSettings",
            "in this project's local settings (.claude/settings.local.json)",
        ),
        (
            "projectSettings",
            "in this project's settings (.claude/settings.json)",
        ),
        (
            "userSettings",
            "in your user settings, for every project (~/.claude/settings.json)",
        ),
    ] {
        for mode in ["acceptEdits", "auto", "default", "dontAsk", "plan"] {
            let grant = json!({ "type": "setMode", "mode": mode, "destination": id });
            let options = lasting(&request("Write", Some(json!([grant]))));
            assert!(
                options[0].0.ends_with(words) && options[0].0.contains(&format!("(mode {mode})"))
            );
            assert_eq!(options[0].1, json!([grant]));
        }
    }
}
