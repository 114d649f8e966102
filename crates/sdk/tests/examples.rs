//! The examples are whole programs, so they are run as such: over real processes, each in a folder of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache::json::Raw;
use attache::process::{ExitStatus, Program, StopTimeouts};
use attache::{ClientCall, Options, v1};
use expect_test::{Expect, expect};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::timeout;

/// Runs an example in an empty folder, with other examples as its arguments, and returns its output.
#[tokio::main(flavor = "current_thread")]
async fn run(test: &str, words: &[&str]) -> String {
    let cwd = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    if cwd.exists() {
        fs::remove_dir_all(&cwd).unwrap();
    }
    fs::create_dir_all(&cwd).unwrap();
    let mut words = words.iter().map(|word| example(word));
    let program = Program::new(words.next().unwrap()).args(words).cwd(&cwd);
    let (child, stdin, mut stdout) = program.spawn_piped().await.unwrap();
    drop(stdin);
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).await.unwrap();
    let ending = child.wait().await;
    assert_eq!(ending.status, ExitStatus::Exited(0), "{ending}\n{printed}");
    printed
}

/// The path of an example: cargo builds examples beside the folder of this executable.
fn example(name: &str) -> PathBuf {
    let deps = env::current_exe().unwrap();
    let profile = deps.ancestors().nth(2).unwrap();
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = profile.join("examples").join(file);
    assert!(
        path.is_file(),
        "{name} is not built; run `cargo test -p attache`, or build it with --example {name}"
    );
    path
}

fn check_conversation(test: &str, words: &[&str], expected: &Expect) {
    expected.assert_eq(&run(test, words));
}

fn check_trace(test: &str, words: &[&str]) {
    let expected = include_str!("../../../interop/expected.jsonl");
    let printed = run(test, words);
    for (number, (printed, expected)) in (1..).zip(printed.lines().zip(expected.lines())) {
        assert_eq!(printed, expected, "line {number}");
    }
    assert_eq!(printed, expected);
}

