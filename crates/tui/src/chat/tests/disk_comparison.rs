//! Permission requests: comparing files with the disk, and the time spent waiting for the user.

use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_client::event::Event;
use attache_host::FileOnDisk;
use attache_host::permissions::ComparedChange;
use expect_test::expect;

use super::permission_dialog::ask;
use super::test_ui::{permission_prompt, test_ui};

/// The rows of a request for this change, with this file on disk.
fn rows(change: v1::Diff, there: Option<&str>) -> String {
    let mut ui = test_ui().size(80, 40);
    let mut asked = permission_prompt(1, &[], "Fix typo");
    asked.action.kind = v1::ToolKind::Edit;
    asked.action.command = None;
    asked.action.paths = vec![PathBuf::from("/code/project/src/main.rs")];
    let file = there.map_or(FileOnDisk::Missing, |text| {
        FileOnDisk::Text(text.to_owned())
    });
    asked.changes = ComparedChange::compare(vec![change], &[file]);
    ui.event(Event::PermissionRequested(Box::new(asked)));
    ui.press("<Tab>");
    let screen = ui.screen();
    let rows = screen.lines().filter_map(|row| row.strip_prefix("|│ "));
    let rows = rows.take_while(|row| !row.contains("Allow once"));
    rows.map(|row| format!("{}\n", row.trim_end_matches(['│', ' '])))
        .collect()
}

fn diff(old: Option<&str>, new: &str) -> v1::Diff {
    let mut diff = v1::Diff::new("/code/project/src/main.rs", new);
    diff.old_text = old.map(str::to_owned);
    diff
}

/// The symptom: `+1 -0 new file` stood above a permission to replace a file of 500 lines.
#[test]
fn attack_a_file_that_exists_is_no_new_file() {
    let there = "precious();\n".repeat(500);
    let shown = rows(diff(None, "good();\n"), Some(&there));
    assert!(shown.contains("src/main.rs +1 -500"), "{shown}");
    assert!(!shown.contains("new file"), "{shown}");
}

/// The symptom: `1 - = no` was all that was shown of a line in the middle of a file.
#[test]
fn attack_a_part_of_a_line_is_shown_as_whole_lines_of_the_file() {
    let mut there: String = (1..=50).map(|at| format!("k{at} = 1\n")).collect();
    there.push_str("disable_firewall = no\nlast = 1\n");
    expect![[r#"
        file    ┊ /code/project/src/main.rs
        ┊ src/main.rs +1 -1
        ┊ … 47 lines
        ┊ 48 48   k48 = 1
        ┊ 49 49   k49 = 1
        ┊ 50 50   k50 = 1
        ┊ 51    - disable_firewall = no
        ┊    51 + disable_firewall = yes
        ┊ 52 52   last = 1
        title   ┊ Fix typo
    "#]]
    .assert_eq(&rows(diff(Some("= no"), "= yes"), Some(&there)));
}

#[test]
fn attack_a_diff_that_does_not_apply_says_so() {
    let change = || diff(Some("old();\n"), "new();\n");
    for (there, said) in [
        (Some("precious();\n"), "doesn't contain this old text"),
        (Some("old();\nold();\n"), "more than once"),
        (None, "no such file"),
    ] {
        let shown = rows(change(), there);
        assert!(shown.contains(said), "{shown}");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(
            words.join(" ").contains("the agent has to ask again."),
            "{shown}"
        );
    }
    let shown = rows(diff(Some("old();\nx"), "new();\n"), Some("old();\r\nx\r\n"));
    assert!(
        shown.contains("line endings in the file are different"),
        "{shown}"
    );
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
