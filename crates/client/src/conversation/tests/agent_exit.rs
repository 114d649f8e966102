//! Real programs that exit and are restarted.

#![cfg(unix)]

use attache::process::Program;
use attache_host::permissions::{Expiry, Preset, Scope};
use expect_test::expect;

use super::{event_line, host};
use crate::command::{Command, OpenRequest, SessionStart};
use crate::conversation::{Conversation, Setup};

/// Takes events up to one whose line begins like this.
async fn until(conversation: &mut Conversation, beginning: &str) -> String {
    let mut seen = String::new();
    loop {
        let line = event_line(&conversation.next().await);
        seen.push_str(&line);
        seen.push('\n');
        if line.starts_with(beginning) {
            return seen;
        }
    }
}

fn start(script: &str) -> Conversation {
    let program = Program::new("sh").args(["-c", script]);
    Conversation::start(program, Setup::new("shell", host(Preset::Ask)))
}

fn open(conversation: &mut Conversation, start: SessionStart) {
    conversation.submit(Command::OpenSession(OpenRequest {
        start,
        cwd: "/tmp".into(),
        additional: Vec::new(),
        mcp_servers: Vec::new(),
    }));
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let program = Program::new("no-such-agent-anywhere");
    let mut conversation = Conversation::start(program, Setup::new("none", host(Preset::Ask)));
    open(&mut conversation, SessionStart::New);
    let seen = until(&mut conversation, "gone").await;
    assert!(
        seen.contains("`no-such-agent-anywhere` was not found"),
        "{seen}"
    );
}

#[tokio::test]
async fn the_last_lines_of_stderr_are_reported() {
    let mut conversation = start("echo 'node: not found' >&2; exit 127");
    let expected = expect![[r#"
        gone: the agent ended before it responded to `initialize`: agent exited with 127: node: not found ["node: not found"]
    "#]];
    expected.assert_eq(&until(&mut conversation, "gone").await);
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_restarted_and_takes_the_session_up() {
    let mut conversation = start(&format!(
        "{HELLO}read new; {NEW}; read prompt; echo 'out of memory' >&2; kill -9 $$"
    ));
    open(&mut conversation, SessionStart::New);
    let mut seen = until(&mut conversation, "opened").await;
    let session = super::session();
    for text in ["one", "two"] {
        conversation.submit(Command::Prompt {
            session: session.clone(),
            content: vec![text.into()],
        });
    }
    seen += &until(&mut conversation, "gone").await;
    conversation.submit(Command::Cancel(session.clone()));
    conversation.submit(Command::Restart);
    seen += &until(&mut conversation, "ready").await;
    open(&mut conversation, SessionStart::Load(session));
    seen += &until(&mut conversation, "began").await;
    let expected = expect![[r#"
        ready
        opened s
        began one
        queue [two]
        ended AgentExited: the agent is not running; restart it
        gone: agent was ended by SIGKILL: out of memory ["out of memory"]
        failed session/cancel AgentExited: the agent is not running; restart it
        ready
        opened s
        queue []
        began two
    "#]];
    expected.assert_eq(&seen);
    conversation.stop().await;
}

#[tokio::test]
async fn what_was_allowed_in_a_session_ends_with_the_agents_process() {
    let ask = r#"echo '{"jsonrpc":"2.0","id":100,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{"command":"attache-no-such-program"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}'"#;
    for opened_by in [SessionStart::New, SessionStart::Load(super::session())] {
        let mut conversation = start(&format!(
            "{HELLO}read new; {NEW}; read prompt; {ask}; read answer; exit 1"
        ));
        let mut openings = [SessionStart::New, opened_by.clone()].into_iter();
        for round in 1..=2 {
            open(&mut conversation, openings.next().unwrap());
            until(&mut conversation, "opened").await;
            conversation.submit(Command::Prompt {
                session: super::session(),
                content: vec!["go".into()],
            });
            let mut seen = String::new();
            while !seen.starts_with("asked") {
                seen = event_line(&conversation.next().await);
                let is_decided = seen.starts_with("decided") || seen.starts_with("gone");
                assert!(!is_decided, "{opened_by:?}, {round}: {seen}");
            }
            conversation.submit(Command::AnswerPermission {
                prompt: round,
                answer: super::allow(Scope::Session),
                expiry: Expiry::Never,
            });
            until(&mut conversation, "gone").await;
            conversation.submit(Command::Restart);
            until(&mut conversation, "ready").await;
        }
        conversation.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_closes_its_output_and_stays_is_ended() {
    let mut conversation = start("exec >&-; sleep 1000");
    let expected = expect![[r#"
        gone: the agent ended before it responded to `initialize`: the agent closed its output and was stopped []
    "#]];
    expected.assert_eq(&until(&mut conversation, "gone").await);
}

#[tokio::test]
async fn a_login_in_a_terminal_is_the_agents_program_with_more_arguments() {
    let hello = HELLO.replace("\"protocolVersion\":1", "\"protocolVersion\":1,\"authMethods\":[{\"id\":\"t\",\"name\":\"T\",\"type\":\"terminal\",\"args\":[\"login\"],\"env\":{\"A\":\"b\"}}]");
    let mut conversation = start(&format!("{hello}cat >/dev/null"));
    assert!(conversation.terminal_login(&"t".into()).is_none());
    until(&mut conversation, "ready").await;
    assert!(conversation.terminal_login(&"other".into()).is_none());
    let command = conversation.terminal_login(&"t".into()).unwrap();
    assert_eq!(command.words.last().unwrap(), "login");
    assert_eq!(command.variables, [("A".to_owned(), "b".into())]);
    let mut other = command.clone();
    other.words.push("--evil".to_owned());
    let refused = conversation.run_login(&other).await.unwrap_err();
    assert_eq!(
        refused,
        "the agent has changed its login command since it was shown; try again"
    );
    conversation.stop().await;
}

const HELLO: &str = r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'; "#;
const NEW: &str = r#"echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'"#;
