//! Any keys, any events, any size: nothing panics, and nothing that could act on a terminal is on the screen.

use std::time::Duration;

use attache::v1;
use attache_client::event::{CommandFailure, Event, FailureKind};
use proptest::prelude::*;

use super::stage::{Stage, agent, asked, stage};
use crate::chat::{Input, Steering};

#[derive(Debug, Clone)]
enum Act {
    Press(&'static str),
    Paste(String),
    Resize(u16, u16),
    Wait(u64),
    Says(String),
    Tell(u8, String),
}

fn act() -> impl Strategy<Value = Act> {
    let text = prop_oneof![
        "\\PC{0,30}",
        ".{0,10}",
        Just("\u{1b}[2J\u{202e}\r\n@a /b".to_owned())
    ];
    prop_oneof![
        8 => prop::sample::select(KEYS).prop_map(Act::Press),
        1 => text.clone().prop_map(Act::Paste),
        1 => (1_u16..220, 1_u16..60).prop_map(|(columns, rows)| Act::Resize(columns, rows)),
        2 => (0_u64..2000).prop_map(Act::Wait),
        2 => text.clone().prop_map(Act::Says),
        3 => (0_u8..16, text).prop_map(|(which, text)| Act::Tell(which, text)),
    ]
}

fn tell(stage: &mut Stage, which: u8, text: &str) {
    match which {
        0 => stage.begins(text),
        1 => stage.ends(),
        2 => stage.update(v1::ToolCall::new("c", text)),
        3 => stage.event(Event::PermissionRequested(Box::new(asked(
            1,
            &["rm", text],
            text,
        )))),
        4 => stage.event(Event::PermissionWithdrawn(1)),
        5 => stage.event(Event::AgentExited {
            reason: text.to_owned(),
            stderr: vec![text.to_owned()],
        }),
        6 => stage.event(Event::AgentReady(Box::new(agent()))),
        7 => stage.opened("s1"),
        8 => stage.input(Input::Files(vec![text.to_owned()])),
        9 => stage.update(v1::SessionInfoUpdate::new().title(text)),
        10 => stage.event(Event::SessionsListed(v1::ListSessionsResponse::new([
            v1::SessionInfo::new("a", text),
        ]))),
        11 => stage.event(Event::QueueChanged {
            session: "s1".into(),
            waiting: vec![vec![text.into()]],
        }),
        12 => stage.event(form(text)),
        13 => stage.event(Event::CommandFailed(CommandFailure {
            operation: "session/new".to_owned(),
            reason: text.to_owned(),
            kind: FailureKind::Refused,
        })),
        14 => {
            let command = v1::AvailableCommand::new(text, text);
            stage.update(v1::AvailableCommandsUpdate::new([command]));
        }
        _ => stage.input(Input::Steering(Steering::Taken)),
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
    fn nothing_panics_and_nothing_acts_on_the_terminal(acts in prop::collection::vec(act(), 1..60)) {
        let mut stage = stage();
        for act in acts {
            match act {
                Act::Press(key) => stage.press(key),
                Act::Paste(text) => stage.input(Input::Paste(text)),
                Act::Resize(columns, rows) => stage = stage.size(columns, rows),
                Act::Wait(time) => stage.wait(Duration::from_millis(time)),
                Act::Says(text) => stage.says(&text),
                Act::Tell(which, text) => tell(&mut stage, which, &text),
            }
            let screen = stage.screen();
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
