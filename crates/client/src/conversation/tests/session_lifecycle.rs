//! Sessions are opened, continued, listed and closed.

use expect_test::expect;

use super::{Fixture, session};
use crate::command::{Command, OpenRequest, SessionStart};

#[tokio::test(start_paused = true)]
async fn updates_before_the_session_opens_are_not_lost() {
    let script = r#"
        -> session/new {"cwd":"/tmp","mcpServers":[]}
        <. session/update {"sessionId":"other","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}
        <= {"sessionId":"s"}
    "#;
    let mut fixture = Fixture::with("{}", script).await;
    fixture.open_new_session();
    fixture.until("update s").await;
    assert_eq!(fixture.conversation.dropped_updates(), 1);
    let expected = expect![[r#"
        opened s
        update s available_commands_update
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_loaded_session_replays_its_history_first() {
    let script = r#"
        -> session/load {"sessionId":"s","cwd":"/tmp","mcpServers":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}}
        <= {}
    "#;
    let mut fixture = Fixture::with(r#"{"loadSession":true}"#, script).await;
    fixture.open(SessionStart::Load(session()));
    fixture.until("opened").await;
    let expected = expect![[r#"
        update s before
        opened s
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn methods_that_the_agent_does_not_offer_are_not_sent() {
    let mut fixture = Fixture::with("{}", "").await;
    fixture.open(SessionStart::Load(session()));
    fixture.open(SessionStart::Resume(session()));
    fixture.open(SessionStart::Fork(session()));
    fixture.conversation.submit(Command::Logout);
    fixture.conversation.submit(Command::Login("none".into()));
    fixture.conversation.submit(Command::ListSessions {
        cwd: None,
        cursor: None,
    });
    fixture
        .conversation
        .submit(Command::DeleteSession(session()));
    fixture
        .conversation
        .submit(Command::OpenSession(OpenRequest {
            start: SessionStart::New,
            cwd: "/tmp".into(),
            additional: vec!["/usr".into()],
            mcp_servers: Vec::new(),
        }));
    fixture.until("failed session/delete").await;
    let expected = expect![[r#"
        failed session/load NotOffered: the agent cannot load sessions; start a new session
        failed session/resume NotOffered: the agent cannot resume sessions; load the session, or start a new one
        failed session/fork NotOffered: the agent cannot fork sessions; start a new session
        failed logout NotOffered: the agent cannot log out; log out with the agent's own program
        failed authenticate NotOffered: the agent has no login method `none`
        failed session/new NotOffered: the agent does not support additional directories; omit them
        failed session/list NotOffered: the peer does not advertise `agentCapabilities.sessionCapabilities.list`
        failed session/delete NotOffered: the peer does not advertise `agentCapabilities.sessionCapabilities.delete`
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_does_not_exist() {
    let script = r#"
        -> session/load {...}
        <! {"code":-32002,"message":"Resource not found"}
        -> session/load {...}
        <! {"code":-32603,"message":"Session not found: s"}
        -> session/load {...}
        <! {"code":-32603,"message":"out of luck"}
        ...
    "#;
    let mut fixture = Fixture::with(r#"{"loadSession":true}"#, script).await;
    for _ in 0..3 {
        fixture.open(SessionStart::Load(session()));
        fixture.until("failed").await;
    }
    fixture.prompt("hi");
    fixture.until("failed session/prompt").await;
    let expected = expect![[r#"
        failed session/load NoSession: Resource not found (-32002)
        failed session/load NoSession: Session not found: s (-32603)
        failed session/load Refused: out of luck (-32603)
        failed session/prompt AgentExited: the agent is not running; restart it
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn sessions_are_listed_closed_and_deleted() {
    let script = r#"
        -> session/list {"cwd":"/tmp","cursor":"c"}
        <= {"sessions":[{"sessionId":"a","cwd":"/tmp"}]}
        -> session/close {"sessionId":"s"}
        <= {}
        -> session/delete {"sessionId":"gone"}
        <! {"code":-32002,"message":"Resource not found"}
    "#;
    let capabilities = r#"{"sessionCapabilities":{"list":{},"close":{},"delete":{}}}"#;
    let mut fixture = Fixture::in_session(capabilities, script).await;
    fixture.conversation.submit(Command::ListSessions {
        cwd: Some("/tmp".into()),
        cursor: Some("c".to_owned()),
    });
    fixture.until("listed").await;
    fixture
        .conversation
        .submit(Command::CloseSession(session()));
    fixture.until("closed").await;
    fixture
        .conversation
        .submit(Command::DeleteSession("gone".into()));
    fixture.until("deleted").await;
    let expected = expect![[r#"
        listed 1
        closed s
        deleted gone
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_login_is_required_and_sent() {
    let script = r#"
        -> session/new {...}
        <! {"code":-32000,"message":"Authentication required"}
        -> authenticate {"methodId":"browser"}
        <= {}
        -> session/new {...}
        <= {"sessionId":"s"}
        -> logout {}
        <= {}
    "#;
    let hello = r#""agentCapabilities":{"auth":{"logout":{}}},"authMethods":[
        {"id":"browser","name":"Browser"},{"id":"shell","name":"Shell","type":"terminal","args":["login"]}]"#;
    let mut fixture = Fixture::initialized_with(hello, script).await;
    fixture.open_new_session();
    fixture.until("wants").await;
    fixture.conversation.submit(Command::Login("shell".into()));
    fixture
        .conversation
        .submit(Command::Login("browser".into()));
    fixture.until("logged in").await;
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.conversation.submit(Command::Logout);
    fixture.until("logged out").await;
    let expected = expect![[r#"
        failed session/new LoginRequired: Authentication required (-32000)
        wants a login, 2 ways
        failed authenticate NotOffered: this login method runs in a terminal and cannot be requested
        logged in by browser
        opened s
        logged out
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn modes_and_options_are_set() {
    let script = r#"
        -> session/new {...}
        <= {"sessionId":"s","modes":{"currentModeId":"code","availableModes":[
            {"id":"code","name":"Code"},{"id":"plan","name":"Plan"}]},
            "configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"small","options":[
            {"value":"small","name":"Small"},{"value":"big","name":"Big"}]}]}
        -> session/set_mode {"sessionId":"s","modeId":"plan"}
        <= {}
        -> session/set_config_option {"sessionId":"s","configId":"model","value":"big"}
        <= {"configOptions":[]}
    "#;
    let mut fixture = Fixture::with("{}", script).await;
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.conversation.submit(Command::SetMode {
        session: session(),
        mode: "plan".into(),
    });
    fixture.until("mode").await;
    fixture.conversation.submit(Command::SetOption {
        session: session(),
        option: "model".into(),
        value: "big".into(),
    });
    fixture.until("options").await;
    let expected = expect![[r#"
        opened s
        mode plan
        options 0
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn early_updates_are_limited_by_size() {
    let large = "x".repeat(1 << 20);
    let script = format!(
        r#"
        -> session/new {{"cwd":"/tmp","mcpServers":[]}}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{large}"}}}}}} x10
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"available_commands_update","availableCommands":[]}}}}
        quiet 1s
        <= {{"sessionId":"s"}}
        "#
    );
    let mut fixture = Fixture::with("{}", &script).await;
    fixture.open_new_session();
    fixture.until("update s available_commands_update").await;
    assert_eq!(fixture.seen.matches(&large).count(), 3);
    assert_eq!(fixture.conversation.dropped_updates(), 7);
}
