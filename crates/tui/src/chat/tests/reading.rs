//! Searching, reading, copying and exporting the transcript.

use expect_test::expect;

use super::stage::stage;
use crate::chat::effect::{There, Unsaved};
use crate::chat::{Effect, Format, Input};

#[test]
fn searching() {
    let mut stage = stage();
    for number in 0..40 {
        stage.begins(&format!("question {number}"));
        stage.says(&format!("answer {number}"));
        stage.ends();
    }
    stage.press("<C-f>answer 7");
    stage.check(&expect![[r#"
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
        |│ Enter ↑ above · ↓ below · Esc close                      │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | done in 0.0s · 91 below, Ctrl-End
    "#]]);
}

#[test]
fn reading_and_copying() {
    let mut stage = stage();
    stage.begins("question");
    stage.says("the answer");
    stage.ends();
    stage.screen();
    stage.press("<C-y>");
    assert_eq!(stage.done(), [Effect::Copy("the answer".to_owned())]);
    stage.press("<C-r><Up>");
    stage.check(&expect![[r#"
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
    let mut stage = stage();
    stage.begins("question");
    stage.says("the answer");
    stage.press("<A-e><Enter>");
    let path = "/code/project/attache-s1.md".into();
    let format = Format::Markdown;
    let there = There::Stays;
    let wanted = Effect::Export {
        path,
        format,
        there,
    };
    assert_eq!(stage.done(), [wanted]);
    expect![[r#"
        # Conversation

        ## You

        > question

        ## Agent

        the answer
    "#]]
    .assert_eq(&stage.app.export(format, &|_| None));
}

#[test]
fn a_file_that_is_there_is_written_over_only_when_the_person_says_so() {
    let mut stage = stage();
    stage.begins("question");
    stage.press("<A-e><Enter>");
    stage.done();
    let path = std::path::PathBuf::from("/code/project/attache-s1.md");
    let there = || Input::Saved(Err(Unsaved::There(path.clone())));
    stage.input(there());
    assert!(stage.screen().contains("It is there already."));
    stage.press("x<Enter>");
    expect![[
        r#"[Export { path: "/code/project/attache-s1.mdx", format: Markdown, there: Stays }]"#
    ]]
    .assert_eq(&format!("{:?}", stage.done()));
    stage.press("<BS><Enter>");
    expect![[r#"[Export { path: "/code/project/attache-s1.md", format: Markdown, there: Goes }]"#]]
        .assert_eq(&format!("{:?}", stage.done()));
    stage.input(Input::Saved(Ok(path.clone())));
    assert!(!stage.screen().contains("Export as"));
}

#[test]
fn the_end_of_an_endless_paragraph_is_reached() {
    let mut stage = stage();
    stage.begins("question");
    for number in 0..10_000 {
        stage.says(&format!("chunk {number} "));
        if number % 100 == 0 {
            stage.screen();
        }
    }
    let mut drawings = 0;
    while !stage.screen().contains("chunk 9999") && drawings < 500 {
        drawings += 1;
    }
    assert!(drawings < 20, "{drawings} {}", stage.screen());
}
