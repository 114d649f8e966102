//! Changes that are longer than the screen: every line has to be on the screen before the change can be allowed.

use std::collections::BTreeSet;

use attache::v1;
use attache_client::event::{Event, PermissionPrompt};
use expect_test::expect;

use super::permission_dialog::answers;
use super::test_ui::{TestUi, permission_prompt, set_tool_call, test_ui};
use crate::chat::Input;

#[test]
fn a_change_has_to_be_on_the_screen_before_it_is_allowed() {
    let numbered = |word: &str| -> String { (0..300).map(|at| format!("{word}{at}.\n")).collect() };
    let long: String = (0..900).map(|at| format!("w{at}. ")).collect();
    let changes = [
        v1::Diff::new("/code/project/a.rs", numbered("new")).old_text(numbered("old")),
        v1::Diff::new("/code/project/a.rs", numbered("new")),
        v1::Diff::new("/code/project/a.rs", long.as_str()).old_text("short\n"),
        v1::Diff::new("/code/project/a.rs", "").old_text(long.as_str()),
    ];
    for (columns, rows) in [(40, 14), (80, 24), (150, 40)] {
        for change in &changes {
            let mut ui = test_ui().size(columns, rows);
            ui.event(Event::PermissionRequested(Box::new(edit([change.clone()]))));
            let seen = read(&mut ui);
            let old = change.old_text.as_deref().unwrap_or_default();
            for word in old
                .split_whitespace()
                .chain(change.new_text.split_whitespace())
            {
                assert!(seen.contains(word), "{word} at {columns}x{rows}");
            }
            assert_eq!(answers(&mut ui, "<Enter>"), ALLOWED);
        }
    }
}

#[test]
fn every_file_has_to_be_on_the_screen() {
    let files = (0..9).map(|at| {
        let text: String = (0..9).map(|line| format!("f{at}-{line}.\n")).collect();
        v1::Diff::new(format!("/code/project/{at}.rs"), text)
    });
    let mut ui = test_ui().size(80, 24);
    ui.event(Event::PermissionRequested(Box::new(edit(files))));
    let seen = read(&mut ui);
    for word in (0..9).flat_map(|at| (0..9).map(move |line| format!("f{at}-{line}."))) {
        assert!(seen.contains(&word), "{word}");
    }
}

