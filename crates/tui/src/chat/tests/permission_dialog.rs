//! Permission requests: how they look, and which keys answer them.

use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_client::command::Command;
use attache_client::event::Event;
use expect_test::{Expect, expect};

use super::test_ui::{TestUi, permission_prompt, set_tool_call, test_ui};
use crate::chat::{Effect, Input};

pub(super) fn ask(ui: &mut TestUi, number: u64) {
    let asked = permission_prompt(number, &["cargo", "test", "--", "a b"], "Run the tests");
    ui.event(Event::PermissionRequested(Box::new(asked)));
}

/// Presses keys and compares the answers that were given.
pub(super) fn check(ui: &mut TestUi, keys: &str, expected: &Expect) {
    ui.take_effects();
    expected.assert_eq(&answers(ui, keys));
}

/// Presses keys and returns the answers so far.
pub(super) fn answers(ui: &mut TestUi, keys: &str) -> String {
    ui.press(keys);
    let answers = ui
        .take_effects()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Submit(Command::AnswerPermission { prompt, answer, .. }) => {
                Some(format!("{prompt}: {answer:?}\n"))
            }
            _ => None,
        });
    answers.collect()
}

#[test]
fn only_enter_on_a_selected_answer_answers() {
    for (keys, answer) in [
        (
            "<Down><Enter>",
            "1: Choose { option: \"yes\", remember: Once }\n",
        ),
        (
            "<Down><Down><Enter>",
            "1: Choose { option: \"no\", remember: Once }\n",
        ),
        ("<Up><Enter>", "1: Dismiss\n"),
        ("<Enter>", ""),
        ("<Enter><Enter><Enter>", ""),
        (" ", ""),
        ("<Esc>", ""),
        ("<Esc><Enter>", ""),
        ("<Down>yswanNt", ""),
        ("<Down><Esc><Tab><Enter>", ""),
        ("<Down><C-m><A-Enter>", ""),
    ] {
        let mut ui = test_ui();
        ask(&mut ui, 1);
        ui.press("<Tab>");
        assert_eq!(answers(&mut ui, keys), answer, "{keys}");
    }
}

#[test]
fn a_request_has_no_keys_until_the_user_moves_in() {
    let mut ui = test_ui();
    ui.press("hel");
    ask(&mut ui, 1);
    ui.wait(Duration::from_secs(60));
    check(&mut ui, "y", &expect![""]);
    assert_eq!(ui.app.tab().composer.editor.text(), "hely");
    assert!(ui.screen().contains("Alt-R to answer"));
    check(
        &mut ui,
        "<Tab><Down><A-r><Down><Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
    ui.press("lo");
    assert_eq!(ui.app.tab().composer.editor.text(), "helylo");
}

#[test]
fn tab_does_not_move_into_a_request_that_was_not_on_the_screen() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ui.press_unseen("<Tab><Down><Enter>");
    assert!(!ui.app.request_has_keys());
    assert_eq!(answers(&mut ui, ""), "");
}

