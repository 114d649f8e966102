//! Attacks with spellings that a tool reads as another path: spaces and quotes around it, an `@` in front, escapes and
//! addresses.

use serde_json::{Value, json};

use super::*;

fn given(kind: &str, input: &Value) -> Action {
    let call = json!({ "kind": kind, "rawInput": input });
    action(&call.to_string())
}

fn is_allowed(permissions: &Permissions, action: &Action) -> bool {
    matches!(permissions.judge(action), Verdict::Allow(_))
}

fn is_denied(permissions: &Permissions, action: &Action) -> bool {
    matches!(permissions.judge(action), Verdict::Deny(_))
}

/// Spellings of a path, with the path in the place of `{}`.
const SPELLINGS: [&str; 21] = [
    " {}",
    "{} ",
    "\t{}",
    "{}\n",
    "\r\n{}",
    "\u{a0}{}",
    "\u{feff}{}",
    "@{}",
    "@@{}",
    " @{}",
    "@ {}",
    "@@ @{} ",
    "\"{}\"",
    "'{}'",
    "`{}`",
    "@\"{}\"",
    "\" {} \"",
    "%40{}",
    "%20{}",
    "\\@{}",
    "\\{}",
];

/// A path in each of the places for paths.
fn inputs(path: &str) -> Vec<Value> {
    vec![
        json!({ "path": path }),
        json!({ "file_path": path }),
        json!({ "filePath": path }),
        json!({ "absolute_path": path }),
        json!({ "uri": path }),
        json!({ "paths": ["src/a.rs", path] }),
        json!({ "files": [{ "path": path }] }),
        json!({ "path": "src/a.rs", "destination": path }),
        json!({ "path": "src/a.rs", "edits": [{ "path": path, "newText": "x" }] }),
        json!({ "changes": { path: { "type": "update" } } }),
        json!({ "changes": { "src/a.rs": { "type": "update", "move_path": path } } }),
    ]
}

fn each_spelling(path: &str, check: impl Fn(&str)) {
    for spelling in SPELLINGS {
        check(&spelling.replace("{}", path));
    }
}

#[test]
fn no_spelling_of_a_protected_file_is_changed_without_asking() {
    let everything = [
        Permissions::preset(Preset::ApproveAll),
        with_policy(Preset::Ask, r#"{"default":"allow"}"#),
        with_policy(
            Preset::Ask,
            r#"{"rules":[{"action":"allow","kind":["edit","delete","move"],"path":"**"}]}"#,
        ),
        with_policy(Preset::Ask, r#"{"rules":[{"action":"allow"}]}"#),
    ];
    for path in [
        "AGENTS.md",
        "/w/AGENTS.md",
        ".git/hooks/pre-commit",
        "~/.bashrc",
        "file:///w/AGENTS.md",
    ] {
        each_spelling(path, |spelled| {
            for input in inputs(spelled) {
                for kind in ["edit", "delete", "move", "other"] {
                    for permissions in &everything {
                        let action = given(kind, &input);
                        assert!(!is_allowed(permissions, &action), "{kind} {input}");
                    }
                }
            }
        });
    }
}

#[test]
fn a_rule_that_denies_or_asks_finds_a_file_in_every_spelling() {
    for action in ["deny", "ask"] {
        let policy = format!(r#"{{"rules":[{{"action":"{action}","path":"./secrets"}}]}}"#);
        let permissions = with_policy(Preset::ApproveAll, &policy);
        for path in [
            "secrets/key",
            "/w/secrets/key",
            "src/../secrets/key",
            "file:///w/secrets/key",
        ] {
            each_spelling(path, |spelled| {
                for input in inputs(spelled) {
                    for kind in ["read", "edit", "other"] {
                        assert!(
                            is_denied(&permissions, &given(kind, &input)),
                            "{kind} {input}"
                        );
                    }
                }
            });
        }
    }
    // A tool takes off one `@` of two.
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"./@keys"}]}"#,
    );
    assert!(is_denied(
        &permissions,
        &given("read", &json!({ "path": "@@keys/a" }))
    ));
}

#[test]
fn an_allow_rule_has_to_cover_every_reading() {
    let reading = [Preset::Ask, Preset::ApproveReads].map(Permissions::preset);
    for path in [
        "/etc/passwd",
        "../x",
        "~/.ssh/id_rsa",
        "$HOME/.netrc",
        "file:///etc/passwd",
    ] {
        each_spelling(path, |spelled| {
            for name in ["path", "file_path", "directory", "paths", "cwd"] {
                let input = json!({ "file": "src/a.rs", name: spelled });
                for permissions in &reading {
                    assert!(!is_allowed(permissions, &given("read", &input)), "{input}");
                }
            }
        });
    }
    let rules =
        r#"{"rules":[{"action":"allow","kind":["read","edit"],"path":["@src/**"," src/**"]}]}"#;
    let one_reading = with_policy(Preset::Ask, rules);
    let rules = r#"{"rules":[{"action":"allow","kind":["read","edit"],"path":["src/**","@src/**"," src/**"]}]}"#;
    let all_readings = with_policy(Preset::Ask, rules);
    for path in ["@src/a.rs", " src/a.rs"] {
        let edit = given("edit", &json!({ "path": path, "content": "x" }));
        assert!(!is_allowed(&one_reading, &edit), "{path}");
        assert!(is_allowed(&all_readings, &edit), "{path}");
    }
    // Inside in every reading.
    for path in [
        "@src/a.rs",
        " src/a.rs",
        "src/a b.rs",
        "node_modules/@types/x.d.ts",
        "src/a%20b",
    ] {
        let read = given("read", &json!({ "path": path }));
        assert!(is_allowed(&reading[0], &read), "{path}");
    }
}

#[test]
fn a_directory_of_a_command_counts_in_every_spelling() {
    let git = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","command":"git status"}]}"#,
    );
    let denying = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"./secrets"}]}"#,
    );
    for name in ["cwd", "workdir", "directory", "dir_path"] {
        each_spelling("/etc", |spelled| {
            let input = json!({ "command": "git status", name: spelled });
            assert!(!is_allowed(&git, &given("execute", &input)), "{input}");
        });
        each_spelling("secrets", |spelled| {
            let input = json!({ "command": "ls", name: spelled });
            assert!(is_denied(&denying, &given("execute", &input)), "{input}");
        });
    }
}

#[test]
fn locations_and_changes_count_in_every_spelling() {
    let all = Permissions::preset(Preset::ApproveAll);
    let reading = Permissions::preset(Preset::ApproveReads);
    for spelling in [" {}", "{} ", "@{}", "\"{}\"", "\u{a0}{}"] {
        let protected = spelling.replace("{}", "AGENTS.md");
        let located = json!({ "kind": "edit", "locations": [{ "path": protected }] });
        assert!(
            !is_allowed(&all, &action(&located.to_string())),
            "{located}"
        );
        let diff = json!({ "type": "diff", "path": protected, "newText": "x" });
        let changed = json!({ "kind": "edit", "content": [diff] });
        assert!(
            !is_allowed(&all, &action(&changed.to_string())),
            "{changed}"
        );
        let outside = spelling.replace("{}", "/etc/passwd");
        let read = json!({ "kind": "read", "locations": [{ "path": outside }] });
        assert!(!is_allowed(&reading, &action(&read.to_string())), "{read}");
    }
}

#[test]
fn a_text_with_too_many_readings_is_not_understood() {
    let reading = Permissions::preset(Preset::Ask);
    let read = given("read", &json!({ "path": format!("{}a", "@".repeat(100)) }));
    assert!(read.has_unknown_input);
    assert!(!is_allowed(&reading, &read));
}