#[test]
fn the_client_talks_to_the_agent() {
    check_conversation(
        "client-agent",
        &["client", "agent"],
        &expect![[r#"
            Hello!
            end_turn
        "#]],
    );
}

#[test]
fn a_proxy_in_between_changes_nothing() {
    check_conversation(
        "client-proxy-agent",
        &["client", "proxy", "agent"],
        &expect![[r#"
            Hello!
            end_turn
        "#]],
    );
}

#[test]
fn our_interop_client_and_agent_print_the_expected_trace() {
    check_trace("interop", &["interop_client", "interop_agent"]);
}

#[test]
fn proxies_keep_the_order_of_the_trace() {
    check_trace(
        "interop-proxy",
        &["interop_client", "proxy", "interop_agent"],
    );
    check_trace(
        "interop-proxies",
        &["interop_client", "proxy", "proxy", "proxy", "interop_agent"],
    );
}

#[tokio::test]
async fn a_cancellation_does_not_overtake_its_prompt_in_a_proxy() {
    let program = Program::new(example("proxy")).arg(example("interop_agent"));
    let spawned = attache::client::spawn(&program, Options::default()).await;
    let (agent, mut calls, child) = spawned.unwrap();
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
    agent.initialize(hello).await.unwrap();
    let new = v1::NewSessionRequest::new(env!("CARGO_TARGET_TMPDIR"), []);
    let session = agent.session(agent.request(new).await.unwrap().session_id);
    let both = async { tokio::join!(session.prompt(["wait"]), session.cancel()) };
    let both = calls.until(both, ClientCall::refuse);
    let (ended, cancelled) = timeout(LIMIT, both).await.expect("the turn goes on");
    cancelled.unwrap();
    assert_eq!(ended.unwrap().stop_reason, v1::StopReason::Cancelled);
    child.stop(StopTimeouts::default()).await;
}

#[tokio::test]
async fn responses_and_updates_keep_their_order_in_proxies() {
    let words = ["proxy", "interop_agent"].map(example);
    let program = Program::new(example("proxy")).args(words);
    let (child, mut stdin, mut stdout) = program.spawn_piped().await.unwrap();
    let cwd = Raw::of(env!("CARGO_TARGET_TMPDIR"));
    let calls = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":1}}}}
{{"jsonrpc":"2.0","id":2,"method":"session/new","params":{{"cwd":{},"mcpServers":[]}}}}
{{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{{"sessionId":"session-1","prompt":[{{"type":"text","text":"stream 2"}}]}}}}
"#,
        cwd.as_str()
    );
    stdin.write_all(calls.as_bytes()).await.unwrap();
    drop(stdin);
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    child.wait().await;
    let beginnings: Vec<&str> = said.lines().map(|line| &line[..37]).collect();
    expect![[r#"
        {"jsonrpc":"2.0","id":1,"result":{"pr
        {"jsonrpc":"2.0","id":2,"result":{"se
        {"jsonrpc":"2.0","method":"session/up
        {"jsonrpc":"2.0","method":"session/up
        {"jsonrpc":"2.0","id":3,"result":{"st
    "#]]
    .assert_eq(&(beginnings.join("\n") + "\n"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_proxy_whose_agent_has_exited_responds_with_an_error() {
    let gone = "read line; echo oh no >&2; exit 3";
    let program = Program::new(example("proxy")).args(["sh", "-c", gone]);
    let spawned = attache::client::spawn(&program, Options::default()).await;
    let (agent, mut calls, child) = spawned.unwrap();
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
    let answer = calls.until(agent.initialize(hello), ClientCall::refuse);
    let refused = answer.await.unwrap_err();
    expect!["initialize to the agent failed: Internal error: the agent is gone: agent exited with 3: oh no (-32603)"]
        .assert_eq(&refused.to_string());
    assert!(refused.refusal().is_some());
    let ending = child.wait().await;
    expect![[r#"agent exited with 1: Error: AgentGone { reason: "agent exited with 3: oh no" }"#]]
        .assert_eq(&ending.to_string());
}

/// Sends lines to a proxy in front of an agent that repeats each line in a notification, and returns what the proxy
/// forwards.
#[cfg(unix)]
async fn repeated(words: &[&str], lines: &str) -> String {
    let agent = r#"while read -r line; do printf '{"jsonrpc":"2.0","method":"_got","params":[%s]}\n%s\n' "$line" "$SAID"; done"#;
    let said = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"the colour","x":1}}}}"#;
    let program = Program::new(example(words[0])).env("SAID", said);
    let program = program.args(&words[1..]).args(["sh", "-c", agent]);
    let (child, mut stdin, stdout) = program.spawn_piped().await.unwrap();
    stdin.write_all(lines.as_bytes()).await.unwrap();
    let mut printed = String::new();
    let mut stdout = BufReader::new(stdout);
    for _ in 0..2 * lines.lines().count() {
        stdout.read_line(&mut printed).await.unwrap();
    }
    drop(stdin);
    stdout.read_to_string(&mut printed).await.unwrap();
    let ending = child.wait().await;
    assert_eq!(ending.status, ExitStatus::Exited(0), "{ending}");
    printed
}

#[cfg(unix)]
#[tokio::test]
async fn the_proxy_changes_the_spelling_and_nothing_else() {
    let notification =
        "{\"jsonrpc\":\"2.0\",\"method\":\"_colour\",\"params\":{\"colour\" : 1.0}}\n";
    let printed = repeated(&["proxy"], notification).await;
    expect![[r#"
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","method":"_colour","params":{"colour" : 1.0}}]}
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"the color","x":1}}}}
    "#]]
    .assert_eq(&printed);
}

#[cfg(unix)]
#[tokio::test]
async fn the_second_proxy_adds_a_server_to_every_session() {
    let request = |id: u8, method: &str, params: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/{method}","params":{{{params}}}}}"#
        ) + "\n"
    };
    let lines = [
        request(
            1,
            "new",
            r#""cwd":"/","mcpServers":[{"name":"x","command":"/x","args":[],"env":[],"y":1}]"#,
        ),
        request(2, "load", r#""cwd":"/","mcpServers":[],"sessionId":"s""#),
        request(3, "resume", r#""cwd":"/","sessionId":"s""#),
        request(4, "fork", r#""cwd":"/","sessionId":"s","z":1"#),
        request(5, "list", ""),
    ];
    let printed = repeated(&["proxy_mcp", "/bin/server"], &lines.concat()).await;
    let got: String = printed
        .split_inclusive('\n')
        .filter(|line| line.contains("_got"))
        .collect();
    expect![[r#"
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[{"name":"x","command":"/x","args":[],"env":[],"y":1},{"name":"added","command":"/bin/server","args":[],"env":[]}]}}]}
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"cwd":"/","mcpServers":[{"name":"added","command":"/bin/server","args":[],"env":[]}],"sessionId":"s"}}]}
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"cwd":"/","sessionId":"s","mcpServers":[{"name":"added","command":"/bin/server","args":[],"env":[]}]}}]}
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","id":4,"method":"session/fork","params":{"cwd":"/","sessionId":"s","z":1,"mcpServers":[{"name":"added","command":"/bin/server","args":[],"env":[]}]}}]}
        {"jsonrpc":"2.0","method":"_got","params":[{"jsonrpc":"2.0","id":5,"method":"session/list","params":{}}]}
    "#]].assert_eq(&got);
}

#[test]
fn the_examples_are_as_short_as_the_book_says() {
    let lines = |text: &str| text.lines().count();
    assert!(lines(include_str!("../examples/agent.rs")) <= 40);
    assert!(lines(include_str!("../examples/client.rs")) <= 40);
    assert!(lines(include_str!("../examples/proxy.rs")) <= 40);
    assert!(lines(include_str!("../examples/proxy_mcp.rs")) <= 40);
}

const LIMIT: Duration = Duration::from_secs(20);
