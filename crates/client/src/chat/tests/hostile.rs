//! An agent that writes to harm: nothing of it may act on the terminal, hide, or turn around.

use std::time::Duration;

use attache::v1;
use expect_test::expect;

use super::stage::{asked, stage};
use crate::event::Event;

const EVIL: &str =
    "safe\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}elif eteled\u{202c}\rover\u{9b}31m\u{200b}";

#[test]
fn nothing_that_an_agent_says_reaches_the_terminal_raw() {
    let mut stage = stage().size(100, 30);
    stage.update(v1::SessionInfoUpdate::new().title(EVIL));
    stage.update(v1::AvailableCommandsUpdate::new([
        v1::AvailableCommand::new(EVIL, EVIL),
    ]));
    stage.begins(EVIL);
    stage.says(EVIL);
    stage.update(v1::ToolCall::new("c", EVIL));
    let step = v1::PlanEntry::new(
        EVIL,
        v1::PlanEntryPriority::High,
        v1::PlanEntryStatus::InProgress,
    );
    stage.update(v1::Plan::new([step]));
    stage.event(Event::Queue {
        session: "s1".into(),
        waiting: vec![vec![EVIL.into()]],
    });
    let mut question = asked(1, &["rm", EVIL], EVIL);
    question.options[0].name = EVIL.to_owned();
    stage.event(Event::Asked(Box::new(question)));
    stage.wait(Duration::from_millis(400));
    stage.press("d");
    let screen = stage.screen();
    let is_bad = |char: &char| *char != '\n' && attache::process::is_hidden(*char);
    assert_eq!(screen.chars().find(is_bad), None, "{screen}");
    stage.check(&expect![[r#"
        | Test Agent · safe�elif eteled� over� · /code/project
        | › safe�elif eteled�
        |   over�
        |
        | • safe�elif eteled�
        |   over�
        |
        | ○ tool safe�elif eteled� over� · waiting 0s
        |
        |
        |
        |
        |
        |
        | 0/1 safe�elif eteled� over�
        | next: safe�elif eteled� over�
        |╭ Run a command? ──────────────────────────────────────────────────────────────────────────────────╮
        |│ rm 'safe�elif eteled� over�'                                                                     │
        |│ The agent calls it “safe�elif eteled� over�”                                                     │
        |│ agent      test                                                                                  │
        |│ workspace  /code/project                                                                         │
        |│ kind       execute                                                                               │
        |│ option     Allow once: “safe�elif eteled� over�”                                                 │
        |│ option     Reject once: “Never”                                                                  │
        |│ y yes, once · s for this session · w in this workspace · a always · n no · N no, remember here   │
        |│ t remembered for good · d show less · Esc dismiss                                                │
        |╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ◐ waiting for you 0.4s
    "#]]);
}
