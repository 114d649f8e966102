//! `attache run` as scripts see it: what it prints, how it ends, what it leaves behind. Agents are shell scripts.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod agents;
mod orphans;

use std::process::{Command, Output};

use expect_test::{Expect, expect};

/// Runs the command with an agent made of a shell script, and shows everything that a caller sees.
fn check(arguments: &[&str], agent: &str, expected: &Expect) {
    let output = attache(arguments, agent).output().unwrap();
    expected.assert_eq(&shown(&output));
}

fn attache(arguments: &[&str], agent: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    command.arg("run").args(arguments);
    command.args(["--", "sh", "-c", agent]);
    command
}

fn shown(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    let code = output.status.code().unwrap();
    format!("out: {out}\nerr: {err}\nexit: {code}\n")
}

#[test]
fn the_answer_is_printed() {
    check(
        &["Say", "hello"],
        &agents::turn(&agents::says("Hello, "), &agents::says("world!\\n")),
        &expect![[r#"
            out: Hello, world!

            err: 
            exit: 0
        "#]],
    );
}

#[test]
fn a_last_line_without_an_end_gets_one() {
    check(
        &["hi"],
        &agents::turn(&agents::says("Hello"), ""),
        &expect![[r#"
            out: Hello

            err: 
            exit: 0
        "#]],
    );
}

#[test]
fn what_only_reads_is_allowed() {
    check(
        &["hi"],
        &agents::turn(&agents::asks("read"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"yes"}

            err: allowed: Look at it

            exit: 0
        "#]],
    );
}

#[test]
fn the_rest_is_denied_unless_told_otherwise() {
    check(
        &["hi"],
        &agents::turn(&agents::asks("edit"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: Look at it

            exit: 5
        "#]],
    );
    check(
        &["--approve-all", "hi"],
        &agents::turn(&agents::asks("edit"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"yes"}

            err: allowed: Look at it

            exit: 0
        "#]],
    );
    check(
        &["--deny-all", "hi"],
        &agents::turn(&agents::asks("read"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: Look at it

            exit: 5
        "#]],
    );
}

#[test]
fn an_agent_that_dies_is_explained_by_its_last_words() {
    check(
        &["hi"],
        "echo 'node: not found' >&2; exit 127",
        &expect![[r#"
            out: 
            err: attache: the agent ended before it answered `initialize`: agent exited with 127: node: not found

            exit: 1
        "#]],
    );
}

#[test]
fn an_error_of_the_agent_is_shown() {
    check(
        &["hi"],
        &agents::fails(-32603, "out of luck"),
        &expect![[r#"
            out: 
            err: attache: out of luck (-32603)

            exit: 1
        "#]],
    );
}

#[test]
fn time_that_is_up() {
    check(
        &["--timeout", "1", "hi"],
        &agents::turn("sleep 100", ""),
        &expect![[r#"
            out: 
            err: attache: the time was up after 1 s

            exit: 3
        "#]],
    );
}

#[test]
fn a_banner_before_the_first_message_is_stepped_over() {
    let agent = agents::turn(&agents::says("hi\\n"), "");
    check(
        &["hi"],
        &format!("echo 'Connecting to the mothership'; {agent}"),
        &expect![[r#"
            out: hi

            err: 
            exit: 0
        "#]],
    );
}

#[test]
fn arguments_that_make_no_sense() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    let output = command.args(["run", "hi"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    let output = command.args(["run", "--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Examples:"));
}

#[test]
fn an_agent_that_is_not_there() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    let output = command
        .args(["run", "hi", "--", "no-such-agent"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`no-such-agent` was not found"));
}

#[test]
fn a_question_that_names_a_tool_that_was_told_before() {
    let told = agents::tells_tool("read");
    let asks = agents::asks_briefly();
    check(
        &["hi"],
        &agents::turn(&told, &asks),
        &expect![[r#"
            out: 
            err: tool: Look at it
            allowed: Look at it

            exit: 0
        "#]],
    );
}

#[test]
fn words_of_another_session_are_not_shown() {
    let other = agents::says("secret").replace("\"sessionId\":\"s\"", "\"sessionId\":\"other\"");
    check(
        &["hi"],
        &agents::turn(&other, &agents::says("mine\\n")),
        &expect![[r#"
            out: mine

            err: 
            exit: 0
        "#]],
    );
}

#[test]
fn an_answer_that_nobody_reads_ends_the_turn() {
    let flood = format!("while true; do {}; done", agents::says("x\\n"));
    let agent = agents::turn(&flood, "");
    let mut command = attache(&["hi"], &agent);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = attache(&["hi"], &agents::turn(&agents::says("hello\\n"), "sleep 1"));
    let output = command.stdout(full.unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"));
}

#[test]
fn escape_sequences_of_an_error_do_not_reach_the_terminal() {
    check(
        &["hi"],
        &agents::fails(-32603, "\\u001b[2Jgone"),
        &expect![[r#"
            out: 
            err: attache: �[2Jgone (-32603)

            exit: 1
        "#]],
    );
}
