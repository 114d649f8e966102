//! Attacks with a tool's input: members that occur twice, destinations of tools that only read, addresses and patterns
//! that lead elsewhere, and names that hide code or files.

use serde_json::{Map, Value, json};

use super::*;

fn is_allowed(permissions: &Permissions, action: &Action) -> bool {
    matches!(permissions.judge(action), Verdict::Allow(_))
}

fn given(kind: &str, input: &str) -> Action {
    action(&format!(r#"{{"kind":"{kind}","rawInput":{input}}}"#))
}

fn reads(input: &Value) -> bool {
    let action = given("read", &input.to_string());
    let presets = [Preset::Ask, Preset::ApproveReads].map(Permissions::preset);
    presets.iter().any(|preset| is_allowed(preset, &action))
}

#[test]
fn a_tool_that_only_reads_names_no_destination() {
    for member in [
        "destination",
        "destination_path",
        "new_path",
        "newPath",
        "old_path",
        "oldPath",
        "target_file",
        "target_path",
        "to",
        "dest",
        "output",
        "output_file",
    ] {
        for value in [json!("b.txt"), json!(".git/hooks/pre-commit"), json!(["b"])] {
            for path in ["path", "source", "file_path", "paths"] {
                let mut input = Map::new();
                input.insert(path.to_owned(), "a.txt".into());
                assert!(reads(&Value::Object(input.clone())), "{path}");
                input.insert(member.to_owned(), value.clone());
                assert!(!reads(&Value::Object(input)), "{path} {member} {value}");
            }
            let nested = json!({ "files": [{ "path": "a.txt", member: value.clone() }] });
            assert!(!reads(&nested), "{nested}");
        }
    }
}

#[test]
fn an_address_beside_a_path_is_not_reading() {
    for address in [
        "https://evil.example/?k=v",
        "HTTP://evil.example",
        "ftp:x",
        "data:text/plain,x",
        "smb://host/share",
        "git+ssh:x",
        " https://x",
        "file:///etc/shadow",
        "file:/etc/shadow",
        "file:etc/../../x",
        "FILE:///etc/shadow",
        "File:/etc/shadow",
        "file://localhost/etc/shadow",
        "file://host/w/a",
        "file:///w/..%2f..%2fetc/shadow",
        "file:///w/%2e%2e/%2e%2e/etc/shadow",
        "file:///w/a?x=1",
        "..%2f..%2fetc%2fshadow",
        "%2e%2e/x",
        "%2fetc/shadow",
    ] {
        for input in [
            json!({ "path": "a.txt", "uri": address }),
            json!({ "uri": address }),
            json!({ "path": address }),
            json!({ "paths": ["a.txt", address] }),
            json!({ "files": [{ "path": "a.txt" }, { "uri": address }] }),
        ] {
            assert!(!reads(&input), "{input}");
        }
        let located = json!({ "kind": "read", "locations": [{ "path": address }] }).to_string();
        if !address.contains('%') {
            let permissions = Permissions::preset(Preset::Ask);
            assert!(!is_allowed(&permissions, &action(&located)), "{located}");
        }
    }
    for address in [
        "file:///w/a.txt",
        "file:/w/a",
        "FILE:///w/a%20b",
        "a.txt",
        "C:a",
    ] {
        assert!(reads(&json!({ "uri": address })), "{address}");
    }
}

#[test]
fn no_pattern_that_may_lead_outside_is_reading() {
    for pattern in [
        "{/etc/*,x}",
        "{x,/etc/*}",
        "{a,{b,/etc}}/*",
        "{~,x}/.ssh/*",
        "@(..)/**",
        "?(.).*/**",
        "[.][.]/[.][.]/etc/passwd",
        "[.-/][.-/]/x",
        "[!a][!a]/x",
        "[^a]/../x",
        ".{.,}/x",
        "{.,..}/{.,..}/x",
        "${HOME}/*",
        "$HOME/*",
        "`id`/*",
        "\\.\\./x",
        "\\/etc/passwd",
        "a/../../x",
        "/etc/*",
        "~/x",
        "~root/x",
        "{..,x}",
        "[.][.]",
        "..",
        "{a,b/x",
        "C:/x",
    ] {
        for member in ["glob", "include", "pattern"] {
            for value in [json!(pattern), json!(["*.rs", pattern])] {
                let input = json!({ "path": ".", member: value });
                assert!(!reads(&input), "{input}");
            }
        }
    }
    for pattern in [
        "*.rs",
        "**/*.{rs,toml}",
        "src/**/a?.[ch]",
        "{a,b/{c,d}}/*",
        "app/@x/+y/*",
        "v[0-9].txt",
    ] {
        for member in ["glob", "include", "pattern"] {
            assert!(
                reads(&json!({ "path": ".", member: pattern })),
                "{member} {pattern}"
            );
        }
    }
    for regex in [
        r"fn \w+\(",
        "a..b",
        r"^\s*$",
        "(foo|bar)",
        "[.]rs$",
        r"\d{1,3}",
    ] {
        assert!(reads(&json!({ "path": ".", "pattern": regex })), "{regex}");
    }
}

/// Inputs in which a member occurs twice, spelled alike or not.
fn doubles() -> Vec<String> {
    let mut all = Vec::new();
    for name in ["path", "command", "cwd", "content", "x"] {
        let escaped = format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
        for (one, other) in [
            (name, name),
            (escaped.as_str(), name),
            (name, escaped.as_str()),
        ] {
            for (first, second) in [
                (r#""/etc/shadow""#, r#""a.txt""#),
                (r#""a.txt""#, r#""/etc/shadow""#),
                (r#""rm -rf x""#, r#""ls""#),
                (r#""rm x""#, r#""""#),
                (r#""ls""#, r#""ls""#),
                ("1", "null"),
                (r#"["a"]"#, r#"{"b":1}"#),
            ] {
                let pair = format!(r#""{one}":{first},"{other}":{second}"#);
                all.push(format!("{{{pair}}}"));
                all.push(format!(
                    r#"{{"path":"a.txt","limit":3,"description":"d",{pair}}}"#
                ));
                all.push(format!(r#"{{"path":"a.txt","files":[{{{pair}}}]}}"#));
                all.push(format!(r#"{{"command":"ls","env":{{{pair}}}}}"#));
            }
        }
    }
    all
}

#[test]
fn a_member_that_occurs_twice_is_never_allowed_without_asking() {
    let policies = [
        r#"{"default":"allow"}"#,
        r#"{"rules":[{"action":"allow"}]}"#,
        r#"{"rules":[{"action":"allow","command":["ls","ls **","rm **"]},{"action":"allow","path":"**"},
            {"action":"allow","path":["./a.txt","/etc/shadow"]},{"action":"allow","agent":"claude","kind":"other"}]}"#,
    ];
    let mut permissions: Vec<Permissions> = [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll]
        .map(Permissions::preset)
        .into();
    for policy in policies {
        permissions.push(with_policy(Preset::Ask, policy));
        permissions.push(with_policy(Preset::ApproveAll, policy));
    }
    let mut count = 0;
    for input in doubles() {
        for kind in ["read", "search", "edit", "execute", "other"] {
            let action = given(kind, &input);
            assert!(action.is_ambiguous, "{input}");
            for permissions in &permissions {
                assert!(!is_allowed(permissions, &action), "{kind} {input}");
                count += 1;
            }
            let remembering = Permissions::preset(Preset::Ask);
            let kept = remembering.remember(&action, &decision(true, Scope::Session));
            assert!(kept.is_none(), "{kind} {input}");
        }
    }
    assert!(count > 10_000, "{count}");
    let plain = given(
        "read",
        r#"{"path":"a.txt","files":[{"path":"b"},{"path":"c"}]}"#,
    );
    assert!(!plain.is_ambiguous);
}

#[test]
fn a_deny_rule_sees_both_values_of_a_member_that_occurs_twice() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"deny","command":"rm **"},{"action":"deny","path":"./secrets"}]}"#,
    );
    for input in [
        r#"{"command":"rm -rf /","command":"ls"}"#,
        r#"{"command":"ls","command":"rm -rf /"}"#,
        r#"{"path":"secrets/key","path":"a.txt"}"#,
        r#"{"path":"a.txt","path":"secrets/key"}"#,
        r#"{"files":[{"path":"secrets/key","path":"a.txt"}]}"#,
    ] {
        for kind in ["execute", "read", "other"] {
            let verdict = permissions.judge(&given(kind, input));
            assert!(
                matches!(verdict, Verdict::Deny(_)),
                "{kind} {input}: {verdict:?}"
            );
        }
    }
    let action = given("execute", r#"{"command":"rm -rf /","command":"ls"}"#);
    assert_eq!(action.parts(), ["rm -rf /", "ls"]);
}

#[test]
fn a_path_rule_covers_nothing_with_members_that_it_does_not_know() {
    let policies = [
        r#"{"rules":[{"action":"allow","path":"src/**"}]}"#,
        r#"{"rules":[{"action":"allow","kind":["read","edit","move"],"path":"src/**"}]}"#,
        r#"{"rules":[{"action":"allow","agent":"claude","kind":["move","edit","read","other"],"path":"src/**"}]}"#,
    ];
    for policy in policies {
        let permissions = with_policy(Preset::Ask, policy);
        for member in [
            "to", "dest", "target", "output", "outFile", "into", "dst", "folder",
        ] {
            for value in [
                json!("/etc/cron.d/x"),
                json!("b.txt"),
                json!({ "x": "/etc" }),
            ] {
                for kind in ["move", "edit", "read"] {
                    let input = json!({ "path": "src/a.txt", member: value });
                    let action = given(kind, &input.to_string());
                    assert!(
                        !is_allowed(&permissions, &action),
                        "{kind} {input} {policy}"
                    );
                }
            }
        }
        for input in [
            r#"{"path":"src/a","content":"x"}"#,
            r#"{"file_path":"src/a","old_string":"a","new_string":"b","replace_all":true}"#,
            r#"{"path":"src/a","description":"d","call_id":"1"}"#,
        ] {
            assert!(
                is_allowed(&permissions, &given("edit", input)),
                "{input} {policy}"
            );
        }
        for (moved, expected) in [
            (r#"{"source":"src/a","destination":"src/b"}"#, true),
            (r#"{"from":"src/a","to":"src/b"}"#, true),
            (r#"{"from":"src/a","to":"/etc/x"}"#, false),
            (r#"{"from":"/etc/x","to":"src/b"}"#, false),
            (r#"{"from":"src/a","to":".git/hooks/x"}"#, false),
        ] {
            let action = given("move", moved);
            assert_eq!(
                is_allowed(&permissions, &action),
                expected,
                "{moved} {policy}"
            );
        }
    }
}

#[test]
fn a_rule_on_a_tool_covers_no_hidden_command_and_no_hidden_file() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","agent":"claude","tool":"deploy"},{"action":"allow","agent":"claude","kind":"other"}]}"#,
    );
    let call = |input: &Value| {
        let call = json!({ "kind": "other", "name": "deploy", "rawInput": input });
        is_allowed(&permissions, &action(&call.to_string()))
    };
    let words = [
        "shell command",
        "run command",
        "bash command",
        "python code",
        "script text",
        "file path",
        "output file",
        "target dir",
        "source code",
        "exec line",
        "file name",
        "dest folder",
    ];
    let mut names: Vec<String> = vec![
        "-c".into(),
        "--eval".into(),
        "filepath".into(),
        "cmdline".into(),
        "workdir".into(),
    ];
    for word in words {
        names.push(word.replace(' ', "_"));
        names.push(word.replace(' ', "-"));
        names.push(word.replace(' ', "."));
        names.push(word.to_uppercase().replace(' ', "_"));
        let (one, other) = word.split_once(' ').unwrap();
        let capital = |word: &str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        names.push(format!("{one}{}", capital(other)));
        names.push(format!("{}{}", capital(one), capital(other)));
        names.push(format!("my_{one}2_{other}"));
    }
    for name in &names {
        for value in [json!("x"), json!(["x"]), json!({ "a": "x" })] {
            assert!(!call(&json!({ name: value })), "{name} {value}");
            assert!(
                !call(&json!({ "options": { name: value } })),
                "{name} {value}"
            );
            assert!(
                !call(&json!({ "list": [{ name: value }] })),
                "{name} {value}"
            );
        }
    }
    for input in [
        json!("rm -rf x"),
        json!(["rm", "x"]),
        json!({ "x": "/etc/passwd" }),
        json!({ "x": "../y" }),
        json!({ "x": "file:/etc" }),
    ] {
        assert!(!call(&input), "{input}");
    }
    let shown = r#"{"kind":"other","name":"deploy","rawInput":{"on":"x"},"content":[{"type":"terminal","terminalId":"t"}]}"#;
    assert!(!is_allowed(&permissions, &action(shown)));
    // What runs in the terminal may be what a rule denies.
    let denying = r#"{"rules":[{"action":"deny","command":"curl **"}]}"#;
    let denying = with_policy(Preset::ApproveAll, denying);
    assert!(!is_allowed(&denying, &action(shown)));
    for input in [
        json!({ "environment": "test", "count": 3 }),
        json!({ "issue": 5, "title": "a", "body": "see a/b", "run_id": 7, "dry_run": true }),
        json!({ "owner": "a", "repo": "a/b", "labels": ["x"], "profile": "y" }),
        Value::Null,
    ] {
        assert!(call(&input), "{input}");
    }
}

#[test]
fn exactly_this_input_is_every_member_of_it() {
    let base = json!({ "a": 1, "call_id": "1", "timeout": 5 });
    let permissions = Permissions::preset(Preset::Ask);
    let other = |input: &Value| given("other", &input.to_string());
    permissions.remember(&other(&base), &decision(true, Scope::Session));
    assert!(is_allowed(&permissions, &other(&base)));
    for member in [
        "call_id",
        "turn_id",
        "tool_call_id",
        "toolCallId",
        "timeout",
        "timeout_ms",
        "max_output_tokens",
        "yield_time_ms",
        "a",
        "b",
        "description",
        "title",
    ] {
        let mut input = base.clone();
        input[member] = json!("another");
        assert!(!is_allowed(&permissions, &other(&input)), "{input}");
        if let Some(members) = input.as_object_mut() {
            members.remove(member);
        }
        let is_same = input == base;
        assert_eq!(is_allowed(&permissions, &other(&input)), is_same, "{input}");
    }
    // An address beside the file of an edit.
    let permissions = Permissions::preset(Preset::Ask);
    let edit = given("edit", r#"{"path":"a.txt","content":"x"}"#);
    permissions.remember(&edit, &decision(true, Scope::Session));
    let more = given("edit", r#"{"path":"a.txt","content":"y","uri":"http://x"}"#);
    assert!(is_allowed(
        &permissions,
        &given("edit", r#"{"path":"a.txt","content":"y"}"#)
    ));
    assert!(!is_allowed(&permissions, &more));
}
