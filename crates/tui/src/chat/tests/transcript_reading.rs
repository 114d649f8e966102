//! Searching, reading, copying and exporting the transcript.

use expect_test::expect;

use super::test_ui::test_ui;
use crate::chat::effect::{ExistingFile, SaveError};
use crate::chat::{Effect, ExportFormat, Input};

#[test]
fn searching() {
    let mut ui = test_ui();
    for number in 0..40 {
        ui.start_turn(&format!("question {number}"));
        ui.agent_message(&format!("answer {number}"));
        ui.end_turn();
    }
    ui.press("<C-f>answer 7");
    ui.check(&expect![[r#"
        | Test Agent · question 0 · /code/project
        | • answer 6
        |
        | › question 7
        |
        | • answer 7
        |
        | › question 8
        |
        | • answer 8
        |
        | › question 9
        |
        |╭ Search ──────────────────────────────────────────────────╮
        |│ answer 7  1 of 1                                         │
        |│ Enter ↑ previous · ↓ next · Esc close                    │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | done in 0.0s · 91 below, Ctrl-End
    "#]]);
}

#[test]
fn reading_and_copying() {
    let mut ui = test_ui();
    ui.start_turn("question");
    ui.agent_message("the answer");
    ui.end_turn();
    ui.screen();
    ui.press("<C-y>");
    assert_eq!(ui.take_effects(), [Effect::Copy("the answer".to_owned())]);
    ui.press("<C-r><Up>");
    ui.check(&expect![[r#"
        | Test Agent · question · /code/project
        |▌› question
        |
        | • the answer
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
        |› reading: ↑↓ select · Enter unfold · c copy · Esc back
        | copied 10 characters · done in 0.0s
    "#]]);
}

#[test]
fn exporting() {
    let mut ui = test_ui();
    ui.start_turn("question");
    ui.agent_message("the answer");
    ui.press("<A-e><Enter>");
    let path = "/code/project/attache-s1.md".into();
    let format = ExportFormat::Markdown;
    let existing = ExistingFile::Keep;
    let wanted = Effect::Export {
        path,
        format,
        existing,
    };
    assert_eq!(ui.take_effects(), [wanted]);
    expect![[r#"
        # Conversation

        ## You

        > question

        ## Agent

        the answer
    "#]]
    .assert_eq(&ui.app.export(format, &|_| None));
}

#[test]
fn an_existing_file_is_overwritten_only_when_confirmed() {
    let mut ui = test_ui();
    ui.start_turn("question");
    ui.press("<A-e><Enter>");
    ui.take_effects();
    let path = std::path::PathBuf::from("/code/project/attache-s1.md");
    let exists = || Input::Saved(Err(SaveError::Exists(path.clone())));
    ui.input(exists());
    assert!(ui.screen().contains("This file already exists."));
    ui.press("x<Enter>");
    expect![[
        r#"[Export { path: "/code/project/attache-s1.mdx", format: Markdown, existing: Keep }]"#
    ]]
    .assert_eq(&format!("{:?}", ui.take_effects()));
    ui.press("<BS><Enter>");
    expect![[
        r#"[Export { path: "/code/project/attache-s1.md", format: Markdown, existing: Overwrite }]"#
    ]]
    .assert_eq(&format!("{:?}", ui.take_effects()));
    ui.input(Input::Saved(Ok(path.clone())));
    assert!(!ui.screen().contains("Export as"));
}

#[test]
fn the_end_of_an_endless_paragraph_is_reached() {
    let mut ui = test_ui();
    ui.start_turn("question");
    for number in 0..10_000 {
        ui.agent_message(&format!("chunk {number} "));
        if number % 100 == 0 {
            ui.screen();
        }
    }
    let mut drawings = 0;
    while !ui.screen().contains("chunk 9999") && drawings < 500 {
        drawings += 1;
    }
    assert!(drawings < 20, "{drawings} {}", ui.screen());
}
