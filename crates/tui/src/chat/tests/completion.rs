//! Completion of slash commands and mentions.

use attache::v1;
use attache_client::command::Command;
use expect_test::expect;

use super::test_ui::test_ui;
use crate::chat::{Effect, Input};

fn commands() -> v1::AvailableCommandsUpdate {
    let input = v1::AvailableCommandInput::Unstructured(v1::UnstructuredCommandInput::new(
        "what to look for",
    ));
    v1::AvailableCommandsUpdate::new([
        v1::AvailableCommand::new("compact", "Make the history shorter"),
        v1::AvailableCommand::new("search", "Search the web").input(input),
    ])
}

#[test]
fn commands_are_completed_and_hinted() {
    let mut ui = test_ui();
    ui.update(commands());
    ui.press("/");
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
        |
        |
        |
        |
        |▌ /compact  Make the history shorter
        |  /search  Search the web
        |────────────────────────────────────────────────────────────
        |› /
        | ready
    "#]]);
    ui.press("se<Tab>");
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
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› /search what to look for
        | ready
    "#]]);
    ui.press("rust<Enter>");
    let [Effect::Submit(Command::Prompt { content, .. })] = &ui.take_effects()[..] else {
        panic!("a prompt");
    };
    assert_eq!(content[0].as_text(), Some("/search rust"));
}

#[test]
fn a_whole_command_is_sent_by_one_enter() {
    let mut ui = test_ui();
    ui.update(commands());
    ui.press("/compact<Enter>");
    assert!(matches!(
        ui.take_effects()[..],
        [Effect::Submit(Command::Prompt { .. })]
    ));
}

#[test]
fn files_are_searched_once_and_can_be_mentioned() {
    let mut ui = test_ui();
    ui.press("see @m");
    let roots = vec!["/code/project".into()];
    assert_eq!(ui.take_effects(), [Effect::FindFiles(roots)]);
    let files = ["src/main.rs", "src/lib.rs", "my notes.md"];
    ui.input(Input::FilesFound(files.map(str::to_owned).to_vec()));
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
        |
        |
        |
        |
        |▌ src/main.rs
        |  my notes.md
        |────────────────────────────────────────────────────────────
        |› see @m
        | ready
    "#]]);
    ui.press("y<Enter>");
    assert_eq!(ui.app.tab().composer.editor.text(), "see @\"my notes.md\" ");
    ui.press("<Enter>");
    let [Effect::LoadAttachments { prompt, .. }] = &ui.take_effects()[..] else {
        panic!("files to read");
    };
    assert_eq!(prompt.mentions, ["my notes.md"]);
}

#[test]
fn an_email_address_is_not_a_mention() {
    let mut ui = test_ui();
    ui.press("write to ada@example.org<Enter>");
    assert!(matches!(
        ui.take_effects()[..],
        [Effect::Submit(Command::Prompt { .. })]
    ));
}

#[test]
fn any_path_can_be_attached() {
    let mut ui = test_ui();
    ui.press("<A-a>");
    ui.input(Input::FilesFound(vec!["logo.png".to_owned()]));
    ui.press("lo<Enter><A-a>");
    ui.input(Input::FilesFound(vec!["logo.png".to_owned()]));
    ui.press("/tmp/x.jpg<Enter>");
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
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |  attached [logo.png] [x.jpg]
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}
