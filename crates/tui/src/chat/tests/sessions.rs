//! Tabs and sessions: opened, listed, taken up again.

use attache::v1;
use attache_client::command::{Command, SessionStart};
use attache_client::event::{CommandFailure, Event, FailureKind, OpenedSession};
use attache_client::session_setting::SessionSetting;
use expect_test::{Expect, expect};

use super::stage::{Stage, stage};
use crate::chat::{Effect, Start};

fn check(stage: &mut Stage, keys: &str, expected: &Expect) {
    stage.done();
    stage.press(keys);
    let done: Vec<String> = stage
        .done()
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
fn sessions_are_listed_and_used_as_the_agent_can() {
    let mut stage = stage();
    check(
        &mut stage,
        "<C-o>",
        &expect![[r#"
            Submit(ListSessions { cwd: None, cursor: None })
        "#]],
    );
    stage.event(listed());
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send what is written
        | @  /    mention a file, run a command of the agent
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
        &mut stage,
        "<Down><Down><Enter>",
        &expect![[r#"
            Submit(ListSessions { cwd: None, cursor: Some("page-2") })
        "#]],
    );
    stage.press("<Up><Up><Enter>");
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send what is written
        | @  /    mention a file, run a command of the agent
        | Ctrl-P  all commands
        | ?       help
        |╭ Fix the parser ──────────────────────────────────────────╮
        |│ › type to filter                                         │
        |│ ▌  load    with its history                              │
        |│    resume  without its history                           │
        |│    fork    a copy that goes its own way                  │
        |│    delete  for good                                      │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    check(
        &mut stage,
        "<Enter>",
        &expect![[r#"
        Submit(OpenSession(OpenRequest { start: Load("a1"), cwd: "/code/project", additional: [], mcp_servers: [] }))
    "#]],
    );
}

#[test]
fn a_session_is_deleted_only_when_confirmed() {
    let mut stage = stage();
    stage.press("<C-o>");
    stage.event(listed());
    stage.press("<Enter>");
    check(&mut stage, "del<Enter><Enter>", &expect![""]);
    stage.press("<C-o>");
    stage.event(listed());
    stage.press("<Enter>");
    check(
        &mut stage,
        "del<Enter>yes<Enter>",
        &expect![[r#"
            Submit(DeleteSession("a1"))
        "#]],
    );
}

#[test]
fn tabs_keep_their_own_transcript() {
    let mut stage = stage();
    stage.begins("hello");
    stage.says("Hi there.");
    stage.press("<C-n>");
    stage.opened("s2");
    stage.says("More.");
    stage.check(&expect![[r#"
        | 1◐ hello │ 2 new session │
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send what is written
        | @  /    mention a file, run a command of the agent
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
    stage.press("<A-1>");
    stage.check(&expect![[r#"
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
        |› the next prompt waits for the turn to end
        | ◐ working 0.0s, Esc cancels · Test Agent
    "#]]);
    // A turn runs: one key is not enough.
    check(&mut stage, "<C-x>", &expect![[""]]);
    check(
        &mut stage,
        "<C-x>",
        &expect![[r#"
            Submit(CloseSession("s1"))
        "#]],
    );
}

#[test]
fn after_a_restart_the_session_is_resumed() {
    let mut stage = stage();
    stage.begins("hello");
    stage.event(Event::AgentExited {
        how: "the agent exited with 1".to_owned(),
        stderr: vec!["Error: out of cheese".to_owned(), "  at line 3".to_owned()],
    });
    stage.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |   ✗ the agent has gone: the agent exited with 1
        |
        |
        |╭ The agent has gone ──────────────────────────────────────╮
        |│ ┊ the agent exited with 1                                │
        |│                                                          │
        |│ Its last words on standard error:                        │
        |│ ┊ Error: out of cheese                                   │
        |│ ┊   at line 3                                            │
        |│                                                          │
        |│   Restart the agent and resume its sessions              │
        |│   Copy what it said                                      │
        |│   Quit                                                   │
        |│ Tab to answer                                            │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | the agent has gone
    "#]]);
    check(
        &mut stage,
        "r<Enter><A-r><Enter><Down><Enter>",
        &expect![[r#"
            Submit(Restart)
        "#]],
    );
    stage.event(Event::AgentReady(Box::new(super::stage::agent())));
    expect![[r#"[Submit(OpenSession(OpenRequest { start: Resume("s1"), cwd: "/code/project", additional: [], mcp_servers: [] }))]"#]].assert_eq(&format!("{:?}", stage.done()));
    stage.press("still there?<Enter>");
    assert_eq!(stage.done(), [], "it waits for the session");
    stage.opened("s1");
    assert!(matches!(
        stage.done()[..],
        [Effect::Submit(Command::Prompt { .. })]
    ));
    stage.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |   ✗ the agent has gone: the agent exited with 1
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
        | the agent runs again · ready
    "#]]);
}

#[test]
fn what_was_said_stays_when_the_agent_has_forgotten_the_session() {
    let mut stage = stage();
    stage.begins("hello");
    stage.says("good morning");
    stage.ends();
    stage.event(Event::AgentExited {
        how: "the agent exited with 1".to_owned(),
        stderr: Vec::new(),
    });
    stage.press("<Tab><Down><Enter>");
    let mut agent = super::stage::agent();
    agent.agent_capabilities.session_capabilities.resume = None;
    stage.event(Event::AgentReady(Box::new(agent)));
    stage.done();
    stage.event(Event::CommandFailed(CommandFailure {
        what: "session/load".to_owned(),
        why: "no such session".to_owned(),
        kind: FailureKind::NoSession,
    }));
    expect![[r#"[Submit(OpenSession(OpenRequest { start: New, cwd: "/code/project", additional: [], mcp_servers: [] }))]"#]].assert_eq(&format!("{:?}", stage.done()));
    stage.opened("s2");
    stage.check(&expect![[r#"
        | Test Agent · hello · /code/project
        | › hello
        |
        | • good morning
        |   ✗ the agent has gone: the agent exited with 1
        |   ✗ session/load: no such session
        |   ! it cannot be taken up: this is a new session
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
        | the agent runs again · done in 0.0s
    "#]]);
}

#[test]
fn a_session_that_does_not_open_says_why() {
    let mut stage = Stage::new(crate::paint::theme::SignSet::Unicode);
    stage.event(Event::AgentReady(Box::new(super::stage::agent())));
    stage.event(Event::CommandFailed(CommandFailure {
        what: "session/new".to_owned(),
        why: "the directory is gone".to_owned(),
        kind: FailureKind::Refused,
    }));
    stage.check(&expect![[r#"
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
fn a_new_session_begins_as_wished_and_what_it_lacks_is_said() {
    let mode = SessionSetting::Mode("Plan".to_owned());
    let mut stage = Stage::wishing(vec![mode, SessionSetting::Model("large".to_owned())]);
    stage.event(Event::AgentReady(Box::new(super::stage::agent())));
    stage.done();
    let modes = [
        v1::SessionMode::new("ask", "Ask"),
        v1::SessionMode::new("plan-1", "plan"),
    ];
    stage.event(Event::SessionOpened(Box::new(OpenedSession {
        session: "s1".into(),
        request: super::stage::opening(SessionStart::New),
        modes: Some(v1::SessionModeState::new("ask", modes)),
        options: Vec::new(),
    })));
    let mode = "plan-1".into();
    let session = "s1".into();
    let set = Command::SetMode { session, mode };
    assert_eq!(stage.done(), [Effect::Submit(set)]);
    let screen = stage.screen();
    assert!(screen.contains("no choice of models"), "{screen}");
}

#[test]
fn the_latest_session_is_the_one_that_changed_last() {
    let mut stage = Stage::wishing(Vec::new());
    stage.app.settings.start = Start::Latest;
    stage.event(Event::AgentReady(Box::new(super::stage::agent())));
    let cwd = Some("/code/project".into());
    let list = Command::ListSessions { cwd, cursor: None };
    assert_eq!(stage.done(), [Effect::Submit(list)]);
    let info = |id: &str, time: &str| v1::SessionInfo::new(id, "/code/project").updated_at(time);
    stage.event(Event::SessionsListed(v1::ListSessionsResponse::new([
        info("old", "2026-01-01T00:00:00Z"),
        info("new", "2026-02-01T00:00:00Z"),
    ])));
    let opening = super::stage::opening(SessionStart::Load("new".into()));
    assert_eq!(
        stage.done(),
        [Effect::Submit(Command::OpenSession(opening))]
    );
}

#[test]
fn a_fork_begins_with_what_was_said_so_far() {
    let mut stage = stage();
    stage.begins("hi");
    stage.says("hello");
    stage.ends();
    check(
        &mut stage,
        "<C-p>fork this<Enter>",
        &expect![[r#"
            Submit(OpenSession(OpenRequest { start: Fork("s1"), cwd: "/code/project", additional: [], mcp_servers: [] }))
        "#]],
    );
    stage.check(&expect![[r#"
        | 1 hi │ 2 hi │
        | › hi
        |
        | • hello
        |   i a fork: from here on it goes its own way
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
    stage.press("<A-1>");
    assert!(!stage.screen().contains("a fork"));
}
