//! `attache run` as scripts see it: what it prints, how it ends, what it leaves behind. Agents are shell scripts.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod agents;
#[cfg(target_os = "linux")]
mod environment_attack;
mod exec_attacks;
mod logging;
#[cfg(target_os = "linux")]
mod ordinary_user;
mod orphans;
#[cfg(target_os = "linux")]
mod owner_attack;
#[cfg(target_os = "linux")]
mod paths_attack;
mod policy_attack;
mod reading;
#[cfg(unix)]
mod trust_attack;
mod wire;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};

/// Runs the command with an agent made of a shell script, and shows everything that a caller sees.
fn check(arguments: &[&str], agent: &str, expected: &Expect) {
    let output = attache(arguments, agent).output().unwrap();
    expected.assert_eq(&shown(&output));
}

fn attache(arguments: &[&str], agent: &str) -> Command {
    let mut command = bare(&["run"]);
    command.args(arguments).args(["--", "sh", "-c", agent]);
    command
}

/// The command with files of its own, and nothing on standard input.
fn bare(arguments: &[&str]) -> Command {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    command.args(arguments).env("ATTACHE_HOME", home);
    command.env_remove("ATTACHE_LOG");
    command.stdin(Stdio::null());
    command
}

fn shown(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    let code = output.status.code().unwrap();
    let shown = format!("out: {out}\nerr: {err}\nexit: {code}\n");
    shown.replace(env!("CARGO_MANIFEST_DIR"), "CWD")
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
fn the_rest_is_denied_unless_told_otherwise() {
    check(
        &["hi"],
        &agents::turn(&agents::asks("edit"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: edit tool “Look at it” (preset `approve-reads`, the default)
            attache: something was denied; see --approve-all and --policy

            exit: 5
        "#]],
    );
    check(
        &["--approve-all", "hi"],
        &agents::turn(&agents::asks("edit"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"yes"}

            err: allowed: edit tool “Look at it” (--approve-all)

            exit: 0
        "#]],
    );
    check(
        &["--deny-all", "hi"],
        &agents::turn(&agents::asks("read"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: read tool “Look at it” (--deny-all)
            attache: something was denied; see --approve-all and --policy

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
            err: attache: the agent ended before it responded to `initialize`: agent exited with 127: node: not found

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
fn a_timeout_ends_the_run() {
    check(
        &["--timeout", "1", "hi"],
        &agents::turn("sleep 100", ""),
        &expect![[r#"
            out: 
            err: attache: timed out after 1 s

            exit: 3
        "#]],
    );
}

#[test]
fn a_part_of_a_second_is_a_time_and_none_at_all_is_not() {
    check(
        &["--timeout", "0.5", "hi"],
        &agents::turn("sleep 100", ""),
        &expect![[r#"
            out: 
            err: attache: timed out after 0.5 s

            exit: 3
        "#]],
    );
    check(
        &["--timeout", "0", "hi"],
        "",
        &expect![[r#"
        out: 
        err: error: invalid value '0' for '--timeout <SECONDS>': expected a number of seconds above 0; leave --timeout out for no limit

        For more information, try '--help'.

        exit: 2
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

            err: skipped a line that is not a message: Connecting to the mothership

            exit: 0
        "#]],
    );
}

#[test]
fn only_the_first_of_many_log_lines_is_shown() {
    let log = "echo '[info] ready'; echo \"{ level: 'info' }\"; echo bye";
    let log = agents::turn(log, &agents::says("hi\\n"));
    check(
        &["hi"],
        &log,
        &expect![[r#"
            out: hi

            err: skipped a line that is not a message: [info] ready
            skipped 3 lines that are not messages

            exit: 0
        "#]],
    );
}

#[test]
fn an_internal_error_is_shown_with_its_details() {
    let agent = agents::fails(-32603, "Internal error");
    let data = r#""Internal error","data":{"details":"the quota is used up"}"#;
    check(
        &["hi"],
        &agent.replace(r#""Internal error""#, data),
        &expect![[r#"
            out: 
            err: attache: Internal error (-32603): the quota is used up

            exit: 1
        "#]],
    );
}

#[test]
fn arguments_that_make_no_sense() {
    let output = bare(&["run", "hi", "--format", "loud"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = bare(&["run", "--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Examples:"));
}

#[test]
fn our_own_agent_answers_when_none_is_named() {
    let output = bare(&["run", "help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Attaché's embedded model"), "{said}");
}

#[test]
fn a_command_of_our_own_agent_is_asked_about_once() {
    let mut command = bare(&["run", "--approve-all", "run echo hello there"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told.matches("allowed:").count(), 1, "{told}");
}

#[test]
fn an_agent_that_is_not_there() {
    let mut command = bare(&["run", "hi", "--", "no-such-agent"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`no-such-agent` was not found"));
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
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
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
            err: attache: ␛[2Jgone (-32603)

            exit: 1
        "#]],
    );
}

#[test]
fn only_the_last_message_is_printed_quietly() {
    let told = format!(
        "{}\n{}",
        agents::says("Let me look."),
        agents::tells_tool("read")
    );
    check(
        &["--format", "quiet", "hi"],
        &agents::turn(&told, &agents::says("Done")),
        &expect![[r#"
            out: Done

            err: 
            exit: 0
        "#]],
    );
}

#[test]
fn nobody_is_there_to_ask_so_what_a_policy_wants_asked_is_denied() {
    let scratch = tempfile::tempdir().unwrap();
    let policy = scratch.path().join("policy.json");
    std::fs::write(&policy, r#"{"default":"ask"}"#).unwrap();
    check(
        &["--policy", policy.to_str().unwrap(), "hi"],
        &agents::turn(&agents::asks("edit"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: edit tool “Look at it” (the policy asks, and nobody can be asked)
            attache: something was denied; see --approve-all and --policy

            exit: 5
        "#]],
    );
    std::fs::write(&policy, "{\n  \"default\": \"perhaps\"\n}").unwrap();
    let mut command = attache(&["--policy", policy.to_str().unwrap(), "hi"], "exit 0");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("policy.json") && said.contains("default"),
        "{said}"
    );
}

#[test]
fn an_agent_that_has_no_such_name() {
    let output = bare(&["run", "-a", "claud", "hi"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("claude"), "{said}");
}

#[test]
fn a_reader_that_stalls_holds_up_neither_the_time_nor_an_interrupt() {
    let flood = format!("while true; do {}; done", agents::says(&"x".repeat(4000)));
    let agent = agents::turn(&flood, "");
    let mut command = attache(&["--timeout", "1", "hi"], &agent);
    let begun = std::time::Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(begun.elapsed().as_secs() < 20);
}

#[test]
fn a_time_that_is_up_cancels_the_turn_first() {
    let cancelled = r#"read cancel; case $cancel in *session/cancel*) "#;
    let agent = agents::turn(
        cancelled,
        &format!("{};; esac", agents::says("cancelled\\n")),
    );
    let agent = agent.replace("end_turn", "cancelled");
    check(
        &["--timeout", "1", "hi"],
        &agent,
        &expect![[r#"
        out: cancelled

        err: attache: timed out after 1 s

        exit: 3
    "#]],
    );
}

#[test]
fn a_trace_contains_every_line_and_only_its_owner_can_read_it() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("trace.jsonl");
    let agent = agents::turn(&agents::says("hello\\n"), "");
    let mut command = attache(&["--trace", file.to_str().unwrap(), "hi"], &agent);
    assert!(command.output().unwrap().status.success());
    let trace = std::fs::read_to_string(&file).unwrap();
    let ways = trace.lines().map(|line| {
        let ways = ["recording", "in", "out", "end"];
        let marks = [
            r#"{"recording":1"#,
            r#"{"dir":"in""#,
            r#"{"dir":"out""#,
            r#""end":"#,
        ];
        let known = ways.iter().zip(marks).find(|(_, mark)| line.contains(mark));
        *known.unwrap().0
    });
    assert_eq!(
        ways.collect::<Vec<_>>(),
        [
            "recording",
            "out",
            "in",
            "out",
            "in",
            "out",
            "in",
            "in",
            "end"
        ]
    );
    let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_required_login_is_reported() {
    let agent = agents::turn("", "")
        .replace(
            r#""protocolVersion":1"#,
            r#""protocolVersion":1,"authMethods":[{"id":"b","name":"Browser"}]"#,
        )
        .replace(
            r#""id":2,"result":{"sessionId":"s"}"#,
            r#""id":2,"error":{"code":-32000,"message":"Authentication required"}"#,
        );
    check(
        &["hi"],
        &agent,
        &expect![[r#"
            out: 
            err: attache: the agent requires a login first: Authentication required (-32000); login methods: Browser; `attache chat` with this agent lets you log in

            exit: 1
        "#]],
    );
}
