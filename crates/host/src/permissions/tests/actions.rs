//! Actions from the tool calls that agents in use send.

use expect_test::{Expect, expect};

use super::*;

fn check(tool_call: &str, expected: Expect) {
    let action = action(tool_call);
    let paths: Vec<_> = action
        .paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut shown = format!("{}", action.kind);
    if let Some(tool) = &action.tool {
        shown += &format!(" by {tool}");
    }
    if let Some(command) = &action.command {
        let opaque = if action.is_opaque() { " (opaque)" } else { "" };
        shown += &format!(" runs {command:?}{opaque}");
    }
    if !paths.is_empty() {
        let protected = if action.is_protected() {
            " (protected)"
        } else {
            ""
        };
        shown += &format!(" touches {}{protected}", paths.join(" "));
    }
    expected.assert_eq(&shown);
}

#[test]
fn claude_code_runs_a_command() {
    check(
        r#"{"kind":"execute","title":"npm test","rawInput":{"command":"npm test","description":"Run tests"},
            "_meta":{"claudeCode":{"toolName":"Bash"}}}"#,
        expect![[r#"execute by Bash runs ["npm", "test"]"#]],
    );
}

#[test]
fn codex_runs_a_command_through_a_shell() {
    check(
        r#"{"kind":"execute","rawInput":{"command":["bash","-lc","cargo test"],"cwd":"/w","call_id":"c"}}"#,
        expect![[r#"execute runs ["bash", "-lc", "cargo test"] (opaque)"#]],
    );
}

#[test]
fn codex_changes_files_by_name() {
    check(
        r#"{"kind":"edit","rawInput":{"changes":{"/w/a.rs":{"type":"add"},"/w/b.rs":{"type":"delete"}}}}"#,
        expect!["edit touches /w/a.rs /w/b.rs"],
    );
}

#[test]
fn a_file_that_is_named_twice_is_one_file() {
    check(
        r#"{"kind":"edit","locations":[{"path":"/w/a"}],"rawInput":{"path":"a","files":["./a","b","/w/b","x/../a"]}}"#,
        expect!["edit touches /w/a /w/b x/../a a/./a a/b a/x/../a"],
    );
}

#[test]
fn gemini_names_a_directory_to_run_in() {
    check(
        r#"{"kind":"execute","rawInput":{"command":"ls -la","description":"List","dir_path":"sub"}}"#,
        expect![[r#"execute runs ["ls", "-la"] touches sub"#]],
    );
}

#[test]
fn a_text_that_a_shell_would_read_is_one_word() {
    check(
        r#"{"kind":"execute","rawInput":{"cmd":"cat a | wc -l"}}"#,
        expect![[r#"execute runs ["cat a | wc -l"] (opaque)"#]],
    );
}

#[test]
fn variables_stand_in_front_of_the_command() {
    check(
        r#"{"kind":"execute","rawInput":{"command":"make","env":{"PATH":"/tmp"}}}"#,
        expect![[r#"execute runs ["env", "PATH=/tmp", "make"] (opaque)"#]],
    );
}

#[test]
fn two_commands_in_one_call_count_as_one_text() {
    check(
        r#"{"kind":"execute","rawInput":{"command":"npm test","argv":["rm","-rf","x"]}}"#,
        expect![[r#"execute runs ["npm\ntest\nrm\n-rf\nx"] (opaque)"#]],
    );
}

#[test]
fn an_editing_tool_has_a_command_of_its_own() {
    check(
        r#"{"kind":"read","rawInput":{"command":"view","path":"/w/a.rs"}}"#,
        expect!["read touches /w/a.rs"],
    );
}

#[test]
fn files_are_taken_from_everywhere_and_named_once() {
    check(
        r#"{"kind":"edit","name":"Edit","locations":[{"path":"/w/a"}],"rawInput":{"file_path":"/w/a","uri":"file:///w/b"},
            "content":[{"type":"diff","path":"/w/.git/hooks/pre-commit","newText":"x"}]}"#,
        expect!["edit by Edit touches /w/a /w/.git/hooks/pre-commit /w/b (protected)"],
    );
}

#[test]
fn protected_names_in_disguise() {
    for name in [
        ".git/config",
        ".GIT/config",
        ".g\u{200c}it/config",
        "\u{ff0e}git/config",
        ".git./hooks/x",
        ".git::$INDEX_ALLOCATION/x",
        "git~1/config",
        "sub/.Git/hooks/pre-commit",
        ".vſcode/tasks.json",
        ".VSCODE/settings.json",
        ".zed/settings.json",
        ".cursor/mcp.json",
        ".claude/settings.json",
        ".mcp.json",
        ".MCP.json ",
        ".envrc",
        ".bashrc",
        "x/../.git/hooks/y",
        "/home/ann/.zshrc",
        "/home/ann/.config/attache/config.json",
        "a/./.git",
    ] {
        let call = format!(
            r#"{{"kind":"edit","locations":[{{"path":{}}}]}}"#,
            serde_json::Value::from(name)
        );
        assert!(action(&call).is_protected(), "{name}");
    }
}

#[test]
fn names_that_only_look_like_protected_ones() {
    for name in [
        ".gitignore",
        "git/config",
        ".github/README.md",
        "src/.env",
        "vscode",
        "a.git/x",
        "docs/.bashrc.md",
    ] {
        let call = format!(r#"{{"kind":"edit","locations":[{{"path":"{name}"}}]}}"#);
        assert!(!action(&call).is_protected(), "{name}");
    }
}

#[test]
fn every_field_that_was_shown_counts_in_the_digest() {
    let base = r#"{"title":"t","kind":"edit","rawInput":{"a":1,"b":[2]},"locations":[{"path":"/w/a","line":1}],
        "content":[{"type":"diff","path":"/w/a","oldText":"1","newText":"2"}]}"#;
    let changes = [
        (r#""t""#, r#""T""#),
        ("edit", "read"),
        (r#""a":1"#, r#""a":2"#),
        ("[2]", "[2,3]"),
        (r#""line":1"#, r#""line":2"#),
        ("/w/a\",\"line", "/w/c\",\"line"),
        (r#""newText":"2""#, r#""newText":"3""#),
        (r#""oldText":"1""#, r#""oldText":"0""#),
    ];
    for (from, to) in changes {
        assert!(base.contains(from), "{from}");
        assert_ne!(
            action(base).digest,
            action(&base.replacen(from, to, 1)).digest,
            "{from}"
        );
    }
    let mut request = request(base);
    let first = Action::from_request("claude", "/w".into(), &request, None).digest;
    assert_ne!(
        first,
        Action::from_request("codex", "/w".into(), &request, None).digest
    );
    assert_ne!(
        first,
        Action::from_request("claude", "/v".into(), &request, None).digest
    );
    request.session_id = "other".into();
    assert_ne!(
        first,
        Action::from_request("claude", "/w".into(), &request, None).digest
    );
    request.session_id = "s".into();
    request.tool_call.tool_call_id = "2".into();
    assert_ne!(
        first,
        Action::from_request("claude", "/w".into(), &request, None).digest
    );
}

#[test]
fn the_order_of_members_does_not_count() {
    let one = action(r#"{"title":"t","rawInput":{"a":1,"b":{"c":2,"d":3}}}"#);
    let other = action(r#"{"title":"t","rawInput":{"b":{"d":3,"c":2},"a":1}}"#);
    assert_eq!(one.digest, other.digest);
}

#[test]
fn a_request_with_only_the_id_of_a_call_uses_earlier_updates() {
    let told: v1::ToolCall = json::from_str(
        r#"{"toolCallId":"1","title":"Edit a","kind":"edit","rawInput":{"file_path":"/w/a"},"name":"Edit"}"#,
    )
    .unwrap();
    let request = request(r#"{"status":"pending"}"#);
    let action = Action::from_request("claude", "/w".into(), &request, Some(&told));
    assert_eq!(action.paths, [PathBuf::from("/w/a")]);
    assert_eq!(
        (action.kind, action.tool.as_deref()),
        (v1::ToolKind::Edit, Some("Edit"))
    );
}
