//! Attacks with patches in members that are known to be content: the files that their headers name count.

use serde_json::{Value, json};

use super::*;

fn given(kind: &str, input: &Value) -> Action {
    let call = json!({ "kind": kind, "rawInput": input });
    action(&call.to_string())
}

fn is_allowed(permissions: &Permissions, action: &Action) -> bool {
    matches!(permissions.judge(action), Verdict::Allow(_))
}

/// Patches with the file in the place of `{}`.
const PATCHES: [&str; 9] = [
    "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch",
    "*** Begin Patch\n*** Add File: {}\n+b\n*** End Patch",
    "*** Update File: src/a.rs\n*** Move to: {}\n@@\n-a\n+b",
    "--- a/{}\n+++ b/{}\n@@ -1 +1 @@\n-a\n+b\n",
    "--- /dev/null\n+++ {}\n@@ -0,0 +1 @@\n+b\n",
    "diff --git a/{} b/{}\n",
    "rename from src/a.rs\nrename to {}\n",
    "@@ -1 +1 @@\n-a\n+b\n+++ {}\n@@ -0,0 +1 @@\n+b\n",
    "@@ -1,9 +1,9 @@\n-a\n--- {}\n+++ {}\n@@ -1 +1 @@\n-a\n+b\n",
];

fn patch(template: &str, file: &str) -> String {
    template.replace("{}", file)
}

/// Inputs in which a text can be nothing but a patch.
fn inputs(patch: &str) -> Vec<Value> {
    vec![
        json!({ "content": patch }),
        json!({ "contents": patch }),
        json!({ "file_text": patch }),
        json!({ "new_string": patch }),
        json!({ "cwd": "src", "content": patch }),
        json!({ "directory": "src", "content": patch }),
        json!({ "path": ".", "content": patch }),
        json!({ "path": "src/", "content": patch }),
        json!({ "edits": [{ "newText": patch }] }),
        json!({ "patch": patch }),
        json!({ "diff": patch }),
        json!({ "input": patch }),
        json!({ "path": "src/b.rs", "patch": patch }),
        json!({ "changes": { "src/b.rs": { "type": "update", "unified_diff": patch } } }),
        json!({ "changes": { "src/b.rs": { "type": "update", "diff": patch } } }),
    ]
}

#[test]
fn files_in_the_headers_of_a_patch_count() {
    let everything = [
        Permissions::preset(Preset::ApproveAll),
        with_policy(Preset::Ask, r#"{"default":"allow"}"#),
        with_policy(
            Preset::Ask,
            r#"{"rules":[{"action":"allow","path":"**"},{"action":"allow"}]}"#,
        ),
    ];
    let denying = ["deny", "ask"].map(|action| {
        let policy = format!(r#"{{"rules":[{{"action":"{action}","path":"./secrets"}}]}}"#);
        with_policy(Preset::ApproveAll, &policy)
    });
    let sources = r#"{"rules":[{"action":"allow","kind":"edit","path":"src/**"}]}"#;
    let sources = with_policy(Preset::Ask, sources);
    for template in PATCHES {
        for kind in ["edit", "other"] {
            for input in inputs(&patch(template, "AGENTS.md")) {
                for permissions in &everything {
                    assert!(!is_allowed(permissions, &given(kind, &input)), "{input}");
                }
            }
            for input in inputs(&patch(template, "secrets/key")) {
                for permissions in &denying {
                    assert!(!is_allowed(permissions, &given(kind, &input)), "{input}");
                }
                assert!(!is_allowed(&sources, &given(kind, &input)), "{input}");
            }
        }
    }
}

#[test]
fn the_content_of_a_file_is_not_a_patch() {
    let rules = r#"{"rules":[{"action":"deny","path":"./secrets"},{"action":"allow","kind":"edit","path":"src/**"}]}"#;
    let sources = with_policy(Preset::Ask, rules);
    for template in PATCHES {
        for file in ["AGENTS.md", "secrets/key"] {
            let text = patch(template, file);
            for input in [
                json!({ "path": "src/fix.patch", "content": text }),
                json!({ "file_path": "/w/src/a.md", "old_string": text, "new_string": "x" }),
                json!({ "path": "src/a.md", "edits": [{ "oldText": "x", "newText": text }] }),
                json!({ "changes": { "src/fix.patch": { "type": "add", "content": text } } }),
            ] {
                assert!(is_allowed(&sources, &given("edit", &input)), "{input}");
            }
        }
    }
    // Lines of a hunk that look like headers: comments of SQL and Lua.
    let hunk = "@@ -1,3 +1,2 @@\n-a\n--- select from secrets\n b\n+++ i\n";
    let input = json!({ "changes": { "src/a.sql": { "type": "update", "unified_diff": hunk } } });
    assert!(is_allowed(&sources, &given("edit", &input)));
}
