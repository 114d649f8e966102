//! Hostile text in every place of every dialog that shows untrusted text: each of its rows is marked, and our own rows
//! are the same as with harmless text.

use std::path::PathBuf;
use std::sync::Arc;

use attache::v1;
use attache_client::conversation::LoginCommand;
use attache_client::event::{Event, HostRequest, PermissionPrompt, ProgramStart, PromptSubject};
use attache_host::permissions::{DiskComparison, Scope};
use attache_testkit::hostile::{forged_rows, some_texts};

use super::test_ui::{TestUi, permission_prompt, set_tool_call, test_ui};
use crate::chat::Input;
use crate::paint::theme::SignSet;

/// Occurs in every untrusted text and in none of ours.
const MARK: char = 'Ω';

#[test]
fn no_untrusted_row_looks_like_one_of_ours() {
    for (row, width) in [
        ("in ┊ /safe", 24),
        ("in ┊ /safe", 40),
        ("Allow once", 60),
        ("│ ! Outside", 100),
    ] {
        let texts = forged_rows(row, width.into());
        check_all(&texts, width, SignSet::Unicode);
    }
}

#[test]
fn no_untrusted_row_looks_like_one_of_ours_in_ascii() {
    check_all(&forged_rows("command : ls", 60), 60, SignSet::Ascii);
}

#[test]
fn hostile_characters_do_not_leave_their_rows() {
    check_all(&some_texts(), 60, SignSet::Unicode);
}

#[test]
fn a_report_of_a_decision_is_one_row_that_begins_with_ours() {
    let mut texts = some_texts();
    texts.extend(forged_rows("allowed always with this agent", 80));
    for text in texts {
        let mut ui = test_ui().size(80, 20);
        let what = attache_text::plain::visible(&marked(&text)).into_owned();
        ui.event(Event::DecisionRemembered {
            expiry: attache_host::permissions::Expiry::Never,
            id: "d1".to_owned(),
            session: "s1".into(),
            summary: what,
            scope: Scope::Session,
            is_allowed: true,
        });
        let screen = ui.screen();
        let marked: Vec<&str> = screen.lines().filter(|row| row.contains(MARK)).collect();
        assert_eq!(marked.len(), 1, "{screen}");
        assert!(
            marked[0].starts_with("| allowed in this session ┊ Ω"),
            "{screen}"
        );
        assert!(marked[0].contains("Alt-U undo"), "{screen}");
    }
}

fn check_all(texts: &[String], width: u16, signs: SignSet) {
    for (number, (name, request)) in REQUESTS.iter().enumerate() {
        for (step, keys) in KEYS.iter().enumerate() {
            let harmless = screens(*request, "x", width, signs, keys);
            // Each text is tested in a third of the requests, and in one of the steps there.
            let chosen = texts
                .iter()
                .enumerate()
                .filter(|(at, _)| (at + number) % 3 == 0 && (at / 3 + number) % KEYS.len() == step);
            for (_, text) in chosen {
                let hostile = screens(*request, &marked(text), width, signs, keys);
                check(name, text, &hostile, &harmless, signs);
            }
        }
    }
}

/// The text with the mark around it and in front of each of its words.
fn marked(text: &str) -> String {
    let mut marked = String::from(MARK);
    for char in text.chars() {
        if char != ' ' && marked.ends_with(' ') {
            marked.push(MARK);
        }
        marked.push(char);
    }
    marked.push(MARK);
    marked
}

fn check(name: &str, text: &str, hostile: &str, harmless: &str, signs: SignSet) {
    let bar = match signs {
        SignSet::Unicode => "┊",
        SignSet::Ascii => ":",
    };
    for row in rows(hostile) {
        let (ours, theirs) = row.split_once(bar).unwrap_or((row, ""));
        let is_labelled = LABELS.contains(&label(ours));
        assert!(
            !ours.contains(MARK) && (is_labelled || !theirs.contains(MARK)),
            "{name}: {text:?} in {row:?}:\n{hostile}"
        );
    }
    let own = |screen| {
        let own = rows(screen).filter(|row| !row.contains(bar) && !is_optional(row));
        own.collect::<Vec<_>>()
    };
    assert_eq!(own(hostile), own(harmless), "{name}: {text:?}:\n{hostile}");
}