#[test]
fn an_answer_that_was_not_on_the_screen_grants_nothing() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ui.press("<Tab>");
    ui.wait(Duration::from_secs(1));
    ui.press_unseen("<Down><Enter>");
    assert_eq!(answers(&mut ui, ""), "");
    let screen = ui.screen();
    assert!(screen.contains("press Enter again"), "{screen}");
    check(
        &mut ui,
        "<Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

#[test]
fn the_next_request_has_to_be_entered_again() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ask(&mut ui, 2);
    check(
        &mut ui,
        "<Tab><Down><Enter><Down><Enter><Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
    check(
        &mut ui,
        "<Tab><Down><Down><Enter>",
        &expect![[r#"
            2: Choose { option: "no", remember: Once }
        "#]],
    );
}

#[test]
fn a_request_that_is_withdrawn_is_gone() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ui.press("draft<A-r><Down>");
    ui.event(Event::PermissionWithdrawn(1));
    // The Enter was meant for the request, so it does not send the draft either.
    ui.take_effects();
    ui.press("<Enter>");
    assert_eq!(ui.take_effects(), []);
    assert_eq!(ui.app.tab().composer.editor.text(), "draft");
    // Esc does not cancel the turn either.
    ui.start_turn("work");
    ui.press("<Esc><Enter>");
    assert_eq!(ui.take_effects(), []);
    ui.wait(Duration::from_secs(1));
    ui.press("<Enter>");
    assert!(matches!(
        ui.take_effects()[..],
        [Effect::Submit(Command::Prompt { .. })]
    ));
}

#[test]
fn clicks_enter_and_select_but_never_answer() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    let screen = ui.screen();
    let row = screen.lines().position(|row| row.contains("Sure")).unwrap();
    let click = |ui: &mut TestUi, row: usize| {
        ui.click(6, u16::try_from(row).unwrap());
    };
    for _ in 0..3 {
        click(&mut ui, row);
    }
    assert_eq!(answers(&mut ui, ""), "");
    assert!(ui.app.request_has_keys());
    click(&mut ui, 2);
    assert!(!ui.app.request_has_keys());
    click(&mut ui, row);
    assert_eq!(
        answers(&mut ui, "<Enter>"),
        "",
        "the first click only enters"
    );
    click(&mut ui, row);
    check(
        &mut ui,
        "<Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

#[test]
fn a_paste_into_a_request_goes_to_the_composer() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ui.press("<Tab><Down>");
    ui.input(Input::Paste("y\nyes".to_owned()));
    assert_eq!(ui.app.tab().composer.editor.text(), "y\nyes");
    assert!(!ui.app.request_has_keys());
    assert_eq!(answers(&mut ui, ""), "");
}

#[test]
fn every_option_of_the_agent_is_listed_and_can_be_chosen() {
    let mut ui = test_ui().size(76, 26);
    let mut prompt = permission_prompt(1, &["npm", "test"], "Test");
    prompt.options = many_options();
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.press("<Tab><Down><Down>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        |╭ Run a command? ──────────────────────────────────────────────────────────╮
        |│ command ┊ npm test                                                       │
        |│ in      ┊ /code/project                                                  │
        |│ title   ┊ Test                                                           │
        |│   Always allow ┊ Yes, and accept edits                                   │
        |│ ▌ Always allow ┊ Yes, and use auto mode                                  │
        |│   Allow once                                                             │
        |│   Always allow ┊ Reject                                                  │
        |│   Reject once ┊ No, keep planning                                        │
        |│   Can't be chosen (unknown kind) ┊ Maybe                                 │
        |│ Or let Attaché remember the answer:                                      │
        |│   Allow, and don't ask again in this session                             │
        |│   Allow, and don't ask again in this workspace                           │
        |│   Allow, and don't ask again with this agent, anywhere                   │
        |│   Reject, and don't ask again in this workspace                          │
        |│   Dismiss (cancel the request)                                           │
        |╰ ↑↓ select · Enter choose · Esc back · Alt-D details ─────────────────────╯
        |────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    for (downs, expected) in [
        (1, "edits"),
        (2, "auto"),
        (3, "once"),
        (4, "trap"),
        (5, "plan"),
    ] {
        let mut ui = test_ui().size(76, 26);
        let mut prompt = permission_prompt(1, &["npm", "test"], "Test");
        prompt.options = many_options();
        ui.event(Event::PermissionRequested(Box::new(prompt)));
        let confirm = match expected {
            "once" | "plan" => "",
            _ => "<Enter>",
        };
        let keys = format!("<Tab>{}<Enter>{confirm}", "<Down>".repeat(downs));
        let answer = format!("1: Choose {{ option: \"{expected}\", remember: Once }}\n");
        assert_eq!(answers(&mut ui, &keys), answer);
    }
}

#[test]
fn an_ambiguous_option_cannot_be_chosen() {
    use v1::PermissionOptionKind as Kind;
    let mut ui = test_ui();
    let mut prompt = permission_prompt(1, &["ls"], "List");
    prompt.options = vec![
        v1::PermissionOption::new("a", "One", Kind::AllowOnce),
        v1::PermissionOption::new("a", "Other", Kind::RejectOnce),
    ];
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    check(&mut ui, "<Tab><Down><Enter><Down><Enter>", &expect![""]);
}

#[test]
fn without_an_option_to_allow_nothing_allows() {
    let mut ui = test_ui();
    let mut asked = permission_prompt(1, &["ls"], "List");
    asked
        .options
        .retain(|option| option.kind == v1::PermissionOptionKind::RejectOnce);
    ui.event(Event::PermissionRequested(Box::new(asked)));
    ui.press("<Tab>");
    assert!(!ui.screen().contains("Allow"));
    check(
        &mut ui,
        "<Down><Enter>",
        &expect![[r#"
            1: Choose { option: "no", remember: Once }
        "#]],
    );
}

fn many_options() -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind as Kind;
    let option = v1::PermissionOption::new;
    vec![
        option("edits", "Yes, and accept edits", Kind::AllowAlways),
        option("auto", "Yes, and use auto mode", Kind::AllowAlways),
        option("once", "Allow once", Kind::AllowOnce),
        option("trap", "Reject", Kind::AllowAlways),
        option("plan", "No, keep planning", Kind::RejectOnce),
        option("odd", "Maybe", Kind::Other("perhaps".into())),
    ]
}

#[test]
fn a_command_that_the_agent_calls_reading_is_shown_as_a_command() {
    let mut ui = test_ui();
    let mut asked = permission_prompt(1, &["rm", "-r", "src"], "Read a poem");
    asked.action.kind = v1::ToolKind::Read;
    ui.event(Event::PermissionRequested(Box::new(asked)));
    assert!(ui.screen().contains("Run a command?"));
}

#[test]
fn a_command_is_shown_word_by_word() {
    let mut ui = test_ui();
    ask(&mut ui, 1);
    ask(&mut ui, 2);
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ Run a command? (1 more request) ─────────────────────────╮
        |│ command ┊ cargo test -- 'a b'                            │
        |│ in      ┊ /code/project                                  │
        |│ title   ┊ Run the tests                                  │
        |│   Allow once ┊ Sure                                      │
        |│   Reject once ┊ Never                                    │
        |│ Or let Attaché remember the answer:                      │
        |│   Allow, and don't ask again in this session             │
        |│   Allow, and don't ask again in this workspace           │
        |│   Allow, and don't ask again with this agent, anywhere   │
        |│   Reject, and don't ask again in this workspace          │
        |│   Dismiss (cancel the request)                           │
        |╰ Tab to answer ───────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}

#[test]
fn a_file_is_shown_with_its_diff_and_its_location() {
    let mut ui = test_ui().size(100, 30);
    let mut asked = permission_prompt(1, &[], "Fix typo");
    asked.action.kind = v1::ToolKind::Edit;
    asked.action.command = None;
    asked.action.paths = vec![
        PathBuf::from("/code/project/src/main.rs"),
        PathBuf::from("/code/project/../other/lib.rs"),
        PathBuf::from("/code/project/.git/hooks/pre-commit"),
    ];
    let diff = v1::Diff::new("/code/project/src/main.rs", "fn main() {\n    new();\n}\n")
        .old_text("fn main() {\n    old();\n}\n");
    set_tool_call(
        &mut asked,
        v1::ToolCall::new("c1", "Fix typo").content([diff]),
    );
    ui.event(Event::PermissionRequested(Box::new(asked)));
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |
        |
        |╭ Edit files? ─────────────────────────────────────────────────────────────────────────────────────╮
        |│ file    ┊ /code/project/src/main.rs                                                              │
        |│ file    ┊ /code/project/../other/lib.rs                                                          │
        |│ ! Outside the workspace                                                                          │
        |│ file    ┊ /code/project/.git/hooks/pre-commit                                                    │
        |│ ! Protected file: a change here can grant rights later. You can allow it only once.              │
        |│ ┊ src/main.rs +1 -1                                                                              │
        |│ ┊ 1 1   fn main() {                                                                              │
        |│ ┊ 2   -     old();                                                                               │
        |│ ┊   2 +     new();                                                                               │
        |│ ┊ 3 3   }                                                                                        │
        |│ title   ┊ Fix typo                                                                               │
        |│   Allow once ┊ Sure                                                                              │
        |│   Reject once ┊ Never                                                                            │
        |│   Dismiss (cancel the request)                                                                   │
        |╰ Tab to answer ───────────────────────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}

#[test]
fn a_tool_without_command_and_files_is_shown_with_its_input() {
    let mut ui = test_ui();
    let mut question = permission_prompt(1, &[], "Tidy up");
    question.action.command = None;
    question.action.kind = v1::ToolKind::Other;
    question.action.tool = Some("mcp__forge__delete_repository".to_owned());
    let input = format!(r#"{{"owner":"ann","note":"{}"}}"#, "long ".repeat(200));
    let input: attache::json::Raw = attache::json::from_str(&input).unwrap();
    set_tool_call(
        &mut question,
        v1::ToolCall::new("c1", "Tidy up").raw_input(input),
    );
    ui.event(Event::PermissionRequested(Box::new(question)));
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |╭ Use an MCP tool? ────────────────────────────────────────╮
        |│ tool    ┊ mcp__forge__delete_repository                  │
        |│ ! A tool of an MCP server: the server decides what it    │
        |│ does, and where.                                         │
        |│ input   ┊ {"owner":"ann","note":"long long long long     │
        |│         ┊ long long long long long long long long long   │
        |│         ┊ long long long long long long long long long   │
        |│         ┊ long long long long long long long long long   │
        |│         ┊ long long long long long long long long long   │
        |│         ┊ long long long long long long long long long   │
        |│         ┊ long long long long long long long long long   │
        |│   Allow once ┊ Sure                                      │
        |│   Reject once ┊ Never                                    │
        |│ Or let Attaché remember the answer:                      │
        |│   Allow, and don't ask again in this session             │
        |╰ Tab to answer · 16 more lines to read first: PgDn · 4 m… ╯
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}

#[test]
fn a_request_in_another_tab_is_announced() {
    let mut ui = test_ui();
    ui.press("<C-n>");
    ui.open_session("s2");
    ask(&mut ui, 1);
    ui.check(&expect![[r#"
        | 1? new session │ 2 new session │
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        | ?       help
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | tab 1 has a request (Alt-1) · ready · Test Agent
    "#]]);
    ui.press("<A-1>");
    check(
        &mut ui,
        "<Tab><Down><Enter>",
        &expect![[r#"
            1: Choose { option: "yes", remember: Once }
        "#]],
    );
}

#[test]
fn a_shell_line_shows_its_parts_and_where_it_runs() {
    let mut ui = test_ui().size(64, 30);
    let line = "cd sub && git log | head; rm \"$x\" 'a b' > out";
    let mut prompt = permission_prompt(1, &[line], "List files");
    prompt.action.directory = Some(PathBuf::from("sub"));
    prompt.action.paths = vec![PathBuf::from("sub")];
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |
        | Enter   send your prompt
        | @  /    mention a file, run an agent command
        | Ctrl-P  all commands
        |╭ Run a shell line? ───────────────────────────────────────────╮
        |│ command ┊ cd sub && git log | head; rm "$x" 'a b' > out      │
        |│ part 1  ┊ cd sub                                             │
        |│ part 2  ┊ git log                                            │
        |│ part 3  ┊ head                                               │
        |│ part 4  ┊ rm ‹"$x"› 'a b' > out                              │
        |│ ! The shell fills in the text in ‹ › when the line runs.     │
        |│ in      ┊ /code/project/sub                                  │
        |│ ! A shell line can run several commands.                     │
        |│ title   ┊ List files                                         │
        |│   Allow once ┊ Sure                                          │
        |│   Reject once ┊ Never                                        │
        |│ Or let Attaché remember the answer:                          │
        |│   Allow, and don't ask again in this session                 │
        |│   Allow, and don't ask again in this workspace               │
        |│   Allow, and don't ask again with this agent, anywhere       │
        |│   Reject, and don't ask again in this workspace              │
        |│   Dismiss (cancel the request)                               │
        |╰ Tab to answer ───────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}
