//! Pickers and the help page.

use attache::v1;
use expect_test::expect;

use super::test_ui::{TestUi, test_ui};

#[test]
fn help() {
    let mut ui = test_ui().size(100, 30);
    ui.press("?");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ Help ────────────────────────────────────────────────────────────────────────────────────────────╮
        |│ Writing                                                                                          │
        |│ Enter         send; queued while a turn is running                                               │
        |│ Alt-Enter     new line, also Ctrl-J                                                              │
        |│ /             agent commands                                                                     │
        |│ @             mention a file                                                                     │
        |│ ↑ ↓           earlier prompts                                                                    │
        |│ Ctrl-Z  Alt-Z undo, redo                                                                         │
        |│ Esc           close what is open, then cancel the turn                                           │
        |│ Ctrl-C        clear, then cancel the turn; twice: quit                                           │
        |│ PgUp PgDn     scroll                                                                             │
        |│ Tab           to a request and back, while the composer is empty                                 │
        |│                                                                                                  │
        |│ Commands                                                                                         │
        |│ Ctrl-P        All commands                                                                       │
        |│ Ctrl-N        New session in a new tab                                                           │
        |│ Ctrl-O        Sessions: load, resume, fork, delete                                               │
        |│               Fork this session                                                                  │
        |│ Ctrl-X        Close this tab                                                                     │
        |│ Alt-.         Next tab                                                                           │
        |│ Alt-,         Previous tab                                                                       │
        |│ ↑↓ scroll · Esc close                                                                            │
        |╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn the_palette_is_filtered() {
    let mut ui = test_ui();
    ui.press("<C-p>exp");
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
        |╭ Commands ────────────────────────────────────────────────╮
        |│ › exp                                                    │
        |│ ▌  Export as JSON                                        │
        |│    Export as Markdown  Alt-E                             │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

/// A session with grouped models and a boolean option.
fn with_options() -> TestUi {
    let mut ui = test_ui();
    let choice = |value: &str, name: &str| v1::SessionConfigSelectOption::new(value, name);
    let groups = v1::SessionConfigSelectOptions::Grouped(vec![
        v1::SessionConfigSelectGroup::new("fast", "Fast", [choice("s", "Small")]),
        v1::SessionConfigSelectGroup::new("good", "Good", [choice("l", "Large")]),
    ]);
    let model = v1::SessionConfigSelect::new("l", groups);
    let model =
        v1::SessionConfigOption::new("model", "Model", v1::SessionConfigKind::Select(model))
            .category(v1::SessionConfigOptionCategory::Model);
    let web = v1::SessionConfigBoolean::new(true);
    let web =
        v1::SessionConfigOption::new("web", "Web search", v1::SessionConfigKind::Boolean(web));
    ui.update(v1::ConfigOptionUpdate::new([model, web]));
    ui
}

#[test]
fn a_model_is_chosen_from_its_group_and_a_boolean_option_is_toggled() {
    let mut ui = with_options();
    ui.press("<A-o>");
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
        |╭ Options ─────────────────────────────────────────────────╮
        |│ › type to filter                                         │
        |│ ▌  Model       Large                                     │
        |│    Web search  on                                        │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready · Large · Web search: on
    "#]]);
    ui.press("<Enter>");
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
        |╭ Model ───────────────────────────────────────────────────╮
        |│ › type to filter                                         │
        |│ Fast                                                     │
        |│    Small                                                 │
        |│ Good                                                     │
        |│ ▌✓ Large                                                 │
        |│ ↑↓ select · Enter choose · Esc close                     │
        |╰──────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────
        |›
        | ready · Large · Web search: on
    "#]]);
    ui.press("<Up><Enter><A-o><Down><Enter>");
    expect![[r#"
        [
            Submit(
                SetOption {
                    session: "s1",
                    option: "model",
                    value: ValueId(
                        "s",
                    ),
                },
            ),
            Submit(
                SetOption {
                    session: "s1",
                    option: "web",
                    value: Boolean(
                        false,
                    ),
                },
            ),
        ]"#]]
    .assert_eq(&format!("{:#?}", ui.take_effects()));
}

#[test]
fn the_palette_offers_only_available_actions() {
    let mut ui = test_ui().size(80, 60);
    ui.press("<C-p>");
    let idle = ui.screen();
    ui.press("<Esc>");
    ui.start_turn("go");
    ui.press("<C-p>");
    let running = ui.screen();
    let has = |name: &str| [&idle, &running].map(|screen| screen.contains(name));
    assert_eq!(has("Cancel the turn"), [false, true]);
    assert_eq!(has("Fork this session"), [true, true]);
    assert_eq!(has("Next tab"), [false, false]);
    assert_eq!(has("Log out"), [false, false]);
}
