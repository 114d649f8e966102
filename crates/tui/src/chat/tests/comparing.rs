//! Questions of the agent: what is on disk, and the time in which a person is waited for.

use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_client::event::{DiskComparison, Event, PromptSubject};
use expect_test::expect;

use super::asking::{ask, check};
use super::stage::{asked, stage};

#[test]
fn a_file_that_is_not_what_the_agent_shows_is_told_and_compared() {
    let mut stage = stage().size(80, 24);
    let mut asked = asked(1, &[], "Fix typo");
    asked.action.kind = v1::ToolKind::Edit;
    asked.action.command = None;
    asked.action.paths = vec![PathBuf::from("/code/project/src/main.rs")];
    let diff = v1::Diff::new("/code/project/src/main.rs", "new();\n").old_text("old();\n");
    asked.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Fix typo").content([diff]));
    asked.disk = vec![DiskComparison::Different(Some("precious();\n".to_owned()))];
    stage.event(Event::PermissionRequested(Box::new(asked)));
    stage.press("<Tab>");
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        |╭ Edit a file? ────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/src/main.rs                                          │
        |│ ! The file on disk is not what the agent shows.                              │
        |│ ┊ src/main.rs +1 -1                                                          │
        |│ ┊ 1   - old();                                                               │
        |│ ┊   1 + new();                                                               │
        |│ title   ┊ Fix typo                                                           │
        |│   Allow once ┊ Sure                                                          │
        |│   Reject once ┊ Never                                                        │
        |│ Or let Attaché remember the answer:                                          │
        |│   Allow, and don't ask again in this session                                 │
        |│   Allow, and don't ask again in this workspace                               │
        |│   Allow, and don't ask again with this agent, anywhere                       │
        |│   Reject, and don't ask again in this workspace                              │
        |│   Dismiss (cancel the request)                                               │
        |╰ ↑↓ select · Enter choose · Esc back · Alt-D details · Alt-V compare ─────────╯
        |────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    stage.press("<A-v>");
    stage.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        |╭ Edit a file? ────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/src/main.rs                                          │
        |│ ! Against the disk: what would change if the new text were the whole file.   │
        |│ ┊ src/main.rs +1 -1                                                          │
        |│ ┊ 1   - precious();                                                          │
        |│ ┊   1 + new();                                                               │
        |│ title   ┊ Fix typo                                                           │
        |│   Allow once ┊ Sure                                                          │
        |│   Reject once ┊ Never                                                        │
        |│ Or let Attaché remember the answer:                                          │
        |│   Allow, and don't ask again in this session                                 │
        |│   Allow, and don't ask again in this workspace                               │
        |│   Allow, and don't ask again with this agent, anywhere                       │
        |│   Reject, and don't ask again in this workspace                              │
        |│   Dismiss (cancel the request)                                               │
        |╰ ↑↓ select · Enter choose · Esc back · Alt-D details · Alt-V as the agent sh… ╯
        |────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    check(
        &mut stage,
        "<Down><Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

#[test]
fn a_file_that_is_as_shown_has_nothing_to_compare() {
    let mut stage = stage();
    let mut asked = asked(1, &[], "Fix typo");
    let diff = v1::Diff::new("/code/project/a", "new").old_text("old");
    asked.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Fix typo").content([diff]));
    asked.disk = vec![DiskComparison::AsShown];
    stage.event(Event::PermissionRequested(Box::new(asked)));
    stage.press("<Tab>");
    assert!(!stage.screen().contains("disk"));
    check(&mut stage, "v", &expect![""]);
}

#[test]
fn time_in_which_a_person_is_waited_for_is_no_time_of_the_tool() {
    let mut stage = stage();
    stage.begins("go");
    stage.update(v1::ToolCall::new("c1", "Run it"));
    stage.wait(Duration::from_secs(5));
    ask(&mut stage, 1);
    stage.wait(Duration::from_secs(600));
    stage.press("<Tab><Down><Enter>");
    stage.wait(Duration::from_secs(2));
    let done = v1::ToolCallUpdate::new("c1").status(v1::ToolCallStatus::Completed);
    stage.update(v1::SessionUpdate::ToolCallUpdate(done));
    stage.ends();
    let screen = stage.screen();
    let row = screen.lines().find(|row| row.contains("Run it")).unwrap();
    assert!(row.contains("7.0s") && !row.contains("10m"), "{screen}");
}
