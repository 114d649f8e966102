//! Requests that are longer than the screen, and lists under them: nothing can be accepted that was not on the screen,
//! everything can be scrolled to, and nothing invisible reacts to keys.

use attache::v1;
use attache_client::command::Command;
use attache_client::conversation::LoginCommand;
use attache_client::event::Event;

use super::test_ui::{TestUi, permission_prompt, test_ui};
use crate::chat::{Effect, Input};

/// A request with sixty lines, and the keys that accept it.
type Long = (&'static str, fn() -> Input, &'static str);

const LONG: &[Long] = &[
    (
        "a form",
        || form(&paragraphs(), "yes"),
        "<S-Tab><S-Tab><S-Tab>",
    ),
    (
        "a form with a long value",
        || form("Sure?", &paragraphs()),
        "<S-Tab><S-Tab><S-Tab>",
    ),
    (
        "a page",
        || {
            let mode = v1::ElicitationUrlMode::new("e1", "https://example.org/login");
            elicited(&paragraphs(), v1::ElicitationMode::Url(mode))
        },
        "<Down>",
    ),
    (
        "a page with a long address",
        || {
            let url = format!(
                "https://example.org/{}",
                paragraphs().replace(
                    '\n',
                    "/abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ/"
                )
            );
            elicited(
                "Log in",
                v1::ElicitationMode::Url(v1::ElicitationUrlMode::new("e1", url)),
            )
        },
        "<Down>",
    ),
    (
        "a login in the terminal",
        || {
            Input::LoginDescribed(Box::new(LoginCommand {
                method: "tty".into(),
                words: vec!["agent".to_owned()],
                directory: "/w".to_owned(),
                variables: paragraphs()
                    .lines()
                    .map(|line| (line.to_owned(), "x".into()))
                    .collect(),
            }))
        },
        "<Down>",
    ),
    (
        "many logins",
        || {
            let methods = paragraphs();
            let methods = methods
                .lines()
                .map(|line| v1::AuthMethodAgent::new(line, line).into());
            Input::Event(Box::new(Event::LoginRequired(methods.collect())))
        },
        "<Down>",
    ),
];

fn paragraphs() -> String {
    let lines = (0..60).map(|at| format!("paragraph-{at}."));
    lines.collect::<Vec<_>>().join("\n")
}

fn form(message: &str, default: &str) -> Input {
    let field = v1::StringPropertySchema::new().default(default);
    let field = v1::ElicitationPropertySchema::String(field);
    let schema = v1::ElicitationSchema::new().properties([("ok", field)]);
    elicited(
        message,
        v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema)),
    )
}

fn elicited(message: &str, mode: v1::ElicitationMode) -> Input {
    let scope = v1::ElicitationScope::Session(v1::ElicitationSessionScope::new("s1"));
    Input::Event(Box::new(Event::FormRequested {
        form: 1,
        request: Box::new(v1::CreateElicitationRequest::new(message, scope, mode)),
    }))
}

fn accepted(ui: &mut TestUi) -> Vec<Effect> {
    let is_quiet = |effect: &Effect| matches!(effect, Effect::FindFiles(_));
    ui.take_effects()
        .into_iter()
        .filter(|effect| !is_quiet(effect))
        .collect()
}

#[test]
fn attack_nothing_is_accepted_that_was_not_on_the_screen() {
    for (what, appear, select) in LONG {
        for size in [(100, 30), (40, 12), (24, 8)] {
            let said = format!("{what} at {size:?}");
            let mut ui = test_ui().size(size.0, size.1);
            ui.input(appear());
            ui.take_effects();
            ui.press(&format!("<Tab>{select}<Enter><Enter>"));
            assert_eq!(accepted(&mut ui), [], "{said}");
            assert!(ui.app.request_has_keys(), "{said}");
            let mut seen = String::new();
            for key in ["<PgUp>", "<PgDn>"] {
                let mut before = String::new();
                while before != ui.screen() {
                    before = ui.screen();
                    seen += &before;
                    ui.press(key);
                }
            }
            let letters = |text: &str| text.replace(|char: char| !char.is_ascii_graphic(), "");
            let seen = letters(&seen.replace(['|', '[', ']'], ""));
            for line in paragraphs().lines().filter(|_| size.0 >= 40) {
                // On a narrow screen, the end is in the next row.
                let start: String = line.chars().take(11).collect();
                assert!(seen.contains(&start), "{said}: {line}");
            }
            ui.press("<Enter><Enter>");
            assert_eq!(accepted(&mut ui).len(), 1, "{said}: {}", ui.screen());
        }
    }
}

