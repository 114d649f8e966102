//! Random keys, events and sizes: nothing panics, and nothing on the screen could act on a terminal.

use std::time::Duration;

use attache::v1;
use attache_client::event::{CommandFailure, Event, FailureKind};
use proptest::prelude::*;

use super::test_ui::{TestUi, agent, permission_prompt, test_ui};
use crate::chat::{Input, Steering};

#[derive(Debug, Clone)]
enum Step {
    Press(&'static str),
    Paste(String),
    Resize(u16, u16),
    Wait(u64),
    Says(String),
    Tell(u8, String),
}

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![
        "\\PC{0,30}",
        ".{0,10}",
        Just("\u{1b}[2J\u{202e}\r\n@a /b".to_owned())
    ];
    prop_oneof![
        8 => prop::sample::select(KEYS).prop_map(Step::Press),
        1 => text.clone().prop_map(Step::Paste),
        1 => (1_u16..220, 1_u16..60).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => (0_u64..2000).prop_map(Step::Wait),
        2 => text.clone().prop_map(Step::Says),
        3 => (0_u8..16, text).prop_map(|(which, text)| Step::Tell(which, text)),
    ]
}

fn send_event(ui: &mut TestUi, which: u8, text: &str) {
    match which {
        0 => ui.start_turn(text),
        1 => ui.end_turn(),
        2 => ui.update(v1::ToolCall::new("c", text)),
        3 => ui.event(Event::PermissionRequested(Box::new(permission_prompt(
            1,
            &["rm", text],
            text,
        )))),
        4 => ui.event(Event::PermissionWithdrawn(1)),
        5 => ui.event(Event::AgentExited {
            reason: text.to_owned(),
            stderr: vec![text.to_owned()],
        }),
        6 => ui.event(Event::AgentReady(Box::new(agent()))),
        7 => ui.open_session("s1"),
        8 => ui.input(Input::FilesFound(vec![text.to_owned()])),
        9 => ui.update(v1::SessionInfoUpdate::new().title(text)),
        10 => ui.event(Event::SessionsListed(v1::ListSessionsResponse::new([
            v1::SessionInfo::new("a", text),
        ]))),
        11 => ui.event(Event::QueueChanged {
            session: "s1".into(),
            waiting: vec![vec![text.into()]],
        }),
        12 => ui.event(form(text)),
        13 => ui.event(Event::CommandFailed(CommandFailure {
            operation: "session/new".to_owned(),
            reason: text.to_owned(),
            kind: FailureKind::Refused,
        })),
        14 => {
            let command = v1::AvailableCommand::new(text, text);
            ui.update(v1::AvailableCommandsUpdate::new([command]));
        }
        _ => ui.input(Input::Steering(Steering::Supported)),
    }
}

pub(super) fn form(text: &str) -> Event {
    let property = v1::StringPropertySchema::new().title(text).pattern(text);
    let property = v1::ElicitationPropertySchema::String(property);
    let schema = v1::ElicitationSchema::new().properties([(text, property)]);
    let scope = v1::ElicitationSessionScope::new("s1");
    let request = v1::CreateElicitationRequest::new(
        text,
        v1::ElicitationScope::Session(scope),
        v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema)),
    );
    Event::FormRequested {
        form: 1,
        request: Box::new(request),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn nothing_panics_and_nothing_acts_on_the_terminal(steps in prop::collection::vec(step(), 1..60)) {
        let mut ui = test_ui();
        for step in steps {
            match step {
                Step::Press(key) => ui.press(key),
                Step::Paste(text) => ui.input(Input::Paste(text)),
                Step::Resize(columns, rows) => ui = ui.size(columns, rows),
                Step::Wait(time) => ui.wait(Duration::from_millis(time)),
                Step::Says(text) => ui.agent_message(&text),
                Step::Tell(which, text) => send_event(&mut ui, which, &text),
            }
            let screen = ui.screen();
            let is_bad = |char: &char| *char != '\n' && attache_text::plain::is_hidden(*char);
            prop_assert_eq!(screen.chars().find(is_bad), None, "{}", screen);
        }
    }
}

const KEYS: &[&str] = &[
    "a", "y", "n", "d", "r", "q", "@", "/", "?", " ", "é", "<Enter>", "<Esc>", "<Tab>", "<S-Tab>",
    "<Up>", "<Down>", "<Left>", "<Right>", "<Home>", "<End>", "<PgUp>", "<PgDn>", "<BS>", "<Del>",
    "<C-a>", "<C-c>", "<C-f>", "<C-g>", "<C-j>", "<C-k>", "<C-n>", "<C-o>", "<C-p>", "<C-r>",
    "<C-s>", "<C-t>", "<C-u>", "<C-w>", "<C-x>", "<C-y>", "<C-z>", "<A-1>", "<A-2>", "<A-a>",
    "<A-b>", "<A-d>", "<A-e>", "<A-f>", "<A-m>", "<A-o>", "<A-q>", "<A-t>", "<A-z>", "<A-.>",
];
