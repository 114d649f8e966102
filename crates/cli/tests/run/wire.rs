//! The messages to the agent, as `--format json` prints them.

use std::io::Write;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::{agents, attache};

/// Shows the lines of one method that go to the agent, with their ids left out, and how it ends.
fn check(arguments: &[&str], agent: &str, method: &str, expected: &Expect) {
    let mut all = vec!["--format", "json", "--cwd", "/tmp"];
    all.extend(arguments);
    let output = attache(&all, agent).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(
        lines
            .lines()
            .all(|line| line.starts_with(r#"{"jsonrpc":"2.0","#)),
        "{lines}"
    );
    let wanted = format!(r#""method":"{method}","params":"#);
    let wanted = lines.lines().filter_map(|line| line.split_once(&wanted));
    let mut shown: String = wanted.map(|(_, params)| format!("{params}\n")).collect();
    shown += &String::from_utf8_lossy(&output.stderr);
    shown += &format!("exit: {}\n", output.status.code().unwrap());
    expected.assert_eq(&shown.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn json_format_prints_all_lines_and_nothing_else() {
    let agent = agents::turn(&agents::says("hello\\n"), "");
    let noise = "echo noise; echo '[info] ready'; echo '{ level: 1 }'";
    let mut command = attache(&["--format", "json", "hi"], &format!("{noise}; {agent}"));
    let output = command.output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let shown: Vec<&str> = lines
        .lines()
        .map(|line| match line.split_once(r#""method":""#) {
            Some((_, rest)) => rest.split('"').next().unwrap_or_default(),
            None => "(answer)",
        })
        .collect();
    let expected = expect![[
        r#"initialize (answer) session/new (answer) session/prompt session/update (answer)"#
    ]];
    expected.assert_eq(&shown.join(" "));
    assert!(output.stderr.is_empty());
}

#[test]
fn what_is_offered() {
    let agent = agents::turn("", "");
    check(
        &["hi"],
        &agent,
        "initialize",
        &expect![[r#"
        {"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"compaction":{},"configOptions":{"boolean":{}},"notices":{}},"subagents":{},"plan":{},"auth":{"terminal":false}},"clientInfo":{"name":"attache","version":"VERSION"}}}
        exit: 0
    "#]],
    );
    let flags = ["--no-fs", "--no-terminal", "hi"];
    check(
        &flags,
        &agent,
        "initialize",
        &expect![[r#"
        {"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"compaction":{},"configOptions":{"boolean":{}},"notices":{}},"subagents":{},"plan":{},"auth":{"terminal":false}},"clientInfo":{"name":"attache","version":"VERSION"}}}
        exit: 0
    "#]],
    );
}

#[test]
fn prompts_from_words_files_and_standard_input() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("task.txt");
    std::fs::write(&file, "Tidy up\n").unwrap();
    let file = file.to_str().unwrap();
    let agent = agents::turn("", "");
    check(
        &["Say", "hello"],
        &agent,
        "session/prompt",
        &expect![[r#"
            {"sessionId":"s","prompt":[{"type":"text","text":"Say hello"}]}}
            exit: 0
        "#]],
    );
    check(
        &["-f", file],
        &agent,
        "session/prompt",
        &expect![[r#"
        {"sessionId":"s","prompt":[{"type":"text","text":"Tidy up\n"}]}}
        exit: 0
    "#]],
    );
    check(
        &["First:", "-f", file],
        &agent,
        "session/prompt",
        &expect![[r#"
            {"sessionId":"s","prompt":[{"type":"text","text":"First:\n\nTidy up\n"}]}}
            exit: 0
        "#]],
    );
    check(
        &[],
        &agent,
        "session/prompt",
        &expect![[r#"
        attache: no prompt: write it after `run`, or read it from a file with -f
        exit: 2
    "#]],
    );
    let mut command = attache(&["--format", "json"], &agent);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"from a pipe")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""text":"from a pipe""#));
}

#[test]
fn attachments_by_what_the_agent_takes() {
    let scratch = tempfile::tempdir().unwrap();
    let (text, image) = (
        scratch.path().join("notes.md"),
        scratch.path().join("dot.png"),
    );
    std::fs::write(&text, "# Notes").unwrap();
    std::fs::write(&image, b"\x89PNG\r\n\x1a\n").unwrap();
    let (text, image) = (text.to_str().unwrap(), image.to_str().unwrap());
    let takes = r#""promptCapabilities":{"image":true,"embeddedContext":true}"#;
    let agent = agents::turn("", "").replace(
        r#""protocolVersion":1"#,
        &format!(r#""protocolVersion":1,"agentCapabilities":{{{takes}}}"#),
    );
    let arguments = ["--attach", text, "--attach", image, "look"];
    let mut command = attache(&[&["--format", "json"], &arguments[..]].concat(), &agent);
    let output = command.output().unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(lines.contains(r##""text":"# Notes""##), "{lines}");
    assert!(
        lines.contains(r#""data":"iVBORw0KGgo=","mimeType":"image/png""#),
        "{lines}"
    );
    let missing = ["--attach", "/no/such/file", "look"];
    check(
        &missing,
        &agent,
        "session/prompt",
        &expect![[r#"
        attache: --attach /no/such/file: No such file or directory (os error 2)
        exit: 2
    "#]],
    );
}

#[test]
fn servers_and_directories() {
    let capable = agents::turn("", "").replace(
        r#""protocolVersion":1"#,
        r#""protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"additionalDirectories":{}}}"#,
    );
    let server = r#"{"mcpServers":{"files":{"command":"/bin/files","env":{"A":"b"}}}}"#;
    let arguments = ["--mcp", server, "--add-dir", "/usr", "hi"];
    check(
        &arguments,
        &capable,
        "session/new",
        &expect![[r#"
        {"cwd":"/tmp","mcpServers":[{"name":"files","command":"/bin/files","args":[],"env":[{"name":"A","value":"b"}]}],"additionalDirectories":["/usr"]}}
        exit: 0
    "#]],
    );
    let agent = agents::turn("", "");
    check(
        &["--add-dir", "/usr", "hi"],
        &agent,
        "session/new",
        &expect![[r#"
            attache: the agent does not support additional directories; omit them
            exit: 1
        "#]],
    );
    check(
        &["--add-dir", "/no/such", "hi"],
        &agent,
        "session/new",
        &expect![[r#"
            attache: --add-dir /no/such: No such file or directory (os error 2)
            exit: 2
        "#]],
    );
    let remote = r#"{"web":{"url":"https://example.com"}}"#;
    check(
        &["--mcp", remote, "hi"],
        &agent,
        "session/new",
        &expect![[r#"
            attache: the agent cannot reach MCP servers over HTTP, as `web` needs; leave it out, or run it as a command
            exit: 1
        "#]],
    );
    check(
        &["--mcp", "{\"a\":{}}", "hi"],
        &agent,
        "session/new",
        &expect![[r#"
            attache: --mcp: a: expected `command` or `url`
            exit: 2
        "#]],
    );
}

#[test]
fn modes_models_and_options_are_set_before_the_prompt() {
    let agent = agents::with_choices();
    let set = [
        "--mode",
        "Plan",
        "--model",
        "big",
        "--set",
        "fast=true",
        "hi",
    ];
    check(
        &set,
        &agent,
        "session/set_mode",
        &expect![[r#"
        {"sessionId":"s","modeId":"plan"}}
        exit: 0
    "#]],
    );
    check(
        &set,
        &agent,
        "session/set_config_option",
        &expect![[r#"
        {"sessionId":"s","configId":"llm","value":"big"}}
        {"sessionId":"s","configId":"fast","type":"boolean","value":true}}
        exit: 0
    "#]],
    );
    check(
        &["--mode", "nope", "hi"],
        &agent,
        "session/set_mode",
        &expect![[r#"
            attache: there is no mode `nope`; there are code, plan
            exit: 2
        "#]],
    );
    check(
        &["--model", "nope", "hi"],
        &agent,
        "session/prompt",
        &expect![[r#"
            attache: the option `llm` has no value `nope`; there are small, big
            exit: 2
        "#]],
    );
    check(
        &["--set", "nope=1", "hi"],
        &agent,
        "session/prompt",
        &expect![[r#"
            attache: there is no option `nope`; there are llm, fast
            exit: 2
        "#]],
    );
    check(
        &["--set", "nope", "hi"],
        &agent,
        "session/prompt",
        &expect![[r#"
            error: invalid value 'nope' for '--set <KEY=VALUE>': expected KEY=VALUE

            For more information, try '--help'.
            exit: 2
        "#]],
    );
}

#[test]
fn sessions_are_taken_up() {
    let agent = agents::with_sessions();
    check(
        &["--session", "old", "hi"],
        &agent,
        "session/load",
        &expect![[r#"
            {"sessionId":"old","cwd":"/tmp","mcpServers":[]}}
            exit: 0
        "#]],
    );
    check(
        &["--resume=old", "hi"],
        &agent,
        "session/resume",
        &expect![[r#"
            {"sessionId":"old","cwd":"/tmp"}}
            exit: 0
        "#]],
    );
    check(
        &["--resume", "hi"],
        &agent,
        "session/resume",
        &expect![[r#"
            {"sessionId":"latest","cwd":"/tmp"}}
            exit: 0
        "#]],
    );
    let gone = agents::without_session();
    check(
        &["--session", "old", "hi"],
        &gone,
        "session/load",
        &expect![[r#"
            {"sessionId":"old","cwd":"/tmp","mcpServers":[]}}
            attache: the agent has no session `old`: Resource not found (-32002); omit it to start a new session
            exit: 4
        "#]],
    );
    check(
        &["--resume=old", "hi"],
        &agents::turn("", ""),
        "session/resume",
        &expect![[r#"
            attache: the agent cannot resume sessions; load the session, or start a new one
            exit: 1
        "#]],
    );
}
