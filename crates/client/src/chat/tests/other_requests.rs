//! Pages to visit and logins: nothing is chosen before the user has moved in and selected it.

use attache::v1;
use expect_test::expect;

use super::stage::{Stage, stage};
use crate::chat::Effect;
use crate::command::Command;
use crate::desk::LoginCommand;
use crate::event::Event;

#[test]
fn a_page_is_shown_whole_and_never_opened() {
    let mut stage = stage();
    let url = "https://accounts.example.com@evil.test/login?next=/and/on/and/on/and/on/to/the/end";
    let mode = v1::ElicitationUrlMode::new("e1", url);
    let scope = v1::ElicitationSessionScope::new("s1");
    let request = v1::CreateElicitationRequest::new(
        "Log in to your account",
        v1::ElicitationScope::Session(scope),
        v1::ElicitationMode::Url(mode),
    );
    stage.event(Event::Form {
        form: 7,
        request: Box::new(request),
    });
    stage.press("<Tab>");
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ Visit a page? ───────────────────────────────────────────╮
        |│ ┊ Log in to your account                                 │
        |│                                                          │
        |│ host    ┊ evil.test                                      │
        |│ ┊ https://accounts.example.com@evil.test/login?next=/and │
        |│ ┊ /on/and/on/and/on/to/the/end                           │
        |│ ! what stands before the @ is not the host               │
        |│                                                          │
        |│   I will open it in my browser                           │
        |│   Copy the address                                       │
        |│   Decline                                                │
        |│ ↑↓ select · Enter choose · Esc back                      │
        |╰ 1 line does not fit: PgUp PgDn ──────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    stage.press("<Down><Down><Enter>");
    assert_eq!(stage.done(), [Effect::Copy(url.to_owned())]);
    stage.press("<Up><Enter>");
    expect![
        "[Submit(Fill { form: 7, action: Accept(ElicitationAcceptAction { content: None }) })]"
    ]
    .assert_eq(&format!("{:?}", stage.done()));
}

#[test]
fn a_login_is_chosen_and_the_session_asked_for_again() {
    let mut stage = Stage::new(crate::paint::theme::Signs::Unicode);
    let browser = v1::AuthMethodAgent::new("browser", "Log in with the browser");
    let terminal = v1::AuthMethodTerminal::new("tty", "Log in with a key").args(["--login"]);
    let methods: Vec<v1::AuthMethod> = vec![browser.into(), terminal.into()];
    let agent = super::stage::agent().auth_methods(methods.clone());
    stage.event(Event::Ready(Box::new(agent)));
    stage.event(Event::WantsLogin(methods));
    stage.event(Event::Failed(crate::event::Failure {
        what: "session/new".to_owned(),
        why: "log in first".to_owned(),
        kind: crate::event::FailureKind::Login,
    }));
    stage.press("<Tab>");
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
        |
        |╭ The agent wants a login ─────────────────────────────────╮
        |│   ┊ Log in with the browser                              │
        |│   ┊ Log in with a key  in the terminal                   │
        |│   Not now                                                │
        |│ ↑↓ select · Enter choose · Esc back                      │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | not logged in
    "#]]);
    stage.done();
    stage.press("<Enter><Down><Enter>");
    expect![[r#"[Submit(Login("browser"))]"#]].assert_eq(&format!("{:?}", stage.done()));
    stage.event(Event::LoggedIn("browser".into()));
    assert!(matches!(
        stage.done()[..],
        [Effect::Submit(Command::Open(_))]
    ));
}

#[test]
fn a_login_in_the_terminal_runs_there() {
    let mut stage = stage();
    let terminal = v1::AuthMethodTerminal::new("tty", "Log in with a key");
    let methods: Vec<v1::AuthMethod> = vec![terminal.into()];
    stage.event(Event::Ready(Box::new(
        super::stage::agent().auth_methods(methods.clone()),
    )));
    stage.event(Event::WantsLogin(methods));
    stage.press("<Tab>");
    stage.press("<Enter><Down><Enter>");
    assert_eq!(stage.done(), [Effect::DescribeLogin("tty".into())]);
    let command = LoginCommand {
        method: "tty".into(),
        words: ["agent", "--login", "a\nb"].map(str::to_owned).to_vec(),
        directory: "/w".to_owned(),
        variables: vec![("LD_PRELOAD".to_owned(), "/tmp/e.so".into())],
    };
    stage.input(crate::chat::Input::LoginDescribed(Box::new(
        command.clone(),
    )));
    stage.press("<Enter><Tab><Enter>");
    assert_eq!(stage.done(), [], "nothing runs before it is chosen");
    let screen = stage.screen();
    for shown in ["agent --login", "a⏎", "/w", "LD_PRELOAD=/tmp/e.so"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    stage.press("<Down><Enter>");
    assert_eq!(stage.done(), [Effect::RunLogin(command)]);
    stage.input(crate::chat::Input::LoginEnded(Ok(())));
    assert_eq!(stage.done(), [Effect::Submit(Command::Restart)]);
}

#[test]
fn every_login_is_told_apart_and_shown_whole() {
    let mut stage = stage().size(60, 24);
    let long = format!("{} to its end", "a long way ".repeat(12));
    let agent = |id: &str, name: &str| v1::AuthMethod::from(v1::AuthMethodAgent::new(id, name));
    stage.event(Event::WantsLogin(vec![
        agent("one", &long),
        agent("two", "Escape \u{1b}[2J here"),
        agent("three", "This one"),
        agent("three", "That one"),
    ]));
    stage.press("<Tab>");
    let screen = stage.screen();
    for shown in [
        "to its end",
        "Escape ␛[2J here",
        "2 ways to log in cannot be",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(!screen.contains("This one"), "{screen}");
}
