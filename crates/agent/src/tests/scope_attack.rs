//! Attack tests of "always allow": it covers exactly what its name says, and nothing that a model makes look like it.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::hostile_server::HostileServer;
use super::test_agent::TestAgent;
use crate::entry_kinds;

const DONE: &str = r#"{"say":[{"text":"Done."}]}"#;

fn say(tool: &str, input: &Value) -> String {
    let call = json!({"say": [{"call": {"name": tool, "input": input}}]});
    format!("{call},{DONE}")
}

fn unused() -> Value {
    json!({"name": "unused", "inputSchema": {"type": "object"}})
}

/// Allows the first call for the session, then makes the others and rejects their requests. Returns which of the others
/// the user was asked about.
async fn asked_after(first: (&str, Value), others: &[(&str, Value)], files: &[&str]) -> Vec<bool> {
    let calls = std::iter::once(&first).chain(others);
    let turns: Vec<String> = calls.map(|(tool, input)| say(tool, input)).collect();
    let stage = TestAgent::new(&turns.join(","));
    for file in files {
        stage.write(file, "one\n");
    }
    let villain = HostileServer::open(&stage, unused()).await;
    assert_eq!(villain.turn("allow_always").await, 1, "{first:?}");
    let mut asked = Vec::new();
    for _ in others {
        asked.push(villain.turn("reject_once").await > 0);
    }
    villain.close().await;
    asked
}

#[tokio::test]
async fn permission_covers_exactly_one_command_in_its_directory() {
    let commands = [
        "echo hi there",
        "echo hi; echo PWNED",
        "echo hi && echo PWNED",
        "echo hi || echo PWNED",
        "echo hi | cat",
        "echo hi & echo PWNED",
        "echo hi\necho PWNED",
        "echo hi\r\necho PWNED",
        "echo hi # \necho PWNED",
        "echo hi > a.txt",
        "echo hi >> a.txt",
        "echo hi < a.txt",
        "echo \"hi\"",
        "echo 'hi'",
        "echo h''i",
        "echo hi $(echo PWNED)",
        "echo hi `echo PWNED`",
        "echo hi ${HOME}",
        "echo $HI",
        "X=1 echo hi",
        "PATH=. echo hi",
        "env echo hi",
        "sh -c 'echo hi'",
        "\\echo hi",
        "/bin/echo hi",
        "./echo hi",
        "Echo hi",
        "echo Hi",
        "echo",
        "hi echo",
        "echo hi \u{200b}",
        "echo\u{a0}hi",
        "exec echo hi",
        "command echo hi",
        "time echo hi",
        "echo hi\u{0}",
        "(echo hi)",
        "{ echo hi; }",
        "! echo hi",
        "echo hi*",
        "echo hi?",
        "echo ~",
        "echo -e hi",
    ];
    let mut others: Vec<(&str, Value)> = commands
        .iter()
        .map(|command| ("run", json!({ "command": command })))
        .collect();
    let base = json!({ "command": "echo hi" });
    let with = |name: &str, value: Value| {
        let mut input = base.clone();
        input[name] = value;
        ("run", input)
    };
    others.push(with("cwd", json!("sub")));
    others.push(with("cwd", json!("sub/..//sub")));
    others.push(with("background", json!(true)));
    let asked = asked_after(("run", base.clone()), &others, &["sub/x"]).await;
    for ((_, input), asked) in others.iter().zip(asked) {
        assert!(asked, "{input}");
    }
    let same = [
        ("run", base.clone()),
        with("timeout", json!(5)),
        with("cwd", json!(".")),
        with("description", json!("Says hi")),
        with("args", json!(["; echo PWNED"])),
        with("cmd", json!("echo PWNED")),
    ];
    // The tool ignores unknown members.
    assert_eq!(asked_after(("run", base), &same, &[]).await, [false; 6]);
}

