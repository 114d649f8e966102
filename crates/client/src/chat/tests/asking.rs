//! Questions of the agent: how they look, and that no key answers that was not meant to.

use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use expect_test::{Expect, expect};

use super::stage::{Stage, asked, stage};
use crate::chat::Effect;
use crate::command::Command;
use crate::event::{Event, PromptSubject};

pub(super) const MOMENT: Duration = Duration::from_millis(400);

pub(super) fn ask(stage: &mut Stage, number: u64) {
    let asked = asked(number, &["cargo", "test", "--", "a b"], "Run the tests");
    stage.event(Event::Asked(Box::new(asked)));
}

/// Presses keys and shows which answers were given.
pub(super) fn check(stage: &mut Stage, keys: &str, expected: &Expect) {
    stage.done();
    stage.press(keys);
    let answers = stage.done().into_iter().filter_map(|effect| match effect {
        Effect::Submit(Command::Answer {
            prompt: question,
            answer,
            ..
        }) => Some(format!("{question}: {answer:?}\n")),
        _ => None,
    });
    expected.assert_eq(&answers.collect::<String>());
}

#[test]
fn each_key_has_its_answer_and_enter_has_none() {
    for (key, answer) in [
        ("y", "1: Allow(Once)\n"),
        ("s", "1: Allow(Session)\n"),
        ("w", "1: Allow(Workspace)\n"),
        ("a", "1: Allow(Always)\n"),
        ("n", "1: Reject(Once)\n"),
        ("N", "1: Reject(Workspace)\n"),
        ("<Esc>", "1: Dismiss\n"),
        ("<Enter>", ""),
        (" ", ""),
        ("d", ""),
        ("<C-y>", ""),
    ] {
        let mut stage = stage();
        ask(&mut stage, 1);
        stage.wait(MOMENT);
        stage.done();
        stage.press(key);
        let answers = stage.done().into_iter().filter_map(|effect| match effect {
            Effect::Submit(Command::Answer {
                prompt: question,
                answer,
                ..
            }) => Some(format!("{question}: {answer:?}\n")),
            _ => None,
        });
        assert_eq!(answers.collect::<String>(), answer, "{key}");
    }
}

#[test]
fn a_key_that_was_typed_as_the_question_came_does_not_answer_it() {
    let mut stage = stage();
    ask(&mut stage, 1);
    check(&mut stage, "yes", &expect![""]);
    assert_eq!(stage.app.tab().composer.editor.text(), "yes");
}

