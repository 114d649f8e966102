//! The effects of keys.

use std::time::Duration;

use attache_client::event::Event;
use expect_test::{Expect, expect};

use super::test_ui::{TestUi, permission_prompt, test_ui};

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

#[test]
fn enter_sends_unless_the_prompt_is_empty() {
    let mut ui = test_ui();
    check(&mut ui, "  <Enter>", &expect![""]);
    check(
        &mut ui,
        "hi<Enter>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "  hi", annotations: None, meta: None })] })
    "#]],
    );
}

#[test]
fn escape_cancels_the_turn_once_nothing_else_is_open() {
    let mut ui = test_ui();
    check(&mut ui, "<Esc>", &expect![""]);
    ui.start_turn("hi");
    // An Esc that may have been meant for the closed dialog does not cancel the turn.
    for opened in [
        "<C-p><Esc><Esc>",
        "?<Esc><Esc>",
        "?q<Esc>",
        "<C-r><Esc><Esc>",
    ] {
        check(&mut ui, opened, &expect![""]);
        assert!(
            ui.screen().contains("press Esc again to cancel the turn"),
            "{opened}"
        );
        ui.wait(Duration::from_secs(1));
    }
    check(
        &mut ui,
        "<Esc>",
        &expect![[r#"
        Submit(Cancel("s1"))
    "#]],
    );
}

#[test]
fn the_message_about_a_covered_request_ends_with_the_dialog() {
    let mut ui = test_ui();
    ui.start_turn("hi");
    ui.press("?");
    ui.event(Event::PermissionRequested(Box::new(permission_prompt(
        1,
        &["ls"],
        "List",
    ))));
    assert!(ui.screen().contains("Esc closes this"));
    check(&mut ui, "<Esc>", &expect![""]);
    assert!(!ui.screen().contains("Esc closes this"));
    check(&mut ui, "<Esc>", &expect![""]);
    ui.press("<Tab>");
    assert!(ui.app.request_has_keys());
    // Esc leaves the request without cancelling the turn.
    check(&mut ui, "<Esc><Esc>", &expect![""]);
}

#[test]
fn control_c_clears_then_cancels_then_quits() {
    let mut ui = test_ui();
    ui.start_turn("hi");
    check(&mut ui, "draft<C-c>", &expect![""]);
    check(
        &mut ui,
        "<C-c>",
        &expect![[r#"
        Submit(Cancel("s1"))
    "#]],
    );
    check(
        &mut ui,
        "<C-c>",
        &expect![[r#"
        Quit
    "#]],
    );
}

#[test]
fn control_c_twice_with_time_between_does_not_quit() {
    let mut ui = test_ui();
    check(&mut ui, "<C-c>", &expect![""]);
    ui.wait(Duration::from_secs(4));
    check(&mut ui, "<C-c>", &expect![""]);
    check(
        &mut ui,
        "<C-c>",
        &expect![[r#"
        Quit
    "#]],
    );
}

#[test]
fn a_question_mark_opens_help_only_in_an_empty_composer() {
    let mut ui = test_ui();
    ui.press("what?");
    assert!(ui.app.dialog.is_none());
    ui.press("<C-u>?");
    assert!(ui.app.dialog.is_some());
}

#[test]
fn a_prompt_during_a_turn_is_queued_or_steers() {
    let mut ui = test_ui();
    ui.start_turn("hi");
    check(
        &mut ui,
        "more<Enter>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
    check(
        &mut ui,
        "more<C-s>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
    ui.input(crate::chat::Input::Steering(
        crate::chat::Steering::Supported,
    ));
    check(
        &mut ui,
        "more<C-s>",
        &expect![[r#"
        Submit(Steer { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
}

#[test]
fn a_prompt_before_the_session_opens_is_sent_later() {
    let mut ui = TestUi::new(crate::paint::theme::SignSet::Unicode);
    ui.press("hi<Enter>");
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    ui.open_session("s1");
    check(&mut ui, "", &expect![""]);
}

#[test]
fn a_queued_prompt_can_be_removed() {
    let mut ui = test_ui();
    ui.event(Event::QueueChanged {
        session: "s1".into(),
        waiting: vec![vec!["one".into()], vec!["two".into()]],
    });
    check(
        &mut ui,
        "<A-q><Down><Enter>",
        &expect![[r#"
            Submit(RemoveQueuedPrompt { session: "s1", index: 1 })
        "#]],
    );
    assert_eq!(ui.app.tab().composer.editor.text(), "two");
}

#[test]
fn quitting_during_a_turn_takes_two_keys() {
    let mut ui = test_ui();
    ui.start_turn("hi");
    check(&mut ui, "<C-q>", &expect![""]);
    check(
        &mut ui,
        "<C-q>",
        &expect![[r#"
        Quit
    "#]],
    );
    check(&mut ui, "<C-d>x<BS><C-d>", &expect![""]);
    ui.end_turn();
    check(
        &mut ui,
        "<C-d>",
        &expect![[r#"
        Quit
    "#]],
    );
}
