//! `attache check`, on our own products.

use std::process::Output;

use crate::Machine;

#[test]
fn our_agent_conforms() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "agent", "--preset", "attache", "--", &us, "agent"]);
    nothing_to_blame(&output, 250);
}

#[test]
fn our_client_conforms() {
    let machine = Machine::new();
    let us = us();
    let cancel = format!("cancel={us} run --timeout 2 hello -- {{agent}}");
    let words = ["check", "client", "--command-for", &cancel, "--", &us];
    let output = machine.attache(&[&words[..], &["run", "--approve-all", "hello", "--"]].concat());
    nothing_to_blame(&output, 140);
}

#[test]
fn our_recorder_is_transparent() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "proxy", "--", &us, "trace", "-o", "t", "--"]);
    nothing_to_blame(&output, 46);
}

#[test]
fn a_command_that_is_no_agent_is_told() {
    let machine = Machine::new();
    let output = machine.attache(&["check", "agent", "--timeout", "2", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
}

fn us() -> String {
    env!("CARGO_BIN_EXE_attache").to_owned()
}

fn nothing_to_blame(output: &Output, least: usize) {
    let shown = String::from_utf8_lossy(&output.stdout);
    let last = shown.lines().rfind(|line| line.contains(" passed, "));
    let last = last.unwrap_or_default();
    let passed = last.split(' ').next().and_then(|count| count.parse().ok());
    assert!(
        passed.is_some_and(|passed: usize| passed >= least),
        "{shown}"
    );
    assert!(last.contains(" 0 failed, 0 warnings, "), "{shown}");
    assert_eq!(output.status.code(), Some(0), "{shown}");
}