#[test]
fn whoever_is_writing_goes_on_writing_until_tab() {
    let mut stage = stage();
    stage.press("hel");
    ask(&mut stage, 1);
    stage.wait(Duration::from_secs(60));
    check(&mut stage, "y", &expect![""]);
    check(
        &mut stage,
        "<Tab>y",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
    assert_eq!(stage.app.tab().composer.editor.text(), "hely");
}

#[test]
fn a_key_pressed_twice_answers_one_question() {
    let mut stage = stage();
    ask(&mut stage, 1);
    ask(&mut stage, 2);
    stage.wait(MOMENT);
    check(
        &mut stage,
        "yy",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
    stage.press("<BS>");
    stage.wait(MOMENT);
    check(
        &mut stage,
        "n",
        &expect![[r#"
            2: Choose { option: "no", remember: Once }
        "#]],
    );
}

#[test]
fn a_question_that_is_withdrawn_is_gone() {
    let mut stage = stage();
    ask(&mut stage, 1);
    stage.event(Event::Withdrawn(1));
    stage.wait(MOMENT);
    check(&mut stage, "y", &expect![""]);
}

#[test]
fn without_a_way_to_say_yes_no_key_says_it() {
    let mut stage = stage();
    let mut asked = asked(1, &["ls"], "List");
    asked
        .options
        .retain(|option| option.kind == v1::PermissionOptionKind::RejectOnce);
    stage.event(Event::Asked(Box::new(asked)));
    stage.wait(MOMENT);
    check(&mut stage, "yswa", &expect![""]);
    check(
        &mut stage,
        "n",
        &expect![[r#"
            1: Choose { option: "no", remember: Once }
        "#]],
    );
}

#[test]
fn a_command_that_the_agent_calls_reading_is_shown_as_a_command() {
    let mut stage = stage();
    let mut asked = asked(1, &["rm", "-r", "src"], "Read a poem");
    asked.action.kind = v1::ToolKind::Read;
    stage.event(Event::Asked(Box::new(asked)));
    assert!(stage.screen().contains("Run a command?"));
}

#[test]
fn a_command_is_shown_word_by_word() {
    let mut stage = stage();
    ask(&mut stage, 1);
    ask(&mut stage, 2);
    stage.wait(MOMENT);
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
        |╭ Run a command? (1 more question waits) ──────────────────╮
        |│ cargo test -- 'a b'                                      │
        |│ The agent calls it “Run the tests”                       │
        |│ y yes, once · s for this session · w in this workspace   │
        |│ a always · n no · N no, remember here                    │
        |│ t remembered for good · d show all · Esc dismiss         │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn a_file_is_shown_with_its_diff_and_where_it_lies() {
    let mut stage = stage().size(100, 30);
    let mut asked = asked(1, &[], "Fix typo");
    asked.action.kind = v1::ToolKind::Edit;
    asked.action.command = None;
    asked.action.paths = vec![
        PathBuf::from("/code/project/src/main.rs"),
        PathBuf::from("/code/project/../other/lib.rs"),
        PathBuf::from("/code/project/.git/hooks/pre-commit"),
    ];
    let diff = v1::Diff::new("/code/project/src/main.rs", "fn main() {\n    new();\n}\n")
        .old_text("fn main() {\n    old();\n}\n");
    asked.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Fix typo").content([diff]));
    stage.event(Event::Asked(Box::new(asked)));
    stage.wait(MOMENT);
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
        |
        |
        |
        |╭ Edit files? ─────────────────────────────────────────────────────────────────────────────────────╮
        |│ /code/project/src/main.rs                                                                        │
        |│ /code/project/../other/lib.rs (outside the workspace)                                            │
        |│ /code/project/.git/hooks/pre-commit                                                              │
        |│ ! A protected file: it can grant power later. A yes holds only once.                             │
        |│ src/main.rs +1 -1                                                                                │
        |│ 1 1   fn main() {                                                                                │
        |│ 2   -     old();                                                                                 │
        |│   2 +     new();                                                                                 │
        |│ 3 3   }                                                                                          │
        |│ The agent calls it “Fix typo”                                                                    │
        |│ y yes, once · n no · N no, remember here · t remembered for good · d show all · Esc dismiss      │
        |╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn a_tool_without_command_and_files_is_shown_with_what_it_is_given() {
    let mut stage = stage();
    let mut question = asked(1, &[], "Tidy up");
    question.action.command = None;
    question.action.kind = v1::ToolKind::Other;
    question.action.tool = Some("mcp__forge__delete_repository".to_owned());
    let input = format!(r#"{{"owner":"ann","note":"{}"}}"#, "long ".repeat(200));
    let input: attache::json::Raw = attache::json::from_str(&input).unwrap();
    question.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Tidy up").raw_input(input));
    stage.event(Event::Asked(Box::new(question)));
    stage.wait(MOMENT);
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        |╭ Use a tool? ─────────────────────────────────────────────╮
        |│ mcp__forge__delete_repository                            │
        |│ {"owner":"ann","note":"long long long long long long     │
        |│ long long long long long long long long long long long   │
        |│ long long long long long long long long long long long   │
        |│ long long long long long long long long long long long   │
        |│ and more; d shows it                                     │
        |│ The agent calls it “Tidy up”                             │
        |│ y yes, once · s for this session · w in this workspace   │
        |│ a always · n no · N no, remember here                    │
        |│ t remembered for good · d show all · Esc dismiss         │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn a_question_in_another_tab_is_pointed_to() {
    let mut stage = stage();
    stage.press("<C-n>");
    stage.opened("s2");
    ask(&mut stage, 1);
    stage.check(&expect![[r#"
        | 1? new session │ 2 new session │
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
        | tab 1 has a question (Alt-1) · ready · Test Agent
    "#]]);
    stage.press("<A-1>");
    stage.wait(MOMENT);
    check(
        &mut stage,
        "y",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

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
    stage.wait(MOMENT);
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send what is written
        | @  /    mention a file, run a command of the agent
        |╭ Visit a page? ───────────────────────────────────────────╮
        |│ Log in to your account                                   │
        |│                                                          │
        |│ host  evil.test                                          │
        |│ https://accounts.example.com@evil.test/login?next=/and/o │
        |│ n/and/on/and/on/to/the/end                               │
        |│ ! what stands before the @ is not the host               │
        |│ y I open it myself · c copy the address · n decline      │
        |│ Esc dismiss                                              │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    stage.press("c");
    assert_eq!(stage.done(), [Effect::Copy(url.to_owned())]);
    stage.press("y");
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
    stage.wait(MOMENT);
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
        |│ › type to filter                                         │
        |│ ▌  Log in with the browser                               │
        |│    Log in with a key        in the terminal              │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | not logged in
    "#]]);
    stage.done();
    stage.press("<Enter>");
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
    stage.wait(MOMENT);
    stage.press("<Enter>");
    assert_eq!(stage.done(), [Effect::TerminalLogin("tty".into())]);
    stage.input(crate::chat::Input::LoginEnded(Ok(())));
    assert_eq!(stage.done(), [Effect::Submit(Command::Restart)]);
}

#[test]
fn how_long_a_decision_holds_is_chosen_and_shown() {
    let mut stage = stage();
    stage.app.settings.term = "36h".parse().unwrap();
    ask(&mut stage, 1);
    stage.wait(MOMENT);
    assert!(stage.screen().contains("remembered for 36 hours"));
    stage.press("ttt");
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
        |╭ Run a command? ──────────────────────────────────────────╮
        |│ cargo test -- 'a b'                                      │
        |│ The agent calls it “Run the tests”                       │
        |│ y yes, once · s for this session · w in this workspace   │
        |│ a always · n no · N no, remember here                    │
        |│ t remembered for 8 hours · d show all · Esc dismiss      │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    stage.press("w");
    expect![[r#"[Submit(Answer { prompt: 1, answer: Choose { option: "yes", remember: Workspace }, term: For(28800s) })]"#]]
        .assert_eq(&format!("{:?}", stage.done()));
}
