//! Everything that an agent starts has ended when the command ends, however that happens.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::{agents, attache};

/// An agent that starts sleeping processes of every kind, reports that, and never ends its turn.
fn sleepers(marker: &str) -> String {
    let start = format!(
        "export MARKER={marker}; setsid sleep 1000 & (setsid sleep 1000 &) ; nohup sleep 1000 >/dev/null 2>&1 &"
    );
    agents::turn(
        &format!("{start}\n{}", agents::says("ready\\n")),
        "sleep 1000",
    )
}

fn alive(marker: &str) -> usize {
    let wanted = format!("MARKER={marker}").into_bytes();
    let processes = fs::read_dir("/proc").unwrap();
    let environments = processes.filter_map(|p| fs::read(p.ok()?.path().join("environ")).ok());
    environments
        .filter(|it| it.split(|b| *b == 0).any(|v| v == wanted))
        .count()
}

/// Starts the command and waits until the sleepers are there.
fn start(marker: &str) -> Running {
    let mut command = attache(&["hi"], &sleepers(marker));
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = Running(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "ready\n");
    soon("the sleepers start", || alive(marker) >= 3);
    child
}

fn gone_soon(marker: &str) {
    soon("everything is gone", || alive(marker) == 0);
}

fn soon(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(2);
    while !holds() {
        assert!(Instant::now() < deadline, "not within two seconds: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The command, killed with the test that started it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.kill().is_ok() {
            self.0.wait().unwrap();
        }
    }
}

fn signal(child: &Running, signal: &str) {
    let pid = child.0.id().to_string();
    let sent = std::process::Command::new("kill")
        .args([signal, &pid])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn nothing_survives_kill_9() {
    let mut child = start("attache-kill");
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    gone_soon("attache-kill");
}

#[test]
fn nothing_survives_an_interrupt_and_the_exit_code_tells() {
    let mut child = start("attache-interrupt");
    signal(&child, "-INT");
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    gone_soon("attache-interrupt");
}

#[test]
fn nothing_survives_a_termination() {
    let mut child = start("attache-terminate");
    signal(&child, "-TERM");
    child.0.wait().unwrap();
    gone_soon("attache-terminate");
}
