//! Hostile text wherever a user decides or reviews: every character is visible, and none acts on the terminal.

use attache::v1;
use attache_client::event::{Event, HostRequest, ProgramStart, PromptSubject};
use attache_client::print::{Colour, OutputTarget, PrintFormat, Printer, PrinterOutput};
use attache_testkit::hostile::some_texts;
use attache_text::plain::{visible, visible_code, visible_command, visible_word};

use super::test_ui::{permission_prompt, test_ui};

#[test]
fn a_command_shows_all_that_it_runs() {
    for text in some_texts() {
        let words = vec!["echo".to_owned(), text.clone()];
        let mut prompt = permission_prompt(1, &["echo", &text], &text);
        prompt.options[0].name.clone_from(&text);
        check(prompt, &[&visible_command(&words), &visible(&text)]);
    }
}

#[test]
fn a_shell_line_shows_all_that_it_runs() {
    for text in some_texts() {
        let line = format!("echo hi {text}; echo done");
        check(
            permission_prompt(1, &[&line], "List files"),
            &[&visible(&line)],
        );
    }
}

#[test]
fn a_command_of_the_host_shows_directory_and_variables() {
    for text in some_texts() {
        let mut prompt = permission_prompt(1, &["make"], "");
        prompt.subject = PromptSubject::HostRequest(HostRequest::Run {
            command: vec!["make".to_owned()],
            cwd: Some(format!("/code/project/{text}").into()),
            env: vec![v1::EnvVariable::new("TAR_OPTIONS", text.as_str())],
        });
        let directory = visible(&format!("/code/project/{text}")).into_owned();
        let value = format!("TAR_OPTIONS={}", visible_word(&text));
        check(prompt, &[&directory, &value]);
    }
}

#[test]
fn a_program_shows_its_file_directory_and_variables() {
    for text in some_texts() {
        let mut prompt = permission_prompt(1, &["git", "push"], "");
        prompt.subject = PromptSubject::Exec(ProgramStart {
            program: format!("/evil/{text}/git").into(),
            argv: vec!["git".to_owned(), "push".to_owned(), text.clone()],
            cwd: format!("/code/project/{text}").into(),
            parents: vec!["sh".to_owned(), "make".to_owned()],
            env: vec![v1::EnvVariable::new("GIT_SSH_COMMAND", text.as_str())],
            rule: "policy rule".to_owned(),
        });
        let program = visible(&format!("/evil/{text}/git")).into_owned();
        let directory = visible(&format!("/code/project/{text}")).into_owned();
        let value = format!("GIT_SSH_COMMAND={}", visible_word(&text));
        check(prompt, &[&program, &directory, &value, "make → sh"]);
    }
}

#[test]
fn files_and_changes_are_shown_unchanged() {
    for text in some_texts() {
        let path = format!("/code/project/{text}/a.rs");
        let line = text.replace('\n', " ");
        let mut prompt = permission_prompt(1, &[], &text);
        prompt.action.kind = v1::ToolKind::Edit;
        prompt.action.command = None;
        prompt.action.paths = vec![path.clone().into()];
        let diff = v1::Diff::new(path.as_str(), format!("new {line}\n")).old_text("old\n");
        let call = v1::ToolCall::new("c1", text.as_str()).content([diff]);
        prompt.subject = PromptSubject::ToolCall(call);
        check(prompt, &[&visible(&path), &visible_code(&line)]);
    }
}

#[test]
fn a_tool_shows_its_input() {
    for text in some_texts() {
        let input = format!("{{\"note\":{}}}", serde_json::Value::from(text.as_str()));
        let mut prompt = permission_prompt(1, &[], "Note");
        prompt.action.kind = v1::ToolKind::Other;
        prompt.action.command = None;
        prompt.action.tool = Some(text.clone());
        let mut call = v1::ToolCall::new("c1", "Note");
        call.raw_input = Some(attache::json::from_str(&input).unwrap());
        prompt.subject = PromptSubject::ToolCall(call);
        check(prompt, &[&visible(&input), &visible(&text)]);
    }
}

#[test]
fn the_standard_error_of_run_is_shown_unchanged() {
    for text in some_texts() {
        let mut printer = Printer::new(PrintFormat::Text, OutputTarget::Terminal, Colour::Off);
        let line = text.replace(['\n', '\r'], " ");
        let diff = v1::Diff::new(format!("/w/{text}"), format!("new {line}\n")).old_text("old\n");
        let call = v1::ToolCall::new("c1", text.as_str())
            .status(v1::ToolCallStatus::Completed)
            .content([diff]);
        let news = v1::SessionNotification::new("s1", v1::SessionUpdate::ToolCall(call));
        let started = Event::TurnStarted {
            session: "s1".into(),
            content: Vec::new(),
        };
        let mut pieces = printer.print_event(&started);
        pieces.extend(printer.print_event(&Event::Update(Box::new(news))));
        let notes = pieces.into_iter().filter_map(|piece| match piece {
            PrinterOutput::Note(note) => Some(note),
            PrinterOutput::Answer(_) => None,
        });
        let notes: Vec<String> = notes.collect();
        let notes = notes.join("\n");
        assert_eq!(notes.chars().find(is_raw), None, "{text:?}: {notes:?}");
        for shown in [
            format!("tool: {}", visible(&text)),
            format!("+{}", visible_code(&format!("new {line}"))),
        ] {
            assert!(notes.contains(&shown), "{text:?}: {notes}");
        }
    }
}

/// Shows a request with all its details, and looks for texts on the screen, ignoring spaces and line breaks.
fn check(prompt: attache_client::event::PermissionPrompt, texts: &[&str]) {
    let mut ui = test_ui().size(160, 60);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.press("<Tab>d");
    let screen = ui.screen();
    assert_eq!(screen.chars().find(is_raw), None, "{screen}");
    let rows = screen.lines().filter_map(|row| row.strip_prefix("|│"));
    let rows = rows.map(|row| row.trim_end_matches('│'));
    let theirs = rows.map(|row| row.split_once('┊').map_or(row, |(_, theirs)| theirs));
    let seen: String = theirs
        .flat_map(str::chars)
        .filter(|char| *char != ' ')
        .collect();
    for text in texts {
        let wanted = text.replace(' ', "");
        assert!(seen.contains(&wanted), "{wanted:?} is not on\n{screen}");
    }
}

fn is_raw(char: &char) -> bool {
    *char != '\n' && attache_text::plain::is_hidden(*char)
}
