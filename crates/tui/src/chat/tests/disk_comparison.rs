//! Permission requests: comparing files with the disk, and the time spent waiting for the user.

use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_client::event::{DiskComparison, Event, PromptSubject};
use expect_test::expect;

use super::permission_dialog::{ask, check};
use super::test_ui::{permission_prompt, test_ui};

#[test]
fn a_file_that_differs_from_the_old_text_is_reported_and_compared() {
    let mut ui = test_ui().size(80, 24);
    let mut asked = permission_prompt(1, &[], "Fix typo");
    asked.action.kind = v1::ToolKind::Edit;
    asked.action.command = None;
    asked.action.paths = vec![PathBuf::from("/code/project/src/main.rs")];
    let diff = v1::Diff::new("/code/project/src/main.rs", "new();\n").old_text("old();\n");
    asked.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Fix typo").content([diff]));
    asked.disk = vec![DiskComparison::Different(Some("precious();\n".to_owned()))];
    ui.event(Event::PermissionRequested(Box::new(asked)));
    ui.press("<Tab>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        |╭ Edit a file? ────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/src/main.rs                                          │
        |│ ! The file on disk differs from what the agent shows.                        │
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
    ui.press("<A-v>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        |╭ Edit a file? ────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/src/main.rs                                          │
        |│ ! Compared with the disk, as if the new text were the whole file.            │
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
        &mut ui,
        "<Down><Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

#[test]
fn a_file_that_is_as_shown_has_nothing_to_compare() {
    let mut ui = test_ui();
    let mut asked = permission_prompt(1, &[], "Fix typo");
    let diff = v1::Diff::new("/code/project/a", "new").old_text("old");
    asked.subject = PromptSubject::ToolCall(v1::ToolCall::new("c1", "Fix typo").content([diff]));
    asked.disk = vec![DiskComparison::AsShown];
    ui.event(Event::PermissionRequested(Box::new(asked)));
    ui.press("<Tab>");
    assert!(!ui.screen().contains("disk"));
    check(&mut ui, "v", &expect![""]);
}

#[test]
fn time_spent_waiting_for_the_user_is_not_tool_time() {
    let mut ui = test_ui();
    ui.start_turn("go");
    ui.update(v1::ToolCall::new("c1", "Run it"));
    ui.wait(Duration::from_secs(5));
    ask(&mut ui, 1);
    ui.wait(Duration::from_secs(600));
    ui.press("<Tab><Down><Enter>");
    ui.wait(Duration::from_secs(2));
    let done = v1::ToolCallUpdate::new("c1").status(v1::ToolCallStatus::Completed);
    ui.update(v1::SessionUpdate::ToolCallUpdate(done));
    ui.end_turn();
    let screen = ui.screen();
    let row = screen.lines().find(|row| row.contains("Run it")).unwrap();
    assert!(row.contains("7.0s") && !row.contains("10m"), "{screen}");
}