/// The symptom: a row counted as read once another one with the same text was on the screen.
#[test]
fn attack_rows_that_are_alike_have_to_be_read_one_by_one() {
    let message = "paragraph\n".repeat(60);
    let mut ui = test_ui().size(100, 30);
    ui.input(form(&message, ""));
    ui.take_effects();
    ui.press("<Tab><Down><Enter><Enter>");
    assert_eq!(accepted(&mut ui), []);
    assert!(ui.app.request_has_keys());
    ui.press(&"<PgUp>".repeat(9));
    ui.press(&"<PgDn>".repeat(9));
    ui.press("<Enter><Enter>");
    assert_eq!(accepted(&mut ui).len(), 1, "{}", ui.screen());
}

#[test]
fn a_form_that_is_too_long_can_still_be_declined() {
    for (what, appear, _) in LONG {
        let mut ui = test_ui().size(40, 12);
        ui.input(appear());
        ui.take_effects();
        ui.press("<Tab><Up><Enter>");
        assert!(!ui.app.request_has_keys(), "{what}");
        let done = accepted(&mut ui);
        let is_refusal = |effect: &Effect| match effect {
            Effect::Submit(Command::AnswerForm { action, .. }) => {
                !matches!(action, v1::ElicitationAction::Accept(_))
            }
            _ => false,
        };
        assert!(done.iter().all(is_refusal), "{what}: {done:?}");
    }
}

#[test]
fn attack_keys_for_a_list_that_a_request_has_closed_answer_nothing() {
    for keys in [
        "<Tab><Down><Enter>",
        "<Tab><Tab><Down><Enter><Enter>",
        "<Down><Enter>",
        "<Enter>",
    ] {
        for wait in [0, 1200] {
            let mut ui = test_ui();
            ui.start_turn("work");
            ui.press("look @s");
            ui.input(Input::FilesFound(vec![
                "src/a.rs".to_owned(),
                "src/b.rs".to_owned(),
            ]));
            assert!(ui.app.tab().composer.completion.is_some());
            ui.event(Event::PermissionRequested(Box::new(permission_prompt(
                1,
                &["rm", "-r"],
                "Tidy",
            ))));
            assert!(ui.app.tab().composer.completion.is_none());
            ui.take_effects();
            ui.screen();
            ui.wait(std::time::Duration::from_millis(wait));
            ui.press(keys);
            let answered = ui
                .take_effects()
                .into_iter()
                .any(|effect| matches!(effect, Effect::Submit(Command::AnswerPermission { .. })));
            assert!(!answered, "{keys} after {wait} ms");
        }
    }
}

#[test]
fn no_list_opens_under_a_request() {
    let mut ui = test_ui();
    ui.input(Input::FilesFound(vec!["src/a.rs".to_owned()]));
    ui.event(Event::PermissionRequested(Box::new(permission_prompt(
        1,
        &["ls"],
        "List",
    ))));
    ui.press("see @s");
    assert!(ui.app.tab().composer.completion.is_none());
    assert_eq!(ui.app.tab().composer.editor.text(), "see @s");
}

#[test]
fn the_message_about_an_ignored_key_ends_with_the_next_key() {
    let mut ui = test_ui();
    ui.event(Event::PermissionRequested(Box::new(permission_prompt(
        1,
        &["ls"],
        "List",
    ))));
    ui.press("<Tab>");
    ui.wait(std::time::Duration::from_secs(1));
    ui.press_unseen("<Down><Enter>");
    let screen = ui.screen();
    assert!(screen.contains("press Enter again"), "{screen}");
    ui.press("<Down>");
    assert!(!ui.screen().contains("press Enter again"));
}
