//! What keys make the screen want.

use std::time::Duration;

use attache_client::event::Event;
use expect_test::{Expect, expect};

use super::stage::{Stage, asked, stage};

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

#[test]
fn enter_sends_and_an_empty_prompt_is_none() {
    let mut stage = stage();
    check(&mut stage, "  <Enter>", &expect![""]);
    check(
        &mut stage,
        "hi<Enter>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "  hi", annotations: None, meta: None })] })
    "#]],
    );
}

#[test]
fn escape_cancels_the_turn_once_nothing_else_is_open() {
    let mut stage = stage();
    check(&mut stage, "<Esc>", &expect![""]);
    stage.begins("hi");
    // An Esc that was meant for what it closed does not cancel the turn.
    for opened in [
        "<C-p><Esc><Esc>",
        "?<Esc><Esc>",
        "?q<Esc>",
        "<C-r><Esc><Esc>",
    ] {
        check(&mut stage, opened, &expect![""]);
        assert!(
            stage.screen().contains("Esc again cancels the turn"),
            "{opened}"
        );
        stage.wait(Duration::from_secs(1));
    }
    check(
        &mut stage,
        "<Esc>",
        &expect![[r#"
        Submit(Cancel("s1"))
    "#]],
    );
}

#[test]
fn a_message_on_a_covered_request_ends_with_what_covers_it() {
    let mut stage = stage();
    stage.begins("hi");
    stage.press("?");
    stage.event(Event::PermissionRequested(Box::new(asked(
        1,
        &["ls"],
        "List",
    ))));
    assert!(stage.screen().contains("Esc closes this"));
    check(&mut stage, "<Esc>", &expect![""]);
    assert!(!stage.screen().contains("Esc closes this"));
    check(&mut stage, "<Esc>", &expect![""]);
    stage.press("<Tab>");
    assert!(stage.app.ask_has_keys());
    // Back from the request, and not out of the turn.
    check(&mut stage, "<Esc><Esc>", &expect![""]);
}

#[test]
fn control_c_clears_then_cancels_then_quits() {
    let mut stage = stage();
    stage.begins("hi");
    check(&mut stage, "draft<C-c>", &expect![""]);
    check(
        &mut stage,
        "<C-c>",
        &expect![[r#"
        Submit(Cancel("s1"))
    "#]],
    );
    check(
        &mut stage,
        "<C-c>",
        &expect![[r#"
        Quit
    "#]],
    );
}

#[test]
fn control_c_twice_with_time_between_does_not_quit() {
    let mut stage = stage();
    check(&mut stage, "<C-c>", &expect![""]);
    stage.wait(Duration::from_secs(4));
    check(&mut stage, "<C-c>", &expect![""]);
    check(
        &mut stage,
        "<C-c>",
        &expect![[r#"
        Quit
    "#]],
    );
}

#[test]
fn a_question_mark_is_help_only_where_nothing_is_written() {
    let mut stage = stage();
    stage.press("what?");
    assert!(stage.app.dialog.is_none());
    stage.press("<C-u>?");
    assert!(stage.app.dialog.is_some());
}

#[test]
fn what_is_said_while_a_turn_runs_waits_or_goes_into_it() {
    let mut stage = stage();
    stage.begins("hi");
    check(
        &mut stage,
        "more<Enter>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
    check(
        &mut stage,
        "more<C-s>",
        &expect![[r#"
        Submit(Prompt { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
    stage.input(crate::chat::Input::Steering(crate::chat::Steering::Taken));
    check(
        &mut stage,
        "more<C-s>",
        &expect![[r#"
        Submit(Steer { session: "s1", content: [Text(TextContent { text: "more", annotations: None, meta: None })] })
    "#]],
    );
}

#[test]
fn what_is_said_before_the_session_is_there_is_sent_once_it_is() {
    let mut stage = Stage::new(crate::paint::theme::SignSet::Unicode);
    stage.press("hi<Enter>");
    stage.event(Event::AgentReady(Box::new(super::stage::agent())));
    stage.opened("s1");
    check(&mut stage, "", &expect![""]);
}

#[test]
fn a_prompt_that_waits_can_be_taken_back() {
    let mut stage = stage();
    stage.event(Event::QueueChanged {
        session: "s1".into(),
        waiting: vec![vec!["one".into()], vec!["two".into()]],
    });
    check(
        &mut stage,
        "<A-q><Down><Enter>",
        &expect![[r#"
            Submit(RemoveQueuedPrompt { session: "s1", index: 1 })
        "#]],
    );
    assert_eq!(stage.app.tab().composer.editor.text(), "two");
}

#[test]
fn a_running_turn_is_not_left_by_one_key() {
    let mut stage = stage();
    stage.begins("hi");
    check(&mut stage, "<C-q>", &expect![""]);
    check(
        &mut stage,
        "<C-q>",
        &expect![[r#"
        Quit
    "#]],
    );
    check(&mut stage, "<C-d>x<BS><C-d>", &expect![""]);
    stage.ends();
    check(
        &mut stage,
        "<C-d>",
        &expect![[r#"
        Quit
    "#]],
    );
}
