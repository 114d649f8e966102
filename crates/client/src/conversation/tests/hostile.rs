//! Hostile or broken agents do no harm.

use std::time::Duration;

use expect_test::expect;
use tokio::time::timeout;

use super::{Fixture, host};
use crate::command::{Command, OpenRequest, PermissionAnswer, SessionStart};
use crate::conversation::{Conversation, Setup};
use crate::event::Event;
use attache_host::exec::ExecRequest;
use attache_host::permissions::{Expiry, Preset};

#[tokio::test(start_paused = true)]
async fn updates_of_unknown_sessions_are_counted_and_dropped() {
    let script = r#"
        -> session/prompt @turn {...}
        <. session/update {"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"secret"}}} x1000
        <- session/request_permission {"sessionId":"other","toolCall":{"toolCallId":"a","title":"Edit"},"options":[]}
        !> {"code":-32002, ...}
        <- fs/read_text_file {"sessionId":"other","path":"/etc/passwd"}
        !> {"code":-32002, ...}
        <- terminal/create {"sessionId":"other","command":"ls"}
        !> {"code":-32002, ...}
        <= @turn {"stopReason":"end_turn"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("go");
    fixture.until("ended").await;
    assert_eq!(fixture.conversation.dropped_updates(), 1000);
    let expected = expect![[r#"
        began go
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn child_sessions_send_updates_and_permission_requests() {
    let script = r#"
        -> session/prompt @turn {...}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"child","title":"Look"}}
        <. session/update {"sessionId":"child","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hm"}}}
        <- session/request_permission @ask {"sessionId":"child","toolCall":{"toolCallId":"a","title":"Edit"},"options":[]}
        any order
          .> session/cancel {"sessionId":"s"}
          => @ask {"outcome":{"outcome":"cancelled"}}
        end
        <- session/request_permission @late {"sessionId":"child","toolCall":{"toolCallId":"b","title":"Late"},"options":[]}
        => @late {"outcome":{"outcome":"cancelled"}}
        <= @turn {"stopReason":"cancelled"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("go");
    fixture.until("asked").await;
    fixture
        .conversation
        .submit(Command::Cancel(super::session()));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        update s subagent_update
        update child hm
        asked 1: Edit
        withdrawn 1
        ended cancelled
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn two_hundred_permission_requests_at_once_are_capped() {
    let ask = r#"<- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit"},"options":[]}"#;
    let script = format!(
        "-> session/prompt @turn {{...}}\n{ask} x200\n\
         any order\n  => @ask {{\"outcome\":{{\"outcome\":\"cancelled\"}}}} x200\n  .> session/cancel {{...}}\nend\n\
         <= @turn {{\"stopReason\":\"cancelled\"}}"
    );
    let mut fixture = Fixture::in_session("{}", &script).await;
    fixture.prompt("go");
    fixture.until("asked 64").await;
    fixture
        .conversation
        .submit(Command::Cancel(super::session()));
    fixture.until("ended").await;
    assert!(!fixture.seen.contains("asked 65"));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_programs_that_wait_leave_room_for_the_agents_own_requests() {
    let ask = r#"<- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit"},"options":[]}"#;
    let script = format!(
        "-> session/prompt @turn {{...}}\n{ask}\n=> @ask {{\"outcome\":{{\"outcome\":\"cancelled\"}}}}\n\
         <= @turn {{\"stopReason\":\"end_turn\"}}"
    );
    let mut fixture = Fixture::in_session("{}", &script).await;
    let prompts = fixture.conversation.exec_prompts();
    let execs: Vec<_> = (0..1000)
        .map(|number: u32| {
            let prompts = prompts.clone();
            tokio::spawn(async move {
                let request = ExecRequest {
                    session: Some(super::session()),
                    program: "/usr/bin/git".into(),
                    args: vec!["git".to_owned(), number.to_string()],
                    more: 0,
                    cwd: "/tmp".into(),
                    variables: Vec::new(),
                    parents: Vec::new(),
                    why: "a rule".to_owned(),
                };
                prompts.ask(request).await
            })
        })
        .collect();
    fixture.until("asked 48").await;
    fixture.prompt("go");
    fixture.until("asked 49: Edit").await;
    fixture.conversation.submit(Command::AnswerPermission {
        prompt: 49,
        answer: PermissionAnswer::Dismiss,
        expiry: Expiry::Never,
    });
    fixture.until("ended").await;
    assert!(!fixture.seen.contains("asked 50"), "{}", fixture.seen);
    let waiting = || execs.iter().filter(|exec| !exec.is_finished()).count();
    // Each is judged on a thread of its own, in its own time. The turn has ended, and so do all of them.
    for _ in 0..10_000 {
        if waiting() == 0 {
            break;
        }
        timeout(Duration::from_millis(1), fixture.conversation.next())
            .await
            .ok();
    }
    assert_eq!(waiting(), 0);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_terminals_do_not_hold_up_the_turn() {
    let script = r#"
        -> session/prompt @turn {...}
        repeat 10000
          <- terminal/output {"sessionId":"s","terminalId":"none"}
          !> {"code":_, ...}
        end
        <= @turn {"stopReason":"end_turn"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("go");
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_updates_ends_before_the_turn_does() {
    let script = r#"
        -> session/prompt @turn {...}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}} x20000
        <= @turn {"stopReason":"end_turn"}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"after"}}}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("go");
    let mut updates = 0;
    loop {
        match fixture.conversation.next().await {
            Event::Update(_) => updates += 1,
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    assert_eq!(updates, 20000);
    fixture.until("update s after").await;
}

#[tokio::test(start_paused = true)]
async fn invalid_lines_are_reported_now_and_then() {
    let script = "<~ Loading \u{1b}[2Jthe model\n-> initialize {...}\n\
        <= {\"protocolVersion\":1,\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"}}\nquiet 1s\nrepeat 20\n<~ more noise\nend\nquiet 1s\n...";
    let mut fixture = Fixture::with_preset(script, Preset::Ask);
    fixture.until("garbage").await;
    fixture.until("garbage").await;
    let expected = expect![[r#"
        ready
        garbage 1: Loading the model
        garbage 21: Loading the model
    "#]];
    expected.assert_eq(&fixture.seen);
}

#[tokio::test(start_paused = true)]
async fn the_first_of_many_invalid_lines_is_reported_alone() {
    let script = "repeat 5\n<~ [info] loading\nend\n-> initialize {...}\n\
        <= {\"protocolVersion\":1,\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"}}\nquiet 1s\n...";
    let mut fixture = Fixture::with_preset(script, Preset::Ask);
    fixture.until("garbage").await;
    assert_eq!(fixture.conversation.invalid_lines(), 5);
    expect![[r#"
        ready
        garbage 1: [info] loading
    "#]]
    .assert_eq(&fixture.seen);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_answers_initialize_is_given_up() {
    let mut fixture = Fixture::with_preset("-> initialize {...}\nquiet 2m\n...", Preset::Ask);
    fixture.open_new_session();
    fixture.until("gone").await;
    fixture.prompt("hello?");
    fixture.until("failed session/prompt").await;
    let expected = expect![[r#"
        failed session/new AgentExited: the agent is not running; restart it
        gone: the agent did not respond to `initialize` within 60 s; is it an ACP agent? []
        failed session/prompt AgentExited: the agent is not running; restart it
    "#]];
    expected.assert_eq(&fixture.seen);
}

#[tokio::test(start_paused = true)]
async fn an_agent_of_another_version_is_given_up() {
    let script = "-> initialize {...}\n<= {\"protocolVersion\":9}\nquiet 1s\n...";
    let mut fixture = Fixture::with_preset(script, Preset::Ask);
    fixture.until("gone").await;
    let expected = expect![[r#"
        gone: the agent rejected `initialize`: the peer uses protocol version 9; only version 1 is supported []
    "#]];
    expected.assert_eq(&fixture.seen);
}

#[tokio::test(start_paused = true)]
async fn listeners_get_every_line_in_both_directions() {
    let script = "-> initialize {...}\n<= {\"protocolVersion\":1,\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"}}";
    let ((read, write), peer) = attache_testkit::scripted_agent(script).unwrap();
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let input = std::sync::Arc::clone(&lines);
    let setup = Setup::new("scripted", host(Preset::Ask)).listen(move |way, line| {
        let line = String::from_utf8_lossy(line).into_owned();
        input.lock().unwrap().push((way, line));
    });
    let mut conversation = Conversation::connect(read, write, setup);
    assert!(matches!(conversation.next().await, Event::AgentReady(_)));
    conversation.stop().await;
    peer.finish().await.unwrap();
    let lines = lines.lock().unwrap();
    let ways: Vec<_> = lines.iter().map(|(way, _)| *way).collect();
    assert_eq!(
        ways,
        [
            crate::conversation::LineDirection::ToAgent,
            crate::conversation::LineDirection::FromAgent
        ]
    );
    assert!(
        lines
            .iter()
            .all(|(_, line)| line.starts_with('{') && line.ends_with('}'))
    );
}

/// An agent that begins a session in a folder, asks for something very often, and reads no answer.
async fn deaf_agent(stream: tokio::io::DuplexStream, calls: String) {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    for result in [r#"{"protocolVersion":1}"#, r#"{"sessionId":"s"}"#] {
        let line = lines.next_line().await.unwrap().unwrap();
        let asked: serde_json::Value = serde_json::from_str(&line).unwrap();
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            asked["id"]
        );
        write.write_all(answer.as_bytes()).await.unwrap();
        write.write_all(b"\n").await.unwrap();
    }
    write.write_all(calls.as_bytes()).await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn answers_that_nobody_reads_do_not_pile_up() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let (file, log) = (folder.path().join("file"), folder.path().join("log"));
    std::fs::write(&file, "x".repeat(1 << 20)).unwrap();
    let read = |id| {
        let path = file.display();
        let params = format!(r#"{{"sessionId":"s","path":"{path}"}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"fs/read_text_file","params":{params}}}"#)
    };
    let calls = (0..200).map(|id| read(id) + "\n").collect();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let agent = tokio::spawn(deaf_agent(theirs, calls));
    let (input, output) = tokio::io::split(ours);
    let mut host = host(Preset::Ask);
    host.log = attache_host::audit::Log::open(&log).unwrap();
    let mut conversation = Conversation::connect(input, output, Setup::new("deaf", host));
    conversation.submit(Command::OpenSession(OpenRequest {
        start: SessionStart::New,
        cwd: "/tmp".into(),
        additional: Vec::new(),
        mcp_servers: Vec::new(),
    }));
    let quiet = Duration::from_secs(1);
    while timeout(quiet, conversation.next()).await.is_ok() {}
    let reads = attache_host::audit::entries(&log).unwrap().count();
    assert!((1..40).contains(&reads), "{reads} MiB wait");
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_in_use_does_not_take_the_place_of_a_session() {
    let script = r#"
        -> session/prompt @turn {...}
        -> session/new @again {"cwd":"/usr","mcpServers":[]}
        <= @again {"sessionId":"s"}
        <- fs/read_text_file {"sessionId":"s","path":"/usr/attache-there-is-no-such-file"}
        !> {"data":{"kind":"outside"}, ...}
        <= @turn {"stopReason":"end_turn"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("go");
    fixture
        .conversation
        .submit(Command::OpenSession(OpenRequest {
            start: SessionStart::New,
            cwd: "/usr".into(),
            additional: Vec::new(),
            mcp_servers: Vec::new(),
        }));
    fixture.until("failed").await;
    let roots = fixture
        .conversation
        .host()
        .roots(&super::session())
        .unwrap();
    assert_eq!(roots.cwd(), std::path::Path::new("/tmp"));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        failed session/new Local: the agent responded with the id `s`, which another open session has; close that session first
        ended end_turn
    "#]];
    fixture.check(expected).await;
}