#[tokio::test]
async fn unknown_input_members_do_not_widen_permission() {
    let tricks = [
        json!({ "command": "echo", "args": ["hi"] }),
        json!({ "command": "echo", "argv": ["echo", "hi"] }),
        json!({ "command": "echo", "cmd": "echo hi" }),
        json!({ "command": "echo", "env": { "X": "1" } }),
        json!({ "command": "echo", "path": "view" }),
        json!({ "command": "insert", "path": "a.txt" }),
        json!({ "command": "create", "path": "a.txt" }),
    ];
    for trick in tricks {
        let others = [
            ("run", json!({ "command": "echo hi" })),
            ("run", json!({ "command": "env X=1 echo" })),
        ];
        let asked = asked_after(("run", trick.clone()), &others, &["a.txt"]).await;
        assert_eq!(asked, [true, true], "{trick}");
    }
}

#[tokio::test]
async fn permission_for_changes_covers_only_files_below_the_directory() {
    let write = |path: &str| ("write", json!({ "path": path, "content": "two\n" }));
    let first = write("a.txt");
    let covered = [
        write("b.txt"),
        write("deep/er/c.txt"),
        (
            "edit",
            json!({ "path": "a.txt", "edits": [{ "old": "two", "new": "three" }] }),
        ),
    ];
    let asked = asked_after(first.clone(), &covered, &[]).await;
    assert_eq!(asked, [false; 3]);
    let protected = [
        "AGENTS.md",
        "CLAUDE.md",
        "sub/AGENTS.md",
        ".github/workflows/ci.yml",
        ".pre-commit-config.yaml",
        ".gitmodules",
        ".github/WORKFLOWS/ci.yml",
        "agents.md",
    ];
    let mut others: Vec<(&str, Value)> = protected.iter().map(|path| write(path)).collect();
    others.push(("delete", json!({ "path": "d.txt" })));
    others.push(("move", json!({ "from": "d.txt", "to": "e.txt" })));
    others.push(("run", json!({ "command": "touch a.txt" })));
    let asked = asked_after(first, &others, &["d.txt"]).await;
    for ((tool, input), asked) in others.iter().zip(asked) {
        assert!(asked, "{tool} {input}");
    }
}

#[tokio::test]
async fn protected_files_ask_in_every_mode_and_every_time() {
    let turn = say("write", &json!({ "path": "AGENTS.md", "content": "two\n" }));
    for mode in ["ask", "code"] {
        let stage = TestAgent::new(&[turn.as_str(), turn.as_str()].join(","));
        let villain = HostileServer::open(&stage, unused()).await;
        villain.set_mode(mode).await;
        // An option that was not offered allows nothing.
        assert_eq!(villain.turn("allow_always").await, 1, "{mode}");
        assert!(!stage.project().join("AGENTS.md").exists(), "{mode}");
        assert!(
            villain
                .last_options()
                .iter()
                .all(|name| !name.contains("Always allow"))
        );
        assert_eq!(villain.turn("allow_once").await, 1, "{mode}");
        assert_eq!(stage.read("AGENTS.md"), "two\n");
        villain.close().await;
    }
}

/// Moving a directory also moves the protected files in it.
#[tokio::test]
async fn moving_a_directory_with_a_protected_file_asks() {
    let moves = [
        ("prep", ".github", true),
        ("prep2", ".config", true),
        ("docs", "elsewhere", true),
        ("prep/workflows", ".gitea/workflows", true),
        ("plain", "other", false),
    ];
    let turns = moves.map(|(from, to, _)| say("move", &json!({ "from": from, "to": to })));
    let stage = TestAgent::new(&turns.join(","));
    for file in [
        "prep/workflows/ci.yml",
        "prep2/mise/config.toml",
        "docs/deep/CLAUDE.md",
        "plain/a.txt",
    ] {
        stage.write(file, "x");
    }
    let villain = HostileServer::open(&stage, unused()).await;
    villain.set_mode("code").await;
    for (from, to, is_asked) in moves {
        let asked = villain.turn("reject_once").await > 0;
        assert_eq!(asked, is_asked, "{from} {to}");
        assert_eq!(stage.project().join(to).exists(), !is_asked, "{from} {to}");
    }
    villain.close().await;
}