/// The label before the bar, without the number of a part and the selection sign.
fn label(ours: &str) -> &str {
    let ours = ours.trim_matches([' ', '▌', '#']);
    match ours.strip_prefix("part ") {
        Some(number) if number.parse::<u32>().is_ok() => "part",
        _ => ours,
    }
}

/// Whether a row is a remark that appears only with some texts, or a row that not every text leaves room for.
fn is_optional(row: &str) -> bool {
    let row = row.replace(|char: char| char.is_ascii_digit(), "N");
    row.is_empty() || REMARKS.iter().any(|remark| remark.contains(&row))
}

fn rows(screen: &str) -> impl Iterator<Item = &str> {
    let rows = screen.lines().filter_map(|row| {
        let row = row.strip_prefix("|│").or(row.strip_prefix("||"))?;
        row.strip_suffix('│').or(row.strip_suffix('|'))
    });
    rows.map(str::trim)
}

fn screens(request: Request, text: &str, width: u16, signs: SignSet, keys: &str) -> String {
    let mut ui = TestUi::new(signs);
    ui.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    ui.open_session("s1");
    let mut ui = ui.size(width, (7200 / width).max(200));
    request(&mut ui, text);
    ui.press(keys);
    ui.screen()
}

type Request = fn(&mut TestUi, &str);

/// The screens of the summary, the details, and the confirmation of an option that the agent remembers.
const KEYS: [&str; 3] = ["<Tab>", "<Tab><A-d>", "<Tab><Down><Enter>"];

const REQUESTS: &[(&str, Request)] = &[
    ("tool call", |ui, text| ask(ui, tool_call(text))),
    ("shell line", |ui, text| {
        let line = format!("echo {text}; cat '{text}' $x");
        let mut prompt = tool_call(text);
        prompt.action.command = Some(vec![line]);
        ask(ui, prompt);
    }),
    ("edit", |ui, text| ask(ui, edit(text))),
    ("tool", |ui, text| {
        let mut prompt = tool_call(text);
        prompt.action.command = None;
        prompt.action.paths.clear();
        ask(ui, prompt);
    }),
    ("host request", |ui, text| {
        let mut prompt = tool_call(text);
        prompt.subject = PromptSubject::HostRequest(HostRequest::Run {
            command: vec!["make".to_owned(), text.to_owned()],
            cwd: Some(format!("/{text}").into()),
            env: vec![v1::EnvVariable::new(text, text)],
        });
        ask(ui, prompt);
    }),
    ("exec", |ui, text| {
        let mut prompt = tool_call(text);
        prompt.subject = PromptSubject::Exec(ProgramStart {
            program: format!("/bin/{text}").into(),
            name: format!("/bin/{text}"),
            argv: vec![text.to_owned(), text.to_owned()],
            cwd: format!("/{text}").into(),
            env: vec![v1::EnvVariable::new(text, text)],
            parents: vec![text.to_owned(), "sh".to_owned()],
            rule: text.to_owned(),
        });
        ask(ui, prompt);
    }),
    ("form", form),
    ("page", page),
    ("malformed page", malformed_page),
    ("login", |ui, text| {
        ui.input(Input::LoginDescribed(Box::new(LoginCommand {
            method: text.into(),
            words: vec!["login".to_owned(), text.to_owned()],
            directory: text.to_owned(),
            variables: vec![(text.to_owned(), v1::EnvVariable::new("x", text).value)],
        })));
    }),
    ("agent that has exited", |ui, text| {
        ui.event(Event::AgentExited {
            reason: text.to_owned(),
            stderr: vec![text.to_owned()],
        });
    }),
];

fn ask(ui: &mut TestUi, prompt: PermissionPrompt) {
    ui.event(Event::PermissionRequested(Box::new(prompt)));
}

