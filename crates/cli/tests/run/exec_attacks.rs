//! A denied program is not started by an agent that never asks, whatever the spelling; the agent goes on, and the audit
//! log names the rule.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use attache::process::exec_support;

use super::{agents, attache, bare, shown};

/// A directory with a program that notes when it runs.
fn stage(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let program = dir.join("forbidden");
    fs::write(&program, "#!/bin/sh\necho ran >>\"$RECORD\"\n").unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn run(dir: &Path, arguments: &[&str], line: &str) -> String {
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let agent = agents::turn(&format!("{line} >&2"), &agents::says("went on"));
    let mut command = attache(arguments, &agent);
    command.env("PATH", path).env("RECORD", dir.join("record"));
    shown(
        &command
            .env("ATTACHE_HOME", dir.join("home"))
            .output()
            .unwrap(),
    )
}

#[test]
fn attack_an_agent_that_never_asks_cannot_start_a_denied_program() {
    if !exec_support().is_available() {
        return;
    }
    let dir = stage("exec-attack");
    let policy = r#"{"rules": [{"action": "deny", "command": "forbidden", "id": "no-way"}]}"#;
    for line in [
        "forbidden",
        "forbid''den",
        "eval 'forb'idden",
        "sh -c 'sh -c \"forbidden; true\"'",
        "echo forbidden | sh",
        "perl -e 'system(\"forb\".\"idden\")'",
    ] {
        for preset in ["--approve-all", "--deny-all", "--approve-reads"] {
            let said = run(&dir, &["--policy", policy, preset, "go"], line);
            assert!(!dir.join("record").exists(), "{line} {preset}: {said}");
            assert!(said.contains("out: went on"), "{line} {preset}: {said}");
        }
    }
    let mut audit = bare(&["audit"]);
    let audit = shown(
        &audit
            .env("ATTACHE_HOME", dir.join("home"))
            .output()
            .unwrap(),
    );
    let denied = audit
        .lines()
        .filter(|line| line.contains("denied: policy rule `no-way`"));
    assert!(denied.count() >= 18, "{audit}");
    let forbidden = dir.join("forbidden").canonicalize().unwrap();
    let chain = format!("sh → sh → {}", forbidden.display());
    assert!(audit.contains(&chain), "{audit}");

    // Without a user, an ask rule denies at once. Without the guard, the agent is not stopped.
    let ask = r#"{"rules": [{"action": "ask", "command": "forbidden"}]}"#;
    let said = run(&dir, &["--policy", ask, "go"], "forbidden");
    assert!(!dir.join("record").exists(), "{said}");
    let said = run(&dir, &["--policy", policy, "--no-guard", "go"], "forbidden");
    assert!(dir.join("record").exists(), "{said}");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn attack_a_hard_link_to_a_denied_program_does_not_run_in_a_terminal() {
    if !exec_support().is_available() {
        return;
    }
    let dir = stage("exec-hard-link");
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let run = |policy: &str| {
        let mut command = bare(&["run", "-a", "builtin", "--model", "embedded"]);
        command.args(["--approve-all", "--policy", policy, "--cwd"]);
        command.arg(&dir).arg("run ln -f forbidden other; ./other");
        command.env("PATH", &path).env("HOME", dir.join("home"));
        shown(&command.output().unwrap())
    };
    let text = "#!/bin/sh\necho ran >>record\n";
    fs::write(dir.join("forbidden"), text).unwrap();
    let said = run(r#"{"rules": [{"action": "deny", "command": "forbidden"}]}"#);
    assert!(!dir.join("record").exists(), "{said}");
    // A name of a file that has several is not replaced without asking.
    fs::remove_file(dir.join("other")).unwrap();
    let said = run(r#"{"rules": [{"action": "deny", "command": "something"}]}"#);
    assert!(dir.join("record").exists(), "{said}");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_guard_notes_what_ran_without_a_rule() {
    if !exec_support().is_available() {
        return;
    }
    let dir = stage("exec-log");
    let said = run(&dir, &["--guard", "go"], "forbidden");
    assert!(dir.join("record").exists(), "{said}");
    let mut audit = bare(&["audit"]);
    let audit = shown(
        &audit
            .env("ATTACHE_HOME", dir.join("home"))
            .output()
            .unwrap(),
    );
    let forbidden = dir.join("forbidden").canonicalize().unwrap();
    let forbidden = format!("→ {}", forbidden.display());
    let is_noted = |line: &str| {
        line.contains("executed") && line.ends_with("ran") && line.contains(&forbidden)
    };
    assert!(audit.lines().any(is_noted), "{audit}");
    fs::remove_dir_all(dir).unwrap();
}

/// Denials without a permission request are printed on standard error, once per rule, and lead to exit code 5.
#[test]
fn attack_a_denial_when_executed_is_told_and_ends_in_its_exit_code() {
    if !exec_support().is_available() {
        return;
    }
    let dir = stage("exec-told");
    for (policy, rule) in [
        (
            r#"{"rules": [{"action": "deny", "command": "forbidden", "id": "no-way"}]}"#,
            "no-way",
        ),
        (
            r#"{"rules": [{"action": "ask", "command": "forbidden", "id": "who-knows"}]}"#,
            "who-knows",
        ),
    ] {
        for (line, told) in [
            ("forbidden one", 1),
            ("forbidden one; forbidden two; forbidden three", 1),
            ("forbidden '\u{1b}[2Jx\u{202e}'", 1),
            ("true", 0),
        ] {
            let said = run(&dir, &["--policy", policy, "--approve-all", "go"], line);
            let lines = said
                .lines()
                .filter(|it| it.contains("denied when executed"));
            let lines: Vec<&str> = lines.collect();
            assert_eq!(lines.len(), told, "{line}: {said}");
            for line in lines {
                assert!(line.contains("forbidden"), "{line}");
                assert!(line.contains(rule), "{line}");
                assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line:?}");
            }
            let code = if told > 0 { "exit: 5" } else { "exit: 0" };
            assert!(said.contains(code), "{line}: {said}");
            assert!(said.contains("out: went on"), "{line}: {said}");
        }
    }
    let policy = r#"{"rules": [{"action": "deny", "command": "forbidden"}]}"#;
    let said = run(
        &dir,
        &["--policy", policy, "--format", "quiet", "go"],
        "forbidden",
    );
    assert!(said.contains("exit: 5"), "{said}");
    assert!(!dir.join("record").exists());
    fs::remove_dir_all(dir).unwrap();
}
