//! The relaying of `attache trace` while it records.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Machine;

#[test]
fn every_byte_passes_both_ways() {
    let machine = Machine::new();
    let mut bytes = b"{\"a\":1}\r\n\n\xff\xfe\x00half".to_vec();
    bytes.extend((0..300_000_u32).flat_map(|number| number.to_le_bytes()));
    bytes.extend(vec![b'x'; 18 << 20]);
    bytes.extend(b"\nno line break at the end");
    let output = machine.send(&["trace", "-o", "t", "--no-redact", "--", "cat"], &bytes);
    assert!(
        output.stdout == bytes,
        "{} of {}",
        output.stdout.len(),
        bytes.len()
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn what_is_recorded_is_what_was_said() {
    let machine = Machine::new();
    let bytes = b"one\r\ntwo \xff\nthree";
    machine.send(&["trace", "-o", "t", "--no-redact", "--", "cat"], bytes);
    for side in ["client", "agent"] {
        let output = machine.attache(&["trace", "export", "t", "--format", "raw", "--side", side]);
        assert_eq!(output.stdout, bytes, "{side}");
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(machine.path("project/t"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn codes_signals_and_standard_error_pass() {
    let machine = Machine::new();
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 137), ("kill -SEGV $$", 139)] {
        let output = machine.send(&["trace", "-o", "t", "--", "sh", "-c", script], b"");
        assert_eq!(output.status.code(), Some(code), "{script}");
    }
    let script = "printf 'to \\377 err\\n' >&2; printf out";
    let output = machine.send(&["trace", "-o", "t", "--", "sh", "-c", script], b"");
    assert_eq!(output.stderr, b"to \xff err\n");
    assert_eq!(output.stdout, b"out");
    let recorded = fs::read_to_string(machine.path("project/t")).unwrap();
    assert!(recorded.contains(r#""dir":"err""#) && recorded.contains("agent exited with 0"));
}

#[test]
fn a_signal_reaches_the_agent_and_its_answer_comes_back() {
    let script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    assert_eq!(told_to_end(script), ("bye\n".to_owned(), Some(5)));
}

/// An agent that ignores signals ends when its input closes.
#[test]
fn a_signal_closes_the_input_of_the_agent() {
    let script = "trap '' TERM; echo ready; cat; echo bye; exit 6";
    assert_eq!(told_to_end(script), ("bye\n".to_owned(), Some(6)));
}

/// The agent's output when the recorder gets a signal after `ready`, and the exit code.
fn told_to_end(script: &str) -> (String, Option<i32>) {
    let machine = Machine::new();
    let mut child = machine.start(&["trace", "-o", "t", "--", "sh", "-c", script]);
    let mut stdout = child.stdout.take().unwrap();
    let mut ready = [0; 6];
    stdout.read_exact(&mut ready).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    (rest, child.wait().unwrap().code())
}

/// A client learns that the agent has closed its input as it would without a recorder: it cannot write.
#[test]
fn an_agent_that_takes_no_more_is_told_by_the_pipe() {
    let machine = Machine::new();
    let script = "exec <&-; echo closed; while [ ! -e go ]; do sleep 0.05; done";
    let mut child = machine.start(&["trace", "-o", "t", "--", "sh", "-c", script]);
    let mut closed = [0; 7];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut closed).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while stdin.write_all(b"more\n").is_ok() {
        assert!(
            Instant::now() < deadline,
            "it still takes what nobody reads"
        );
    }
    machine.file("project/go", "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The parent process may share non-blocking streams with us.
#[test]
fn streams_that_do_not_wait_are_waited_for() {
    let machine = Machine::new();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let mut command = machine.command(&["trace", "-o", "t", "--", "cat"]);
    command.stdin(Stdio::from(OwnedFd::from(theirs.try_clone().unwrap())));
    command.stdout(Stdio::from(OwnedFd::from(theirs)));
    let mut child = command.spawn().unwrap();
    drop(command);
    let bytes = b"a line\n".repeat(500_000);
    let sent = bytes.clone();
    let mut writer = ours.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        writer.write_all(&sent).unwrap();
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut arrived = Vec::new();
    ours.read_to_end(&mut arrived).unwrap();
    sending.join().unwrap();
    assert!(arrived == bytes, "{} of {}", arrived.len(), bytes.len());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_client_that_leaves_ends_the_agent() {
    let machine = Machine::new();
    let mut child = machine.start(&["trace", "-o", "t", "--", "sh", "-c", "cat; exit 4"]);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn a_pipe_that_nobody_reads_delays_nothing() {
    let machine = Machine::new();
    let made = Command::new("mkfifo")
        .arg(machine.path("project/pipe"))
        .status();
    assert!(made.unwrap().success());
    let bytes: Vec<u8> = b"a line of some bytes\n".repeat(100_000);
    let start = Instant::now();
    let output = machine.send(&["trace", "-o", "pipe", "--", "cat"], &bytes);
    assert!(output.stdout == bytes);
    assert_eq!(output.status.code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(30));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("the recording is incomplete"), "{told}");
}
