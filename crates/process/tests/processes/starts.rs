//! How programs are started, and errors of starting them.

use std::fs;
use std::path::PathBuf;

use attache_process::{Error, Program};
use libtest_mimic::Trial;

use super::agents::{output, shell};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("starts::start_errors_say_what_is_missing", refusals),
        direct_trial(
            "starts::start_errors_say_what_is_missing_without_a_guard",
            refusals,
        ),
        trial("starts::environment_changes_are_applied", environment),
        trial("starts::arguments_and_directory_arrive", arguments),
        trial("starts::a_large_environment_arrives", large),
        trial("starts::debug_shows_no_values", debug),
    ]
}

async fn refusals() {
    let missing = refusal(Program::new("no-such-agent-here")).await;
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    let missing = refusal(Program::new("/no/such/agent")).await;
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");

    let plain = folder().join(format!("plain-{}", std::process::id()));
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    let closed = refusal(Program::new(&plain)).await;
    assert!(matches!(closed, Error::NotExecutable { .. }), "{closed}");

    let nowhere = refusal(shell("exit").cwd("/no/such/directory")).await;
    assert!(matches!(nowhere, Error::Directory { .. }), "{nowhere}");
    let file = refusal(shell("exit").cwd(&plain)).await;
    assert!(matches!(file, Error::Directory { .. }), "{file}");
    fs::remove_file(&plain).unwrap();

    let nul = refusal(shell("exit").arg("a\0b")).await;
    assert!(matches!(nul, Error::Start { .. }), "{nul}");
}

async fn environment() {
    let all = output(Program::new("env").env("A_NEW", "one").env_remove("PATH")).await;
    assert!(all.lines().any(|line| line == "A_NEW=one"));
    assert!(!all.lines().any(|line| line.starts_with("PATH=")));
    let path = std::env::var("PATH").unwrap();
    let only = Program::new("env").env("GONE", "1").env_clear();
    let only = output(only.env("PATH", &path).env("B", "2")).await;
    assert_eq!(only, format!("B=2\nPATH={path}\n"));
}

async fn arguments() {
    let said = shell("pwd; printf '%s|' \"$@\"").args(["sh", "a b", "", "ü"]);
    let said = output(said.cwd(folder())).await;
    assert_eq!(said, format!("{}\na b||ü|", folder().display()));
}

async fn large() {
    let value = "x".repeat(100_000);
    let mut program = shell("echo ${#V0} ${#V9}");
    for index in 0..10 {
        program = program.env(format!("V{index}"), &value);
    }
    assert_eq!(output(program).await, "100000 100000\n");
}

async fn debug() {
    let shown = format!("{:?}", Program::new("agent").env("TOKEN", "s3cret"));
    assert!(
        shown.contains("TOKEN") && !shown.contains("s3cret"),
        "{shown}"
    );
}

async fn refusal(program: Program) -> Error {
    program.spawn().await.expect_err("it started")
}

fn folder() -> PathBuf {
    fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
