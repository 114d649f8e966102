//! Tabs and sessions: opened, listed, resumed.

use attache::v1;
use attache_client::command::{Command, SessionStart};
use attache_client::event::{CommandFailure, Event, FailureKind, OpenedSession};
use attache_client::session_setting::SessionSetting;
use expect_test::{Expect, expect};

use super::test_ui::{TestUi, test_ui};
use crate::chat::{Effect, FirstSession};

fn check(ui: &mut TestUi, keys: &str, expected: &Expect) {
    ui.take_effects();
    ui.press(keys);
    let done: Vec<String> = ui
        .take_effects()
        .iter()
        .map(|one| format!("{one:?}\n"))
        .collect();
    expected.assert_eq(&done.concat());
}

fn listed() -> Event {
    let one = v1::SessionInfo::new("a1", "/code/project").title("Fix the parser");
    let two = v1::SessionInfo::new("a2", "/code/other").updated_at("2026-01-02T03:04:05Z");
    Event::SessionsListed(v1::ListSessionsResponse::new([one, two]).next_cursor("page-2"))
}

#[test]
fn listed_sessions_offer_what_the_agent_supports() {
    let mut ui = test_ui();
    check(
        &mut ui,
        "<C-o>",
        &expect![[r#"
            Submit(ListSessions { cwd: None, cursor: None })
        "#]],
    );
    ui.event(listed());
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |
        |╭ Sessions ────────────────────────────────────────────────╮
        |│ › type to filter                                         │
        |│ ▌  Fix the parser    /code/project                       │
        |│    a2              2026-01-02 03:04:05  /code/other      │
        |│    more sessions                                         │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    check(
        &mut ui,
        "<Down><Down><Enter>",
        &expect![[r#"
            Submit(ListSessions { cwd: None, cursor: Some("page-2") })
        "#]],
    );
    ui.press("<Up><Up><Enter>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |╭ Fix the parser ──────────────────────────────────────────╮
        |│ › type to filter                                         │
        |│ ▌  load    with its history                              │
        |│    resume  without its history                           │
        |│    fork    a separate copy                               │
        |│    delete  permanently                                   │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    check(
        &mut ui,
        "<Enter>",
        &expect![[r#"
        Submit(OpenSession(OpenRequest { start: Load("a1"), cwd: "/code/project", additional: [], mcp_servers: [] }))
    "#]],
    );
}

#[test]
fn a_session_is_deleted_only_when_confirmed() {
    let mut ui = test_ui();
    ui.press("<C-o>");
    ui.event(listed());
    ui.press("<Enter>");
    check(&mut ui, "del<Enter><Enter>", &expect![""]);
    ui.press("<C-o>");
    ui.event(listed());
    ui.press("<Enter>");
    check(
        &mut ui,
        "del<Enter>yes<Enter>",
        &expect![[r#"
            Submit(DeleteSession("a1"))
        "#]],
    );
}

#[test]
fn tabs_keep_their_own_transcript() {
    let mut ui = test_ui();
    ui.start_turn("hello");
    ui.agent_message("Hi there.");
    ui.press("<C-n>");
    ui.open_session("s2");
    ui.agent_message("More.");
    ui.check(&expect![[r#"
        | 1◐ hello │ 2 new session │
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ready · Test Agent
    "#]]);
    ui.press("<A-1>");
    ui.check(&expect![[r#"
        | 1◐ hello │ 2 new session │
        | › hello
        |
        | • Hi there.More.
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› type the next prompt; it is sent when the turn ends
        | ◐ working 0.0s, Esc cancels · Test Agent
    "#]]);
    // A turn is running, so one key is not enough.
    check(&mut ui, "<C-x>", &expect![[""]]);
    check(
        &mut ui,
        "<C-x>",
        &expect![[r#"
            Submit(CloseSession("s1"))
        "#]],
    );
}

#[test]
fn after_a_restart_the_session_is_resumed() {
    let mut ui = test_ui();
    ui.start_turn("hello");
    ui.event(Event::AgentExited {
        reason: "the agent exited with 1".to_owned(),
        stderr: vec!["Error: out of cheese".to_owned(), "  at line 3".to_owned()],
    });
    ui.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |   ✗ the agent exited with 1
        |
        |
        |╭ The agent has exited ────────────────────────────────────╮
        |│ ┊ the agent exited with 1                                │
        |│                                                          │
        |│ Its last lines on standard error:                        │
        |│ ┊ Error: out of cheese                                   │
        |│ ┊   at line 3                                            │
        |│                                                          │
        |│   Restart the agent and resume its sessions              │
        |│   Copy this report                                       │
        |│   Quit                                                   │
        |│ Tab to answer                                            │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | the agent has exited
    "#]]);
    check(
        &mut ui,
        "r<Enter><A-r><Enter><Down><Enter>",
        &expect![[r#"
            Submit(Restart)
        "#]],
    );
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    expect![[r#"[Submit(OpenSession(OpenRequest { start: Resume("s1"), cwd: "/code/project", additional: [], mcp_servers: [] }))]"#]].assert_eq(&format!("{:?}", ui.take_effects()));
    ui.press("still there?<Enter>");
    assert_eq!(ui.take_effects(), [], "it waits for the session");
    ui.open_session("s1");
    assert!(matches!(
        ui.take_effects()[..],
        [Effect::Submit(Command::Prompt { .. })]
    ));
    ui.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |   ✗ the agent exited with 1
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | the agent is running again · ready
    "#]]);
}

#[test]
fn the_transcript_stays_when_the_agent_has_lost_the_session() {
    let mut ui = test_ui();
    ui.start_turn("hello");
    ui.agent_message("good morning");
    ui.end_turn();
    ui.event(Event::AgentExited {
        reason: "the agent exited with 1".to_owned(),
        stderr: Vec::new(),
    });
    ui.press("<Tab><Down><Enter>");
    let mut agent = super::test_ui::agent();
    agent.agent_capabilities.session_capabilities.resume = None;
    ui.event(Event::AgentReady(Box::new(agent)));
    ui.take_effects();
    ui.event(Event::CommandFailed(CommandFailure {
        operation: "session/load".to_owned(),
        reason: "no such session".to_owned(),
        kind: FailureKind::NoSession,
    }));
    expect![[r#"[Submit(OpenSession(OpenRequest { start: New, cwd: "/code/project", additional: [], mcp_servers: [] }))]"#]].assert_eq(&format!("{:?}", ui.take_effects()));
    ui.open_session("s2");
    ui.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |
        | • good morning
        |   ✗ the agent exited with 1
        |   ✗ session/load: no such session
        |   ! the session can't be reopened: this is a new one
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | the agent is running again · done in 0.0s
    "#]]);
}

#[test]
fn a_session_that_does_not_open_says_why() {
    let mut ui = TestUi::new(crate::paint::theme::SignSet::Unicode);
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    ui.event(Event::CommandFailed(CommandFailure {
        operation: "session/new".to_owned(),
        reason: "the directory is gone".to_owned(),
        kind: FailureKind::Refused,
    }));
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |   ✗ session/new: the directory is gone
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | no session: the directory is gone
    "#]]);
}

#[test]
fn a_new_session_gets_the_configured_settings_and_warns_about_missing_ones() {
    let mode = SessionSetting::Mode("Plan".to_owned());
    let mut ui =
        TestUi::with_session_settings(vec![mode, SessionSetting::Model("large".to_owned())]);
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    ui.take_effects();
    let modes = [
        v1::SessionMode::new("ask", "Ask"),
        v1::SessionMode::new("plan-1", "plan"),
    ];
    ui.event(Event::SessionOpened(Box::new(OpenedSession {
        session: "s1".into(),
        request: super::test_ui::opening(SessionStart::New),
        modes: Some(v1::SessionModeState::new("ask", modes)),
        options: Vec::new(),
    })));
    let mode = "plan-1".into();
    let session = "s1".into();
    let set = Command::SetMode { session, mode };
    assert_eq!(ui.take_effects(), [Effect::Submit(set)]);
    let screen = ui.screen();
    assert!(
        screen.contains("does not offer a choice of models"),
        "{screen}"
    );
}

#[test]
fn the_latest_session_is_the_one_that_changed_last() {
    let mut ui = TestUi::with_session_settings(Vec::new());
    ui.app.settings.start = FirstSession::Latest;
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    let cwd = Some("/code/project".into());
    let list = Command::ListSessions { cwd, cursor: None };
    assert_eq!(ui.take_effects(), [Effect::Submit(list)]);
    let info = |id: &str, time: &str| v1::SessionInfo::new(id, "/code/project").updated_at(time);
    ui.event(Event::SessionsListed(v1::ListSessionsResponse::new([
        info("old", "2026-01-01T00:00:00Z"),
        info("new", "2026-02-01T00:00:00Z"),
    ])));
    let opening = super::test_ui::opening(SessionStart::Load("new".into()));
    assert_eq!(
        ui.take_effects(),
        [Effect::Submit(Command::OpenSession(opening))]
    );
}

#[test]
fn a_fork_begins_with_the_transcript_of_its_origin() {
    let mut ui = test_ui();
    ui.start_turn("hi");
    ui.agent_message("hello");
    ui.end_turn();
    check(
        &mut ui,
        "<C-p>fork this<Enter>",
        &expect![[r#"
            Submit(OpenSession(OpenRequest { start: Fork("s1"), cwd: "/code/project", additional: [], mcp_servers: [] }))
        "#]],
    );
    ui.check(&expect![[r#"
        | 1 hi │ 2 hi │
        | › hi
        |
        | • hello
        |   i forked: changes from here on stay in this session
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ◐ opening the session · Test Agent
    "#]]);
    ui.press("<A-1>");
    assert!(!ui.screen().contains("a fork"));
}