fn tool_call(text: &str) -> PermissionPrompt {
    let mut prompt = permission_prompt(1, &["echo", text], text);
    let action = &mut prompt.action;
    action.agent = text.to_owned();
    action.tool = Some(text.to_owned());
    action.workspace = format!("/w/{text}").into();
    action.directory = Some(format!("/w/{text}/{text}").into());
    action.paths = vec![
        PathBuf::from(format!("/w/{text}/a")),
        PathBuf::from(format!("/{text}/b")),
    ];
    // The files on disk depend on the text, too.
    action.on_disk = Some(Arc::default());
    action.kind = v1::ToolKind::Unknown(text.into());
    prompt.options = vec![
        v1::PermissionOption::new("always", text, v1::PermissionOptionKind::AllowAlways),
        v1::PermissionOption::new("yes", text, v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("odd", text, v1::PermissionOptionKind::Other(text.into())),
    ];
    let string = serde_json::Value::from(text);
    let input = format!("{{\"command\":\"echo\",{string}:{string},\"nested\":{{{string}:1}}}}");
    let content: v1::ToolCallContent = v1::ContentBlock::from(text).into();
    let mut call = v1::ToolCall::new("c1", text).content([content]);
    call.raw_input = Some(attache::json::from_str(&input).unwrap());
    call.locations = vec![v1::ToolCallLocation::new(format!("/w/{text}/a"))];
    set_tool_call(&mut prompt, call);
    prompt
}

fn edit(text: &str) -> PermissionPrompt {
    let mut prompt = tool_call(text);
    prompt.action.command = None;
    prompt.action.kind = v1::ToolKind::Edit;
    let line = text.replace(['\n', '\r'], " ");
    let diff = v1::Diff::new(format!("/w/{text}/a"), format!("new {line}\n")).old_text("old\n");
    set_tool_call(&mut prompt, v1::ToolCall::new("c1", text).content([diff]));
    prompt.changes[0].disk = DiskComparison::Unknown(text.to_owned());
    prompt
}

fn form(ui: &mut TestUi, text: &str) {
    use v1::ElicitationPropertySchema as Property;
    let mut one = v1::StringPropertySchema::new().title(text);
    one.description = Some(text.to_owned());
    one.one_of = Some(vec![v1::EnumOption::new("a", text)]);
    let schema = v1::ElicitationSchema::new()
        .title(text)
        .properties([(text, Property::String(one))]);
    elicit(
        ui,
        text,
        v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema)),
    );
}

fn page(ui: &mut TestUi, text: &str) {
    let path = text.replace(|char: char| char.is_control() || char.is_whitespace(), "-");
    let url = format!("https://h.test/{path}");
    let mode = v1::ElicitationUrlMode::new("e1", url.as_str());
    elicit(ui, text, v1::ElicitationMode::Url(mode));
}

fn malformed_page(ui: &mut TestUi, text: &str) {
    let mode = v1::ElicitationUrlMode::new("e1", format!("https: {text}"));
    elicit(ui, text, v1::ElicitationMode::Url(mode));
}

fn elicit(ui: &mut TestUi, text: &str, mode: v1::ElicitationMode) {
    let scope = v1::ElicitationScope::Session(v1::ElicitationSessionScope::new("s1"));
    let request = v1::CreateElicitationRequest::new(text, scope, mode);
    ui.event(Event::FormRequested {
        form: 3,
        request: Box::new(request),
    });
}

/// Our words in front of untrusted text.
const LABELS: &[&str] = &[
    "Can't be chosen",
    "",
    "Allow once",
    "Always allow",
    "Can't be chosen (unknown kind)",
    "( )",
    "(•)",
    "(*)",
    "agent",
    "at",
    "because",
    "binary",
    "called",
    "changed",
    "command",
    "link to",
    "file",
    "from",
    "host",
    "in",
    "input",
    "kind",
    "option",
    "Unknown answer",
    "part",
    "program",
    "rule",
    "session",
    "title",
    "tool",
    "with",
];

const REMARKS: &[&str] = &[
    "With N line of text from the agent: see all details (Alt-D)",
    "With N lines of text from the agent: see all details (Alt-D)",
    "! A shell line can run several commands.",
    "! The shell fills in the text in ‹ › when the line runs.",
    "! Right-to-left text: your terminal may show the words in another order.",
];
