//! Requests on small screens: anything that can be allowed is on the screen, or has been scrolled through.

use std::path::PathBuf;

use attache::v1;
use attache_client::event::{Event, HostRequest, PermissionPrompt, PromptSubject};
use attache_text::plain::{visible, visible_command};
use expect_test::expect;

use super::permission_dialog::{answers, ask};
use super::remembered_decisions::choose;
use super::test_ui::{TestUi, permission_prompt, set_tool_call, test_ui};

#[test]
fn at_40_columns_the_command_its_directory_and_the_answers_are_there() {
    let mut ui = test_ui().size(40, 12);
    ask(&mut ui, 1);
    ui.check(&expect![[r#"
        | Test Agent · new session
        |╭ Run a command? ──────────────────────╮
        |│ command ┊ cargo test -- 'a b'        │
        |│ in ┊ /code/project                   │
        |│ title ┊ Run the tests                │
        |│   Allow once ┊ Sure                  │
        |│   Reject once ┊ Never                │
        |│ Or let Attaché remember the answer:  │
        |╰ Tab to answer · 5 more answers: ↑↓ ──╯
        |────────────────────────────────────────
        |› ask for something · / commands · @ f…
        | ready
    "#]]);
    ui.press("<Tab><Down><Down><Down>");
    ui.check(&expect![[r#"
        | Test Agent · new session
        |╭ Run a command? ──────────────────────╮
        |│ command ┊ cargo test -- 'a b'        │
        |│ in ┊ /code/project                   │
        |│ title ┊ Run the tests                │
        |│ Or let Attaché remember the answer:  │
        |│ ▌ Allow, and don't ask again in this │
        |│   session                            │
        |╰ 6 more answers: ↑↓ · ↑↓ select · En… ╯
        |────────────────────────────────────────
        |›
        | ready
    "#]]);
    ui.press("<Enter>");
    ui.check(&expect![[r#"
        |╭ Remember this answer? Run a command ─╮
        |│ command ┊ cargo test -- 'a b'        │
        |│ in ┊ /code/project                   │
        |│ Attaché will allow exactly this      │
        |│ command without asking: for this     │
        |│ agent, in this session, until the    │
        |│ session ends.                        │
        |│ agent ┊ test                         │
        |╰ 1 more line: PgDn · Enter confirm ·… ╯
        |────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn at_40_columns_the_path_is_there() {
    let mut ui = test_ui().size(40, 12);
    ui.event(Event::PermissionRequested(Box::new(edit(&[
        "/code/project/src/deep/down/in/a/module/tree.rs",
    ]))));
    ui.press("<Tab><Down>");
    ui.check(&expect![[r#"
        |╭ Edit a file? ────────────────────────╮
        |│ file ┊ /code/project/src/deep/down/i │
        |│ ┊ n/a/module/tree.rs                 │
        |│ ┊ …/down/in/a/module/tree.rs +30 -30 │
        |│ ┊  1    - old                        │
        |│ ┊  2    - old                        │
        |│ ▌ Allow once ┊ Sure                  │
        |│   Reject once ┊ Never                │
        |╰ 58 more lines to read first: PgDn ·… ╯
        |────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn at_24_columns_nothing_is_granted_that_does_not_fit() {
    let mut ui = test_ui().size(24, 8);
    let path = "/code/project/src/deep/down/in/a/module/tree.rs";
    ui.event(Event::PermissionRequested(Box::new(edit(&[path]))));
    ui.check(&expect![[r#"
        |╭ Edit a file? ────────╮
        |│ Too small: enlarge   │
        |│ the terminal         │
        |│   Reject once ┊ Neve │
        |╰ Tab to answer ───────╯
        |────────────────────────
        |› ask for something · …
        | ready
    "#]]);
    let keys = "<Tab><Down><Enter><Down><Enter><Up><Enter>";
    let given = answers(&mut ui, keys);
    assert!(!given.contains("yes"), "{given}");
}

#[test]
fn at_24_columns_a_short_command_can_be_allowed() {
    let mut ui = test_ui().size(24, 8);
    let mut prompt = permission_prompt(1, &["ls"], "List");
    prompt.action.workspace = PathBuf::from("/w");
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.press("<Tab><Down>");
    ui.check(&expect![[r#"
        |╭ Run a command? ──────╮
        |│ command ┊ ls         │
        |│ in ┊ /w              │
        |│ ▌ Allow once ┊ Sure  │
        |╰ 1 more line: PgDn ·… ╯
        |────────────────────────
        |›
        | ready
    "#]]);
    let expected = "1: Choose { option: \"yes\", remember: Once }\n";
    assert_eq!(answers(&mut ui, "<Enter>"), expected);
}

#[test]
fn a_command_of_10000_characters_is_read_to_its_end_before_it_is_allowed() {
    let mut ui = test_ui().size(80, 24);
    let long = "x".repeat(9_990) + " ; rm -rf ~";
    ui.event(Event::PermissionRequested(Box::new(permission_prompt(
        1,
        &["echo", &long],
        "Echo",
    ))));
    ui.press("<Tab><Down>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |╭ Run a command? ──────────────────────────────────────────────────────────────╮
        |│ program ┊ echo                                                               │
        |│ in      ┊ /code/project                                                      │
        |│ command ┊ echo 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│         ┊ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx │
        |│ ▌ Allow once ┊ Sure                                                          │
        |│   Reject once ┊ Never                                                        │
        |│ Or let Attaché remember the answer:                                          │
        |│   Allow, and don't ask again in this session                                 │
        |│   Allow, and don't ask again in this workspace                               │
        |╰ 141 more lines to read first: PgDn · 3 more answers: ↑↓ · ↑↓ select · Enter… ╯
        |────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    assert_eq!(answers(&mut ui, "<Enter><Enter>"), "");
    assert!(ui.screen().contains("read the whole request first"));
    let mut pages = 0;
    while ui.screen().contains("to read first") {
        ui.press("<PgDn>");
        pages += 1;
        assert!(pages < 200, "{}", ui.screen());
    }
    assert!(pages > 10);
    assert!(ui.screen().contains("rm -rf ~"), "{}", ui.screen());
    let expected = "1: Choose { option: \"yes\", remember: Once }\n";
    assert_eq!(answers(&mut ui, "<Enter>"), expected);
}

#[test]
fn a_window_that_shrinks_takes_the_answer_back() {
    let mut ui = test_ui().size(80, 24);
    let path = "/code/project/src/deep/down/in/a/module/tree.rs";
    ui.event(Event::PermissionRequested(Box::new(edit(&[path]))));
    ui.press("<Tab><Down>");
    ui = ui.size(24, 8);
    ui.press_unseen("<Enter>");
    assert_eq!(answers(&mut ui, "<Enter>"), "");
    ui = ui.size(10, 3);
    let given = answers(&mut ui, "<Enter><Down><Enter>");
    assert!(!given.contains("yes"), "{given}");
}

/// For any sizes before and after a resize: an Enter before the new size is drawn allows nothing, and a later one
/// allows only what the new size shows.
#[test]
fn a_resize_between_showing_and_enter_grants_nothing() {
    let sizes = [(24, 8), (40, 12), (80, 24), (120, 40), (10, 3), (40, 8)];
    for prompt in prompts() {
        let facts = essentials(&prompt);
        for (before, after) in sizes
            .iter()
            .flat_map(|one| sizes.map(|other| (*one, other)))
        {
            let mut ui = test_ui().size(before.0, before.1);
            ui.event(Event::PermissionRequested(Box::new(prompt.clone())));
            ui.press("<Tab><Down>");
            ui.screen();
            let mut ui = ui.size(after.0, after.1);
            ui.press_unseen("<Enter>");
            let given = answers(&mut ui, "");
            if before != after {
                assert!(!given.contains("yes"), "{before:?} to {after:?}");
            }
            let seen = words_of(&ui.screen());
            if answers(&mut ui, "<Enter>").contains("yes") {
                for fact in &facts {
                    assert!(seen.contains(fact), "{fact} at {after:?}: {seen}");
                }
            }
        }
    }
}

/// For every size at which something can be allowed, its subject is on the screen.
#[test]
fn everything_that_can_be_allowed_is_on_the_screen() {
    for prompt in prompts() {
        let facts = essentials(&prompt);
        for columns in [10, 23, 24, 31, 40, 57, 80, 120] {
            for rows in (3..=18).chain([24, 31, 40]) {
                check_size(&prompt, &facts, columns, rows);
            }
        }
    }
}

fn check_size(prompt: &PermissionPrompt, facts: &[String], columns: u16, rows: u16) {
    let mut ui = test_ui().size(columns, rows);
    ui.event(Event::PermissionRequested(Box::new(prompt.clone())));
    ui.press("<Tab><Down>");
    let mut seen = words_of(&ui.screen());
    let is_granted = |ui: &mut TestUi| answers(ui, "<Enter>").contains("yes");
    if is_granted(&mut ui) {
        for fact in facts {
            assert!(seen.contains(fact), "{fact} at {columns}x{rows}: {seen}");
        }
        return;
    }
    // After scrolling to the end, all of it has been on the screen.
    for _ in 0..300 {
        ui.press("<PgDn>");
        let screen = ui.screen();
        seen.push_str(&words_of(&screen));
        if !screen.contains("first") {
            break;
        }
    }
    if is_granted(&mut ui) {
        for fact in facts {
            // Consecutive rows have been on one screen.
            for line in fact.split('⏎') {
                let chars: Vec<char> = line.chars().collect();
                for part in chars.windows(chars.len().clamp(1, 8)) {
                    let part: String = part.iter().collect();
                    assert!(seen.contains(&part), "{part} at {columns}x{rows}: {seen}");
                }
            }
        }
    }
}

/// The content of the box, without margins, spaces, borders and line breaks.
fn words_of(screen: &str) -> String {
    let rows = screen.lines().filter_map(|row| row.strip_prefix("|│"));
    let rows = rows.map(|row| row.trim_end_matches('│'));
    let theirs = rows.map(|row| row.split_once('┊').map_or(row, |(_, theirs)| theirs));
    theirs
        .flat_map(str::chars)
        .filter(|char| *char != ' ')
        .collect()
}

fn prompts() -> Vec<PermissionPrompt> {
    let mut run = permission_prompt(1, &["make"], "Build");
    run.subject = PromptSubject::HostRequest(HostRequest::Run {
        command: vec!["make".to_owned(), "all the things".to_owned()],
        cwd: Some(PathBuf::from("/code/project/deep/in/the/tree")),
        env: vec![v1::EnvVariable::new("CFLAGS", "-O2 -g")],
    });
    vec![
        permission_prompt(1, &["ls"], "List"),
        permission_prompt(
            1,
            &[
                "cargo",
                "test",
                "--workspace",
                "--all-targets",
                "--",
                "one test",
            ],
            "Test",
        ),
        permission_prompt(
            1,
            &[
                "sh",
                "-c",
                &format!("# {}\nrm -rf ~", "list files ".repeat(20)),
            ],
            "List files",
        ),
        run,
        with_input(),
        edit(&["/code/project/src/main.rs"]),
        edit(&[
            "/code/project/src/a/long/way/down/to/the/file.rs",
            "/etc/passwd",
        ]),
    ]
}

/// A command with additional input.
fn with_input() -> PermissionPrompt {
    let mut prompt = permission_prompt(1, &["make"], "Build");
    let input = r#"{"command":"make","stdin":"a text","background":true}"#;
    let mut call = v1::ToolCall::new("c1", "Build");
    call.raw_input = Some(attache::json::from_str(input).unwrap());
    set_tool_call(&mut prompt, call);
    prompt
}

fn edit(paths: &[&str]) -> PermissionPrompt {
    let mut prompt = permission_prompt(1, &[], "Fix typo");
    prompt.action.kind = v1::ToolKind::Edit;
    prompt.action.command = None;
    prompt.action.paths = paths.iter().map(PathBuf::from).collect();
    let diff = v1::Diff::new(paths[0], "new\n".repeat(30)).old_text("old\n".repeat(30));
    let call = v1::ToolCall::new("c1", "Fix typo").content([diff]);
    set_tool_call(&mut prompt, call);
    prompt
}

/// The texts that have to be on the screen: the command, the directory and the files, without spaces.
fn essentials(prompt: &PermissionPrompt) -> Vec<String> {
    let action = &prompt.action;
    let mut facts: Vec<String> = match &prompt.subject {
        PromptSubject::HostRequest(HostRequest::Run { command, cwd, .. }) => {
            let cwd = cwd.clone().unwrap_or_default();
            vec![visible_command(command), cwd.to_string_lossy().into_owned()]
        }
        _ => action.command.iter().map(visible_command).collect(),
    };
    let paths = action.paths.iter().map(|path| path.to_string_lossy());
    facts.extend(paths.map(|path| visible(&path).into_owned()));
    let input = prompt.other_input().into_iter();
    facts.extend(input.map(|(name, value)| format!("{name} = {value}")));
    facts.iter().map(|fact| fact.replace(' ', "")).collect()
}

#[test]
fn a_lasting_answer_that_does_not_fit_is_not_given() {
    let mut ui = test_ui().size(40, 12);
    let mut prompt = permission_prompt(1, &["make"], "Build");
    prompt.action.workspace = PathBuf::from(format!("/{}", "deep/".repeat(60)));
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.press("<Tab>");
    assert!(ui.screen().contains("Too small"), "{}", ui.screen());
    drop(ui);
    let mut ui = test_ui().size(80, 24);
    ask(&mut ui, 1);
    choose(&mut ui, "in this workspace");
    ui = ui.size(24, 8);
    assert_eq!(answers(&mut ui, "<Enter><Enter>"), "");
}
