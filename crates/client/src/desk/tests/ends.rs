//! Real programs that end, and are started again.

#![cfg(unix)]

use attache::process::Program;
use attache_host::permissions::{Expiry, Preset, Scope};
use expect_test::expect;

use super::{host, shown};
use crate::command::{Command, How, Opening};
use crate::desk::{Desk, Setup};

/// Takes events up to one that is shown so.
async fn until(desk: &mut Desk, beginning: &str) -> String {
    let mut seen = String::new();
    loop {
        let line = shown(&desk.next().await);
        seen.push_str(&line);
        seen.push('\n');
        if line.starts_with(beginning) {
            return seen;
        }
    }
}

fn start(script: &str) -> Desk {
    let program = Program::new("sh").args(["-c", script]);
    Desk::start(program, Setup::new("shell", host(Preset::Ask)))
}

fn open(desk: &mut Desk, how: How) {
    desk.submit(Command::Open(Opening {
        how,
        cwd: "/tmp".into(),
        additional: Vec::new(),
        mcp_servers: Vec::new(),
    }));
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let program = Program::new("no-such-agent-anywhere");
    let mut desk = Desk::start(program, Setup::new("none", host(Preset::Ask)));
    open(&mut desk, How::New);
    let seen = until(&mut desk, "gone").await;
    assert!(
        seen.contains("`no-such-agent-anywhere` was not found"),
        "{seen}"
    );
}

#[tokio::test]
async fn last_words_are_told() {
    let mut desk = start("echo 'node: not found' >&2; exit 127");
    let expected = expect![[r#"
        gone: the agent ended before it answered `initialize`: agent exited with 127: node: not found ["node: not found"]
    "#]];
    expected.assert_eq(&until(&mut desk, "gone").await);
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_restarted_and_takes_the_session_up() {
    let mut desk = start(&format!(
        "{HELLO}read new; {NEW}; read prompt; echo 'out of memory' >&2; kill -9 $$"
    ));
    open(&mut desk, How::New);
    let mut seen = until(&mut desk, "opened").await;
    let session = super::session();
    for text in ["one", "two"] {
        desk.submit(Command::Prompt {
            session: session.clone(),
            content: vec![text.into()],
        });
    }
    seen += &until(&mut desk, "gone").await;
    desk.submit(Command::Cancel(session.clone()));
    desk.submit(Command::Restart);
    seen += &until(&mut desk, "ready").await;
    open(&mut desk, How::Load(session));
    seen += &until(&mut desk, "began").await;
    let expected = expect![[r#"
        ready
        opened s
        began one
        queue [two]
        ended Gone: the agent has gone; restart it
        gone: agent was ended by SIGKILL: out of memory ["out of memory"]
        failed session/cancel Gone: the agent has gone; restart it
        ready
        opened s
        queue []
        began two
    "#]];
    expected.assert_eq(&seen);
    desk.stop().await;
}

#[tokio::test]
async fn what_was_allowed_in_a_session_ends_with_the_agents_process() {
    let ask = r#"echo '{"jsonrpc":"2.0","id":100,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{"command":"attache-no-such-program"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}'"#;
    for how in [How::New, How::Load(super::session())] {
        let mut desk = start(&format!(
            "{HELLO}read new; {NEW}; read prompt; {ask}; read answer; exit 1"
        ));
        let mut openings = [How::New, how.clone()].into_iter();
        for round in 1..=2 {
            open(&mut desk, openings.next().unwrap());
            until(&mut desk, "opened").await;
            desk.submit(Command::Prompt {
                session: super::session(),
                content: vec!["go".into()],
            });
            let mut seen = String::new();
            while !seen.starts_with("asked") {
                seen = shown(&desk.next().await);
                let is_decided = seen.starts_with("decided") || seen.starts_with("gone");
                assert!(!is_decided, "{how:?}, {round}: {seen}");
            }
            desk.submit(Command::Answer {
                prompt: round,
                answer: super::allow(Scope::Session),
                expiry: Expiry::Never,
            });
            until(&mut desk, "gone").await;
            desk.submit(Command::Restart);
            until(&mut desk, "ready").await;
        }
        desk.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_closes_its_output_and_stays_is_ended() {
    let mut desk = start("exec >&-; sleep 1000");
    let expected = expect![[r#"
        gone: the agent ended before it answered `initialize`: the agent has closed its output, and was stopped []
    "#]];
    expected.assert_eq(&until(&mut desk, "gone").await);
}

#[tokio::test]
async fn a_login_in_a_terminal_is_the_agents_program_with_more_arguments() {
    let hello = HELLO.replace("\"protocolVersion\":1", "\"protocolVersion\":1,\"authMethods\":[{\"id\":\"t\",\"name\":\"T\",\"type\":\"terminal\",\"args\":[\"login\"],\"env\":{\"A\":\"b\"}}]");
    let mut desk = start(&format!("{hello}cat >/dev/null"));
    assert!(desk.terminal_login(&"t".into()).is_none());
    until(&mut desk, "ready").await;
    assert!(desk.terminal_login(&"other".into()).is_none());
    let command = desk.terminal_login(&"t".into()).unwrap();
    assert_eq!(command.words.last().unwrap(), "login");
    assert_eq!(command.variables, [("A".to_owned(), "b".into())]);
    let mut other = command.clone();
    other.words.push("--evil".to_owned());
    let refused = desk.run_login(&other).await.unwrap_err();
    assert_eq!(refused, "the agent has changed the login that you saw");
    desk.stop().await;
}

const HELLO: &str = r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'; "#;
const NEW: &str = r#"echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'"#;