#[test]
fn one_line_of_21000_is_shown() {
    let line = |at: usize| format!("line {at}\n");
    let old: String = (0..21_000).map(line).collect();
    let new = old.replace("line 12345\n", "rm -rf ~\n");
    let mut ui = test_ui().size(60, 24);
    let change = v1::Diff::new("/code/project/a.txt", new).old_text(old);
    ui.event(Event::PermissionRequested(Box::new(edit([change]))));
    ui.press("<Tab><Down>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        |╭ Edit a file? ────────────────────────────────────────────╮
        |│ file    ┊ /code/project/a.txt                            │
        |│ ┊ a.txt +1 -1                                            │
        |│ ┊ … 12342 lines                                          │
        |│ ┊ 12343 12343   line 12342                               │
        |│ ┊ 12344 12344   line 12343                               │
        |│ ┊ 12345 12345   line 12344                               │
        |│ ┊ 12346       - line 12345                               │
        |│ ┊       12346 + rm -rf ~                                 │
        |│ ┊ 12347 12347   line 12346                               │
        |│ ┊ 12348 12348   line 12347                               │
        |│ ┊ 12349 12349   line 12348                               │
        |│ ┊ … 8651 lines                                           │
        |│ title   ┊ Fix typo                                       │
        |│ ▌ Allow once ┊ Sure                                      │
        |│   Reject once ┊ Never                                    │
        |│ Or let Attaché remember the answer:                      │
        |│   Allow, and don't ask again in this session             │
        |╰ 4 more answers: ↑↓ · ↑↓ select · Enter choose · Esc bac… ╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    assert_eq!(answers(&mut ui, "<Enter>"), ALLOWED);
}

#[test]
fn changes_that_cannot_be_shown_cannot_be_allowed() {
    let wide = "x".repeat(140_000);
    let tall = "x\n".repeat(70_000);
    let half = "x".repeat(70_000);
    let change = |text: &str| v1::Diff::new("/code/project/a.txt", text);
    for changes in [
        vec![change(&wide)],
        vec![change(&tall)],
        vec![change("").old_text(wide.as_str())],
        vec![change(&half), change(&half)],
        vec![change(&"x\n".repeat(600_000))],
    ] {
        let mut ui = test_ui().size(80, 24);
        ui.event(Event::PermissionRequested(Box::new(edit(changes))));
        ui.press("<Tab><Down>");
        assert!(ui.screen().contains("too long to be allowed here"));
        for _ in 0..30 {
            assert_eq!(answers(&mut ui, "<Enter><PgDn><Enter>"), "");
        }
        assert!(answers(&mut ui, "<Down><Enter>").contains("no"));
    }
}

/// The symptom: after a change of width the view stayed at the end, and no key led to the rows that counted as unread.
#[test]
fn a_new_width_has_to_be_read_from_the_beginning() {
    let text: String = (0..90).map(|at| format!("new{at}.\n")).collect();
    let mut ui = test_ui().size(80, 24);
    let change = v1::Diff::new("/code/project/a.rs", text).old_text("old\n");
    ui.event(Event::PermissionRequested(Box::new(edit([change]))));
    read(&mut ui);
    let mut ui = ui.size(81, 24);
    ui.screen();
    assert_eq!(answers(&mut ui, "<Enter>"), "");
    for _ in 0..60 {
        ui.press("<PgDn>");
        ui.screen();
    }
    assert!(
        answers(&mut ui, "<Enter>").contains("yes"),
        "{}",
        ui.screen()
    );
}

#[test]
fn nothing_is_decided_on_a_screen_that_shows_nothing() {
    for keys in [
        "<Enter>",
        "<Down><Enter>",
        "<Up><Enter><Enter>",
        "<Down><Down><Down><Enter>",
    ] {
        let mut ui = test_ui().size(80, 24);
        ui.event(Event::PermissionRequested(Box::new(permission_prompt(
            1,
            &["ls"],
            "List",
        ))));
        ui.press("<Tab><Down><Down>");
        let mut ui = ui.size(10, 3);
        assert_eq!(answers(&mut ui, keys), "", "{keys}");
        let mut ui = ui.size(80, 24);
        assert!(answers(&mut ui, "<Enter>").contains("no"), "{keys}");
    }
}

#[test]
fn our_answers_never_follow_those_of_the_agent_without_a_gap() {
    let line = "cd sub && make test 2>&1 | tee log";
    for columns in (24..100).step_by(7) {
        for rows in (8..40).step_by(3) {
            let mut ui = test_ui().size(columns, rows);
            ui.event(Event::PermissionRequested(Box::new(permission_prompt(
                1,
                &[line],
                "Run it",
            ))));
            ui.press("<Tab>");
            for _ in 0..8 {
                let screen = ui.screen();
                let shown: Vec<&str> = screen.lines().collect();
                for pair in shown.windows(2) {
                    let is_agents = pair[0].contains("once ┊");
                    assert!(
                        !(is_agents && pair[1].contains("and don't ask")),
                        "{columns}x{rows}\n{screen}"
                    );
                }
                ui.press("<Down>");
            }
        }
    }
}

/// The symptom: at 80x24 a long change had 6 rows.
#[test]
fn a_long_change_has_the_rows_that_the_screen_allows() {
    let mut ui = test_ui().size(80, 24);
    ui.event(Event::PermissionRequested(Box::new(edit([numbered_file(
        300,
    )]))));
    ui.press("<Tab><Down>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |╭ Edit a file? ────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/a.rs                                                 │
        |│ ┊ a.rs +300 -0 new file                                                      │
        |│ ┊       1 + new0.                                                            │
        |│ ┊       2 + new1.                                                            │
        |│ ┊       3 + new2.                                                            │
        |│ ┊       4 + new3.                                                            │
        |│ ┊       5 + new4.                                                            │
        |│ ┊       6 + new5.                                                            │
        |│ ┊       7 + new6.                                                            │
        |│ ┊       8 + new7.                                                            │
        |│ ┊       9 + new8.                                                            │
        |│ ┊      10 + new9.                                                            │
        |│ ┊      11 + new10.                                                           │
        |│ ▌ Allow once ┊ Sure                                                          │
        |│   Reject once ┊ Never                                                        │
        |│ Or let Attaché remember the answer:                                          │
        |│   Allow, and don't ask again in this session                                 │
        |│   Allow, and don't ask again in this workspace                               │
        |╰ 289 more lines to read first: PgDn · 3 more answers: ↑↓ · ↑↓ select · Enter… ╯
        |────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn keys_and_the_wheel_move_through_a_long_change() {
    let mut ui = test_ui().size(80, 24);
    ui.event(Event::PermissionRequested(Box::new(edit([numbered_file(
        100,
    )]))));
    ui.press("<Tab><Down>");
    let shows = |ui: &mut TestUi, line: &str| {
        let screen = ui.screen();
        assert!(screen.contains(&format!("+ {line} ")), "{line}\n{screen}");
    };
    shows(&mut ui, "new0.");
    ui.press("<End>");
    shows(&mut ui, "new99.");
    ui.press("<Home>");
    shows(&mut ui, "new0.");
    ui.press("<PgDn>");
    shows(&mut ui, "new12.");
    ui.press("<PgUp>");
    shows(&mut ui, "new0.");
    for _ in 0..40 {
        ui.screen();
        ui.input(Input::Wheel(40, 8, 3));
    }
    shows(&mut ui, "new99.");
    assert_eq!(answers(&mut ui, "<Enter>"), ALLOWED);
}

#[test]
fn a_jump_over_rows_does_not_count_them_as_read() {
    let mut ui = test_ui().size(80, 24);
    ui.event(Event::PermissionRequested(Box::new(edit([numbered_file(
        100,
    )]))));
    ui.press("<Tab><Down><End>");
    assert!(
        ui.screen().contains("to read first: PgUp"),
        "{}",
        ui.screen()
    );
    assert_eq!(answers(&mut ui, "<Enter>"), "");
    let said = "lines have not been on the screen (PgUp)";
    assert!(ui.screen().contains(said), "{}", ui.screen());
    ui.press("<Home><End><Home>");
    assert!(
        ui.screen().contains("to read first: PgDn"),
        "{}",
        ui.screen()
    );
    assert_eq!(answers(&mut ui, "<Enter>"), "");
    ui.press("<End>");
    let mut pages = 0;
    while ui.screen().contains("to read first") {
        assert_eq!(answers(&mut ui, "<Enter>"), "");
        ui.press("<PgUp>");
        pages += 1;
        assert!(pages < 20, "{}", ui.screen());
    }
    assert!(pages > 5);
    assert_eq!(answers(&mut ui, "<Enter>"), ALLOWED);
}

#[test]
fn keys_and_wheel_faster_than_the_screen_skip_no_row() {
    let mut ui = test_ui().size(80, 24);
    ui.event(Event::PermissionRequested(Box::new(edit([numbered_file(
        100,
    )]))));
    ui.press("<Tab><Down>");
    for _ in 0..20 {
        ui.screen();
        ui.press_unseen("<PgDn><PgDn><PgDn>");
        ui.input(Input::Wheel(40, 8, 3));
    }
    assert!(!ui.screen().contains("to read first"), "{}", ui.screen());
    assert_eq!(answers(&mut ui, "<Enter>"), ALLOWED);
}

/// The symptom: rows that were read side by side still counted as read in the unified layout.
#[test]
fn another_diff_layout_has_to_be_read_from_the_beginning() {
    let old: String = (0..90).map(|at| format!("old{at}.\n")).collect();
    let change = numbered_file(90).old_text(old);
    let mut ui = test_ui().size(150, 24);
    ui.event(Event::PermissionRequested(Box::new(edit([change]))));
    read(&mut ui);
    ui.press("<Esc><C-r>dd<Esc><Tab><Down>");
    assert_eq!(answers(&mut ui, "<Enter>"), "");
    let said = "lines have not been on the screen (PgDn)";
    assert!(ui.screen().contains(said), "{}", ui.screen());
}

fn numbered_file(lines: usize) -> v1::Diff {
    let text: String = (0..lines).map(|at| format!("new{at}.\n")).collect();
    v1::Diff::new("/code/project/a.rs", text)
}

/// Scrolls to the end, trying to allow the change on the way. Returns all words that were on the screen.
fn read(ui: &mut TestUi) -> BTreeSet<String> {
    ui.press("<Tab><Down>");
    let mut words = BTreeSet::new();
    let mut unread = usize::MAX;
    loop {
        let screen = ui.screen();
        let inside = screen.lines().filter(|row| row.starts_with("|│"));
        let inside: Vec<&str> = inside
            .map(|row| row.trim_matches(['|', '│', ' ']))
            .collect();
        words.extend(inside.join(" ").split_whitespace().map(str::to_owned));
        // A word that is broken at the end of a row.
        let rows = inside
            .iter()
            .map(|row| row.rsplit(['┊', '│']).next().unwrap_or(row).trim());
        words.extend(
            rows.collect::<String>()
                .split_inclusive('.')
                .map(|word| word.trim().to_owned()),
        );
        if !screen.contains("to read first") {
            return words;
        }
        let left = screen.split(" more line").next().unwrap();
        let left = left.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(left < unread, "{left} of {unread}:\n{screen}");
        unread = left;
        assert_eq!(answers(ui, "<Enter>"), "", "{screen}");
        ui.press("<PgDn>");
    }
}

fn edit(changes: impl IntoIterator<Item = v1::Diff>) -> PermissionPrompt {
    let changes: Vec<v1::Diff> = changes.into_iter().collect();
    let mut prompt = permission_prompt(1, &[], "Fix typo");
    prompt.action.kind = v1::ToolKind::Edit;
    prompt.action.command = None;
    prompt.action.paths = changes
        .iter()
        .map(|change| change.path.as_str().into())
        .collect();
    let call = v1::ToolCall::new("c1", "Fix typo").content(changes);
    set_tool_call(&mut prompt, call);
    prompt
}

const ALLOWED: &str = "1: Choose { option: \"yes\", remember: Once }\n";
