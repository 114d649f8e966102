//! Hostile text wherever a user decides or reviews: every character is visible, and none acts on the terminal.

use attache::v1;
use attache_client::event::{Event, HostRequest, ProgramStart, PromptSubject};
use attache_client::print::{Colour, OutputTarget, PrintFormat, Printer, PrinterOutput};
use attache_host::permissions::ChangeSinceAllowed;
use attache_testkit::hostile::some_texts;
use attache_text::plain::{
    visible, visible_changed_line, visible_code, visible_command, visible_word,
};
use expect_test::{Expect, expect};

use super::test_ui::{permission_prompt, set_tool_call, test_ui};

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
            name: format!("/evil/{text}/git"),
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

/// What a process calls a program is not its name, and a word with spaces is not two words.
#[test]
fn a_program_is_shown_by_its_name_and_each_word_is_quoted() {
    check_program(
        "/w/bin/asky",
        "/w/bin/asky",
        &["make → git status"],
        &["sh", "/w/make → sh"],
        expect![[r#"
            | Test Agent · new session · /code/project
            |
            | Test Agent 1.0.0
            | in /code/project
            |╭ Start a program? ────────────────────────────────────────────────────╮
            |│ command ┊ /w/bin/asky                                                │
            |│ called  ┊ 'make → git status'                                        │
            |│ binary  ┊ /w/bin/asky                                                │
            |│ in      ┊ /code/project                                              │
            |│ The process waits until you answer.                                  │
            |│ rule    ┊ policy rule                                                │
            |│ from    ┊ '/w/make → sh' → sh → /w/bin/asky                          │
            |│   Allow once ┊ Sure                                                  │
            |│   Reject once ┊ Never                                                │
            |│ Or let Attaché remember the answer:                                  │
            |│   Allow, and don't ask again in this session                         │
            |│   Allow, and don't ask again in this workspace                       │
            |│   Allow, and don't ask again with this agent, anywhere               │
            |│   Reject, and don't ask again in this workspace                      │
            |│   Dismiss (cancel the request)                                       │
            |╰ ↑↓ select · Enter choose · Esc back · Alt-D details ─────────────────╯
            |────────────────────────────────────────────────────────────────────────
            |›
            | ready
        "#]],
    );
    check_program(
        "/w/git status",
        "/w/git status",
        &["git status"],
        &["sh"],
        expect![[r#"
            | Test Agent · new session · /code/project
            |
            | Test Agent 1.0.0
            | in /code/project
            |
            |╭ Start a program? ────────────────────────────────────────────────────╮
            |│ command ┊ '/w/git status'                                            │
            |│ binary  ┊ /w/git status                                              │
            |│ in      ┊ /code/project                                              │
            |│ The process waits until you answer.                                  │
            |│ rule    ┊ policy rule                                                │
            |│ from    ┊ sh → '/w/git status'                                       │
            |│   Allow once ┊ Sure                                                  │
            |│   Reject once ┊ Never                                                │
            |│ Or let Attaché remember the answer:                                  │
            |│   Allow, and don't ask again in this session                         │
            |│   Allow, and don't ask again in this workspace                       │
            |│   Allow, and don't ask again with this agent, anywhere               │
            |│   Reject, and don't ask again in this workspace                      │
            |│   Dismiss (cancel the request)                                       │
            |╰ ↑↓ select · Enter choose · Esc back · Alt-D details ─────────────────╯
            |────────────────────────────────────────────────────────────────────────
            |›
            | ready
        "#]],
    );
}

#[test]
fn another_name_of_a_program_is_shown_beside_its_own() {
    check_program(
        "/usr/bin/rm",
        "/usr/bin/rm",
        &["cargo", "victim"],
        &["bash"],
        expect![[r#"
            | Test Agent · new session · /code/project
            |
            | Test Agent 1.0.0
            | in /code/project
            |╭ Start a program? ────────────────────────────────────────────────────╮
            |│ command ┊ /usr/bin/rm victim                                         │
            |│ called  ┊ cargo                                                      │
            |│ binary  ┊ /usr/bin/rm                                                │
            |│ in      ┊ /code/project                                              │
            |│ The process waits until you answer.                                  │
            |│ rule    ┊ policy rule                                                │
            |│ from    ┊ bash → /usr/bin/rm victim                                  │
            |│   Allow once ┊ Sure                                                  │
            |│   Reject once ┊ Never                                                │
            |│ Or let Attaché remember the answer:                                  │
            |│   Allow, and don't ask again in this session                         │
            |│   Allow, and don't ask again in this workspace                       │
            |│   Allow, and don't ask again with this agent, anywhere               │
            |│   Reject, and don't ask again in this workspace                      │
            |│   Dismiss (cancel the request)                                       │
            |╰ ↑↓ select · Enter choose · Esc back · Alt-D details ─────────────────╯
            |────────────────────────────────────────────────────────────────────────
            |›
            | ready
        "#]],
    );
}

/// An agent that has asked is not said to have not; what has changed since is.
#[test]
fn a_change_since_the_answer_is_told() {
    let mut prompt = permission_prompt(1, &["./deploy.sh"], "");
    prompt.subject = PromptSubject::HostRequest(HostRequest::Run {
        command: vec!["./deploy.sh".to_owned()],
        cwd: None,
        env: Vec::new(),
    });
    let file = "/code/project/deploy.sh".into();
    prompt.change = Some(ChangeSinceAllowed::RunFiles(vec![file]));
    let mut ui = test_ui().size(72, 21);
    ui.event(Event::PermissionRequested(Box::new(prompt.clone())));
    ui.press("<Tab>");
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ Run a command? ──────────────────────────────────────────────────────╮
        |│ command ┊ ./deploy.sh                                                │
        |│ in      ┊ /code/project                                              │
        |│ ! A file that it runs has changed since this command was allowed.    │
        |│ changed ┊ /code/project/deploy.sh                                    │
        |│   Allow once ┊ Sure                                                  │
        |│   Reject once ┊ Never                                                │
        |│ Or let Attaché remember the answer:                                  │
        |│   Allow, and don't ask again in this session                         │
        |│   Allow, and don't ask again in this workspace                       │
        |│   Allow, and don't ask again with this agent, anywhere               │
        |│   Reject, and don't ask again in this workspace                      │
        |│   Dismiss (cancel the request)                                       │
        |╰ ↑↓ select · Enter choose · Esc back · Alt-D details ─────────────────╯
        |────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    for (change, told) in [
        (None, "Nothing that was allowed in this turn covers this."),
        (
            Some(ChangeSinceAllowed::File),
            "The file has changed since this change was allowed.",
        ),
        (
            Some(ChangeSinceAllowed::Content),
            "This is not the change that was allowed",
        ),
        (
            Some(ChangeSinceAllowed::Target),
            "The path leads to a file that was not named when",
        ),
    ] {
        prompt.change = change;
        let mut ui = test_ui();
        ui.event(Event::PermissionRequested(Box::new(prompt.clone())));
        assert!(ui.screen().contains(told), "{told}: {}", ui.screen());
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
        set_tool_call(&mut prompt, call);
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
        set_tool_call(&mut prompt, call);
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
            format!("+{}", visible_changed_line(&format!("new {line}"))),
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

/// Compares the request about a program that is about to start.
fn check_program(program: &str, name: &str, argv: &[&str], parents: &[&str], expected: Expect) {
    let owned = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let mut prompt = permission_prompt(1, &[name], "");
    prompt.action.command = Some(vec![attache_text::shell::quote(name).into_owned()]);
    prompt.subject = PromptSubject::Exec(ProgramStart {
        program: program.into(),
        name: name.to_owned(),
        argv: owned(argv),
        cwd: "/code/project".into(),
        parents: owned(parents),
        env: Vec::new(),
        rule: "policy rule".to_owned(),
    });
    let mut ui = test_ui().size(72, 24);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.press("<Tab>");
    ui.check(&expected);
}
