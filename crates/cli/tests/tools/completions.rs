//! Output generated from the arguments: completions, manual pages and help.

use std::fs;
use std::process::Command;

use crate::Machine;

#[test]
fn completions_for_every_shell() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = machine.attache(&["completions", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(
            script.contains("doctor") && script.contains("approve-all"),
            "{shell}"
        );
    }
    assert_eq!(
        machine.attache(&["completions", "tcsh"]).status.code(),
        Some(2)
    );
}

#[test]
fn agents_are_completed_by_name() {
    let machine = Machine::new();
    machine.file(
        "home/attache/config/config.json",
        r#"{"agent_servers":{"my-own":{"command":"x"}}}"#,
    );
    for shell in ["zsh", "fish"] {
        let output = machine.attache(&["completions", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("(attache agents --names "), "{shell}");
        assert!(!script.contains("ATTACHE_AGENT_NAMES"), "{shell}");
    }
    let names = machine.attache(&["agents", "--names"]).stdout;
    assert!(String::from_utf8(names).unwrap().starts_with("my-own\n"));
}

#[test]
fn a_shell_completes_agents_that_were_named_later() {
    let machine = Machine::new();
    let output = machine.attache(&["completions", "bash"]);
    machine.file(
        "project/completions",
        &String::from_utf8(output.stdout).unwrap(),
    );
    machine.file(
        "home/attache/config/config.json",
        r#"{"agent_servers":{"my-own":{"command":"x"}}}"#,
    );
    let binary = env!("CARGO_BIN_EXE_attache");
    std::os::unix::fs::symlink(binary, machine.path("bin/attache")).unwrap();
    let typed = r#"source ./completions; COMP_WORDS=(attache run -a my-) COMP_CWORD=3
        _attache attache my- -a; echo "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["-c", typed])
        .current_dir(machine.path("project"))
        .env("ATTACHE_HOME", machine.path("home/attache"))
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", machine.path("bin").display()),
        );
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "my-own\n");
}

#[test]
fn manual_pages() {
    let machine = Machine::new();
    let page = machine.attache(&["man"]).stdout;
    assert!(String::from_utf8(page).unwrap().contains(".TH attache 1"));
    let folder = machine.path("man1");
    let output = machine.attache(&["man", "--out", folder.to_str().unwrap()]);
    assert!(output.status.success());
    let page = fs::read_to_string(folder.join("attache-sessions-export.1")).unwrap();
    assert!(page.contains("Write a session to a file"), "{page}");
    assert!(page.contains(".SH EXAMPLES AND EXIT CODES"), "{page}");
    for file in fs::read_dir(&folder).unwrap() {
        let page = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!page.contains("EXTRA"), "{page}");
    }
}

#[test]
fn every_command_has_examples() {
    let machine = Machine::new();
    for command in COMMANDS {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let help = String::from_utf8(machine.attache(&arguments).stdout).unwrap();
        assert!(help.contains("Examples:\n  attache "), "{command}: {help}");
    }
}

#[test]
fn a_command_that_looks_like_another() {
    let output = Machine::new().attache(&["sesions", "list"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("'sessions'")
    );
}

const COMMANDS: &[&str] = &[
    "",
    "run",
    "agents",
    "config",
    "config path",
    "config get",
    "config set",
    "config unset",
    "config check",
    "config trust",
    "sessions",
    "sessions list",
    "sessions show",
    "sessions export",
    "sessions delete",
    "doctor",
    "permissions",
    "audit",
    "trace",
    "trace view",
    "trace stats",
    "trace diff",
    "trace validate",
    "trace export",
    "replay",
    "mock",
    "completions",
    "man",
];
