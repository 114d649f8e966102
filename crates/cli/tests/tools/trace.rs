//! `attache trace`: relaying an agent, and reading recordings.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use expect_test::expect;

use crate::Machine;

const ATTACHE: &str = env!("CARGO_BIN_EXE_attache");

impl Machine {
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(ATTACHE);
        command.args(arguments).current_dir(self.path("project"));
        command.env("ATTACHE_HOME", self.path("home/attache"));
        command
    }

    /// Sends bytes through a program and returns its output.
    pub(crate) fn send(&self, arguments: &[&str], bytes: &[u8]) -> Output {
        let mut child = self.start(arguments);
        let mut stdin = child.stdin.take().unwrap();
        let bytes = bytes.to_vec();
        let sending = std::thread::spawn(move || {
            // A program that has exited reads no more input.
            stdin.write_all(&bytes).ok();
        });
        let output = child.wait_with_output().unwrap();
        sending.join().unwrap();
        output
    }

    /// A turn of the mock, recorded.
    fn record(&self, scenario: &str, file: &str) -> Output {
        let output = self.attache(&[
            "run",
            "--approve-all",
            scenario,
            "--",
            ATTACHE,
            "trace",
            "-o",
            file,
            "--",
            ATTACHE,
            "mock",
        ]);
        assert!(self.path("project").join(file).exists());
        output
    }
}

#[test]
fn a_full_device_is_reported_and_delays_nothing() {
    let machine = Machine::new();
    if !fs::exists("/dev/full").unwrap() {
        return;
    }
    let bytes: Vec<u8> = b"a line of some bytes\n".repeat(10_000);
    let output = machine.send(&["trace", "-o", "/dev/full", "--", "cat"], &bytes);
    assert!(output.stdout == bytes);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("the recording is incomplete: No space left"),
        "{told}"
    );
}

