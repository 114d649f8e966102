//! Attacks with patterns of files where a path is expected, and with patterns that reach a denied or protected file.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::*;

/// A workspace with a denied tree, a protected file and links that lead outside.
fn workspace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("w");
    for path in ["secrets", "src", "app/[id]", ".git/hooks"] {
        std::fs::create_dir_all(root.join(path)).unwrap();
    }
    for path in [
        "secrets/key",
        "src/key",
        "src/a.rs",
        "AGENTS.md",
        "app/[id]/page.tsx",
    ] {
        std::fs::write(root.join(path), "x").unwrap();
    }
    symlink("/etc", root.join("etclink")).unwrap();
    symlink("/etc/passwd", root.join("src/pass")).unwrap();
    symlink("../AGENTS.md", root.join("src/notes")).unwrap();
    dir
}

fn root(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("w").canonicalize().unwrap()
}

fn given(root: &Path, kind: &str, input: &Value) -> Action {
    let call = json!({ "kind": kind, "rawInput": input });
    action_in(root, &call.to_string())
}

fn is_allowed(permissions: &Permissions, action: &Action) -> bool {
    matches!(permissions.judge(action), Verdict::Allow(_))
}

/// A path as it is written, in each of the places for paths.
fn inputs(root: &Path, pattern: &str) -> Vec<Value> {
    let whole = root.join(pattern).display().to_string();
    vec![
        json!({ "path": pattern }),
        json!({ "file_path": whole }),
        json!({ "paths": ["src/a.rs", pattern] }),
        json!({ "files": [{ "path": pattern }] }),
    ]
}

#[test]
fn a_path_that_may_be_a_pattern_leads_nowhere_else() {
    let dir = workspace();
    let root = root(&dir);
    for pattern in [
        "e*/passwd",
        "etc?ink/passwd",
        "[e]tclink/passwd",
        "{etclink,src}/passwd",
        "src/p*",
        ".?/x",
        ".*/x",
        "src/.*/.*/x",
        "{src,../..}/x",
        "src/{a,../../..}/x",
        "[.][.]/x",
        "@(..)/x",
        "{src",
        "$HOME/*",
        "~/*",
    ] {
        for input in inputs(&root, pattern) {
            for kind in ["read", "search"] {
                let action = given(&root, kind, &input);
                for preset in [Preset::Ask, Preset::ApproveReads] {
                    let permissions = Permissions::preset(preset);
                    assert!(!is_allowed(&permissions, &action), "{kind} {input}");
                }
            }
        }
        for member in ["glob", "include", "pattern"] {
            let input = json!({ "path": ".", member: pattern });
            let is_name = !pattern.contains('/');
            let action = given(&root, "search", &input);
            let permissions = Permissions::preset(Preset::Ask);
            assert!(
                is_name || pattern == "src/p*" || !is_allowed(&permissions, &action),
                "{input}"
            );
        }
    }
    for pattern in [
        "src/*.rs",
        "s*/a.rs",
        "app/[id]/page.tsx",
        "app/[...slug].tsx",
        "{src,app}/a",
        "src/**/*.rs",
    ] {
        for input in inputs(&root, pattern) {
            let action = given(&root, "read", &input);
            assert!(
                is_allowed(&Permissions::preset(Preset::Ask), &action),
                "{input}"
            );
        }
    }
}

#[test]
fn a_rule_that_denies_a_path_finds_it_behind_a_pattern() {
    let dir = workspace();
    let root = root(&dir);
    for (path, patterns) in [
        (
            "./secrets",
            vec![
                "sec*/key",
                "{src,secrets}/key",
                "se?rets/key",
                "[s]ecrets/key",
                "*/key",
                "s*",
            ],
        ),
        ("AGENTS.md", vec!["AGENT?.md", "src/note?", "{AGENTS,x}.md"]),
    ] {
        for action in ["deny", "ask"] {
            let policy = format!(r#"{{"rules":[{{"action":"{action}","path":"{path}"}}]}}"#);
            let permissions = with_policy(Preset::ApproveAll, &policy);
            permissions.enforce_paths("claude", true);
            for pattern in &patterns {
                for input in inputs(&root, pattern) {
                    for kind in ["read", "edit", "other"] {
                        let action = given(&root, kind, &input);
                        assert!(
                            !is_allowed(&permissions, &action),
                            "{policy} {kind} {input}"
                        );
                    }
                }
                for member in ["glob", "include", "pattern"] {
                    let input = json!({ "path": ".", member: pattern });
                    let action = given(&root, "search", &input);
                    assert!(!is_allowed(&permissions, &action), "{policy} {input}");
                }
            }
        }
    }
    // The pattern to search for is a text.
    let policy = r#"{"rules":[{"action":"deny","path":"./secrets"}]}"#;
    let permissions = with_policy(Preset::ApproveAll, policy);
    permissions.enforce_paths("claude", true);
    for text in ["secrets", r"fn \w+|secrets", "(secrets|x)"] {
        let input = json!({ "path": "src", "pattern": text });
        assert!(
            is_allowed(&permissions, &given(&root, "search", &input)),
            "{text}"
        );
    }
}

#[test]
fn a_pattern_that_may_reach_a_protected_file_is_asked_about() {
    let dir = workspace();
    let root = root(&dir);
    let everything = [
        Permissions::preset(Preset::ApproveAll),
        with_policy(Preset::Ask, r#"{"default":"allow"}"#),
        with_policy(
            Preset::Ask,
            r#"{"rules":[{"action":"allow","kind":["edit","delete","move"],"path":"**"},{"action":"allow"}]}"#,
        ),
    ];
    for pattern in [
        ".g*",
        ".g*/hooks/x",
        "AGENT?.md",
        "{AGENTS,x}.md",
        "CLAUD*",
        "*",
        "**",
        "src/**",
        "[A]GENTS.md",
        "src/note?",
        "x/@(AGENTS.md)",
        ".vsc?de/tasks.json",
    ] {
        for input in inputs(&root, pattern) {
            for kind in ["edit", "delete", "move"] {
                let action = given(&root, kind, &input);
                for permissions in &everything {
                    assert!(!is_allowed(permissions, &action), "{kind} {input}");
                }
            }
        }
    }
    for path in ["app/[id]/page.tsx", "app/[...slug]/page.tsx", "src/a.rs"] {
        for input in inputs(&root, path) {
            let action = given(&root, "edit", &input);
            for permissions in &everything {
                assert!(is_allowed(permissions, &action), "{input}");
            }
        }
    }
}