#[tokio::test]
async fn a_refused_file_stays_refused_by_every_tool() {
    let calls = [
        ("write", json!({ "path": "a.txt", "content": "two\n" })),
        (
            "edit",
            json!({ "path": "./a.txt", "edits": [{ "old": "one", "new": "two" }] }),
        ),
        ("delete", json!({ "path": "b/../a.txt" })),
        ("write", json!({ "path": "link", "content": "two\n" })),
    ];
    let turns: Vec<String> = calls.iter().map(|(tool, input)| say(tool, input)).collect();
    let stage = TestAgent::new(&turns.join(","));
    stage.write("a.txt", "one\n");
    stage.write("b/x", "");
    std::os::unix::fs::symlink("a.txt", stage.project().join("link")).unwrap();
    let villain = HostileServer::open(&stage, unused()).await;
    assert_eq!(villain.turn("reject_always").await, 1);
    for (tool, input) in &calls[1..] {
        assert_eq!(villain.turn("allow_once").await, 0, "{tool} {input}");
    }
    assert_eq!(stage.read("a.txt"), "one\n");
    villain.close().await;
}

#[tokio::test]
async fn permission_options_have_distinct_names() {
    let calls = [
        ("write", json!({ "path": "a.txt", "content": "two\n" })),
        ("delete", json!({ "path": "b.txt" })),
        ("move", json!({ "from": "b.txt", "to": "c.txt" })),
        ("run", json!({ "command": "echo hi" })),
        ("mode", json!({ "mode": "code" })),
        ("fetch", json!({ "url": "https://example.com/page" })),
        ("mcp__desk__unused", json!({})),
    ];
    let turns: Vec<String> = calls.iter().map(|(tool, input)| say(tool, input)).collect();
    let stage = TestAgent::new(&turns.join(","));
    stage.write("b.txt", "one\n");
    let villain = HostileServer::open(&stage, unused()).await;
    let mut all = HashSet::new();
    for (tool, input) in &calls {
        assert_eq!(villain.turn("reject_once").await, 1, "{tool} {input}");
        let names = villain.last_options();
        let unique: HashSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
        let lasting = names.into_iter().filter(|name| name.contains("Always"));
        for name in lasting {
            assert!(all.insert(name.clone()), "{name}");
        }
    }
    villain.close().await;
}

/// Earlier versions stored decisions as text keys, which covered more than their names said.
#[tokio::test]
async fn decisions_of_old_journal_formats_cover_nothing() {
    let calls = [
        (
            "write",
            json!({ "path": "a.txt", "content": "two\n" }),
            "change",
        ),
        ("delete", json!({ "path": "b.txt" }), "delete"),
        ("run", json!({ "command": "echo hi" }), "run:\0echo hi"),
        ("mcp__desk__unused", json!({}), "mcp:mcp__desk__unused"),
        (
            "fetch",
            json!({ "url": "https://example.com/" }),
            "fetch:example.com",
        ),
    ];
    for (tool, input, key) in calls {
        let turns = format!("{DONE},{}", say(tool, &input));
        let stage = TestAgent::new(&turns);
        stage.write("b.txt", "one\n");
        let villain = HostileServer::open(&stage, unused()).await;
        assert_eq!(villain.turn("reject_once").await, 0);
        let id = villain.close().await;
        let old = json!({ "call": "c", "key": key, "answer": "allow_always" }).to_string();
        let broken = r#"{"call":"c","answer":"allow_always","record":{"scope":"always"}}"#;
        stage
            .add(
                &id,
                &[
                    (entry_kinds::DECISION, &old),
                    (entry_kinds::DECISION, broken),
                ],
            )
            .await;
        let villain = HostileServer::load(&stage, &id, "d", unused()).await;
        assert_eq!(villain.turn("reject_once").await, 1, "{key:?}");
        villain.close().await;
    }
}

#[tokio::test]
async fn a_fork_keeps_permissions_in_its_directory_only() {
    let run = say("run", &json!({ "command": "echo hi" }));
    let stage = TestAgent::new(&vec![run; 3].join(","));
    stage.write("sub/x", "");
    let mut villain = HostileServer::open(&stage, unused()).await;
    assert_eq!(villain.turn("allow_always").await, 1);
    let project = stage.project();
    villain.fork(&project).await;
    assert_eq!(villain.turn("reject_once").await, 0);
    villain.fork(&project.join("sub")).await;
    assert_eq!(villain.turn("reject_once").await, 1);
    villain.close().await;
}