#[test]
fn without_a_file_one_is_made_and_named() {
    let machine = Machine::new();
    let output = machine.send(&["trace", "--", "cat"], b"hello\n");
    let told = String::from_utf8_lossy(&output.stderr);
    let file = told
        .trim()
        .strip_prefix("attache: recording; view it with `attache trace view ");
    let file = file.unwrap().trim_end_matches('`');
    let recorded = fs::read_to_string(file).unwrap();
    assert!(recorded.contains(r#""line":"hello""#), "{recorded}");
    assert!(file.contains("home/attache/state/traces/"), "{file}");
}

#[test]
fn secrets_are_not_on_file() {
    let machine = Machine::new();
    let line = b"{\"params\":{\"env\":[{\"name\":\"KEY\",\"value\":\"hunter2\"}]}}\n";
    let output = machine.send(&["trace", "-o", "t", "--", "cat"], line);
    assert_eq!(output.stdout, line);
    let recorded = fs::read_to_string(machine.path("project/t")).unwrap();
    assert!(
        recorded.contains("[redacted]") && !recorded.contains("hunter2"),
        "{recorded}"
    );
}

#[test]
fn an_agent_that_cannot_be_started() {
    let machine = Machine::new();
    machine.check(
        &["trace", "-o", "t", "--", "./nothing"],
        &expect![[r#"
        err: ./nothing does not exist; check the path; relative paths start at the current directory
        exit: 1
    "#]],
    );
}

#[test]
fn a_recording_is_judged() {
    let machine = Machine::new();
    machine.record("tools", "t");
    let output = machine.attache(&["trace", "validate", "t"]);
    assert_eq!(output.status.code(), Some(0), "{}", machine.shown(&output));
    machine.file(
        "project/bad",
        &[
            r#"{"dir":"out","at":1000,"time":"","line":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"}"#,
            r#"{"dir":"in","at":2000,"time":"","line":"Loading..."}"#,
            "",
        ]
        .join("\n"),
    );
    machine.check(&["trace", "validate", "bad"], &expect![[r#"
        line 2, 2.0 ms, agent: line: the line is not a JSON-RPC message; write nothing else there (rule 1, MUST)
        err: messages: 2, violations: 1, hints: 0
        exit: 1
    "#]]);
    machine.check(
        &["trace", "validate", "--json", "--side", "agent", "bad"],
        &expect![[r#"
            {"line":2,"at":2000,"from":"agent","rule":"1","level":"MUST","path":"line","message":"the line is not a JSON-RPC message; write nothing else there"}
            err: messages: 2, violations: 1, hints: 0
            exit: 1
        "#]],
    );
    machine.check(
        &["trace", "validate", "--side", "client", "bad"],
        &expect![[r#"
            err: messages: 2, violations: 0, hints: 0
            exit: 0
        "#]],
    );
    machine.check(
        &["trace", "validate", "missing"],
        &expect![[r#"
        err: missing: No such file or directory (os error 2)
        exit: 1
    "#]],
    );
}

#[test]
fn two_recordings_are_compared() {
    let machine = Machine::new();
    machine.record("text", "one");
    machine.record("text", "two");
    machine.check(
        &["trace", "diff", "one", "two"],
        &expect![[r#"
        exit: 0
    "#]],
    );
    machine.record("thoughts", "three");
    let output = machine.attache(&["trace", "diff", "one", "three"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        shown.contains("\n-<. session/update") && shown.contains("\n+<. session/update"),
        "{shown}"
    );
}

#[test]
fn a_recording_adds_up_and_is_written_in_other_forms() {
    let machine = Machine::new();
    machine.record("usage", "t");
    let output = machine.attache(&["trace", "stats", "t"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    for part in [
        "messages        10",
        "tokens          1500: 1200 in, 300 out",
        "violations      0",
        "session/prompt",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let output = machine.attache(&["trace", "stats", "--json", "t"]);
    let sums: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sums["tokens"]["total"], 1500);
    let output = machine.attache(&["trace", "export", "t"]);
    let script = String::from_utf8_lossy(&output.stdout);
    assert!(script.starts_with("-> initialize {"), "{script}");
    let output = machine.attache(&["trace", "export", "t", "--format", "markdown"]);
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(
        page.starts_with("# Conversation with attache\n") && page.contains("That was not cheap."),
        "{page}"
    );
    let output = machine.attache(&["trace", "view", "t", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(0));
    let page = fs::read_to_string(machine.path("project/page.html")).unwrap();
    assert!(page.contains("usage_update"));
    machine.check(
        &["trace", "view", "t"],
        &expect![[r#"
        err: not a terminal; use --html OUT, or `attache trace stats`
        exit: 2
    "#]],
    );
}

#[test]
fn a_replay_looks_the_same_as_what_was_recorded() {
    for scenario in [
        "text",
        "tools",
        "diff",
        "plan",
        "permission",
        "terminal",
        "usage",
        "refusal",
        "error",
        "markdown",
    ] {
        let machine = Machine::new();
        let live = machine.record(scenario, "t");
        let played = machine.attache(&[
            "run",
            "--approve-all",
            scenario,
            "--",
            ATTACHE,
            "replay",
            "t",
            "--speed",
            "0",
        ]);
        assert_eq!(machine.shown(&played), machine.shown(&live), "{scenario}");
        assert!(
            !live.stdout.is_empty() || !live.stderr.is_empty(),
            "{scenario}"
        );
    }
}

#[test]
fn the_client_side_is_replayed_to_an_agent() {
    let machine = Machine::new();
    machine.record("permission", "t");
    let again = [
        "replay", "t", "--as", "client", "--speed", "0", "--", ATTACHE, "trace", "-o", "again",
        "--", ATTACHE, "mock",
    ];
    machine.check(
        &again,
        &expect![[r#"
        exit: 0
    "#]],
    );
    let output = machine.attache(&["trace", "diff", "t", "again"]);
    assert_eq!(machine.shown(&output), "exit: 0\n");
    machine.check(
        &[
            "replay",
            "t",
            "--as",
            "client",
            "--speed",
            "0",
            "--timeout",
            "1",
            "--",
            "sleep",
            "9",
        ],
        &expect![[r#"
            err: the other side did not send an answer to initialize in time
            exit: 1
        "#]],
    );
}

#[test]
fn faults_reach_the_client() {
    let machine = Machine::new();
    machine.record("text", "t");
    let with = |fault: &str| {
        machine.attache(&[
            "run",
            "--timeout",
            "5",
            "text",
            "--",
            ATTACHE,
            "replay",
            "t",
            "--speed",
            "0",
            "--fault",
            fault,
        ])
    };
    let said = "Hello, I am a mock agent, and this is a message.\n";
    for fault in ["fragment=5", "delay=1ms..5ms", "garbage:40%", "duplicate"] {
        let output = with(fault);
        assert_eq!(String::from_utf8_lossy(&output.stdout), said, "{fault}");
        assert_eq!(output.status.code(), Some(0), "{fault}");
    }
    assert_eq!(with("crash@5").status.code(), Some(1));
    machine.check(&["replay", "t", "--fault", "explode"], &expect![[r#"
        err: unknown fault; use delay=50ms, delay=10ms..80ms, fragment=7, garbage, drop, duplicate, reorder, wrong-id, oversize=20000000 or crash, with @N for message N or :P% for a chance
        exit: 2
    "#]]);
    machine.check(
        &["replay", "missing"],
        &expect![[r#"
        err: missing: No such file or directory (os error 2)
        exit: 1
    "#]],
    );
}

#[test]
fn scenarios_are_listed_and_chosen() {
    let machine = Machine::new();
    let output = machine.attache(&["mock", "--list"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\npermission "));
    let output = machine.attache(&["mock", "--list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(list.as_array().unwrap().len() > 30);
    machine.check(
        &["mock", "nothing"],
        &expect![[r#"
        err: no scenario `nothing`; `attache mock --list` lists them
        exit: 2
    "#]],
    );
    machine.check(
        &["run", "whatever", "--", ATTACHE, "mock", "refusal"],
        &expect![[r#"
            I would rather not.
            err: stopped: refusal
            exit: 1
        "#]],
    );
    let crashed = machine.send(
        &["mock", "crash"],
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#, "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#, "\n",
            r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"mock-1","prompt":[]}}"#, "\n",
        )
        .as_bytes(),
    );
    assert_eq!(crashed.status.code(), Some(3));
}
