//! The log of `attache run`: on standard error or in a file, and without content.

use std::path::Path;

use expect_test::expect;

use crate::{agents, attache, check, shown};

const CANARY: &str = "CANARY-sk-ant-0123456789";

fn agent() -> String {
    agents::turn(&agents::says(CANARY), "")
}

#[test]
fn the_log_is_on_standard_error_and_repeats_no_content() {
    let output = attache(&["-vvv", CANARY], &agent()).output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), CANARY);
    for expected in [
        "attache_process: program started program=sh",
        "method=session/prompt",
        "attache_transport: request finished",
        "attache_process: program exited",
    ] {
        assert!(log.contains(expected), "no `{expected}` in {log}");
    }
    assert!(!log.contains(CANARY), "{log}");
    assert!(!log.contains('\u{1b}'), "{log:?}");
}

#[test]
fn the_log_is_in_the_file_that_is_named() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run.log");
    std::fs::remove_file(&file).unwrap_or_default();
    let path = file.display().to_string();
    check(
        &["-v", "--log-file", &path, "hi"],
        &agent(),
        &expect![[r#"
        out: CANARY-sk-ant-0123456789

        err: 
        exit: 0
    "#]],
    );
    let log = std::fs::read_to_string(&file).unwrap();
    assert!(log.contains("program exited"), "{log}");
    assert!(!log.contains("request finished"), "{log}");
}

#[test]
fn quiet_overrides_the_variable() {
    let mut command = attache(&["-q", "hi"], &agent());
    let output = command.env("ATTACHE_LOG", "trace").output().unwrap();
    expect![[r#"
        out: CANARY-sk-ant-0123456789

        err: 
        exit: 0
    "#]]
    .assert_eq(&shown(&output));
    let mut command = attache(&["hi"], &agent());
    let output = command
        .env("ATTACHE_LOG", "attache_process=info")
        .output()
        .unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn a_wrong_filter_is_a_usage_error() {
    let mut command = attache(&["hi"], &agent());
    let output = command.env("ATTACHE_LOG", "attache=loud").output().unwrap();
    expect![[r#"
        out: 
        err: attache: ATTACHE_LOG: `loud` is not a level; use a level (off, error, warn, info, debug or trace) or TARGET=LEVEL, separated by commas

        exit: 2
    "#]].assert_eq(&shown(&output));
}
