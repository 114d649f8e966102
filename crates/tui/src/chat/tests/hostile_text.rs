//! A hostile agent: its text must not act on the terminal, hide, or reverse other text.

use attache::v1;
use attache_client::event::Event;
use expect_test::expect;

use super::test_ui::{permission_prompt, test_ui};

const EVIL: &str =
    "safe\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}elif eteled\u{202c}\rover\u{9b}31m\u{200b}";

#[test]
fn agent_text_never_reaches_the_terminal_raw() {
    let mut ui = test_ui().size(100, 30);
    ui.update(v1::SessionInfoUpdate::new().title(EVIL));
    ui.update(v1::AvailableCommandsUpdate::new([
        v1::AvailableCommand::new(EVIL, EVIL),
    ]));
    ui.start_turn(EVIL);
    ui.agent_message(EVIL);
    ui.update(v1::ToolCall::new("c", EVIL));
    let step = v1::PlanEntry::new(
        EVIL,
        v1::PlanEntryPriority::High,
        v1::PlanEntryStatus::InProgress,
    );
    ui.update(v1::Plan::new([step]));
    ui.event(Event::QueueChanged {
        session: "s1".into(),
        waiting: vec![vec![EVIL.into()]],
    });
    let mut question = permission_prompt(1, &["rm", EVIL], EVIL);
    question.options[0].name = EVIL.to_owned();
    ui.event(Event::PermissionRequested(Box::new(question)));
    ui.press("<Tab><A-d>");
    let screen = ui.screen();
    let is_bad = |char: &char| *char != '\n' && attache_text::plain::is_hidden(*char);
    assert_eq!(screen.chars().find(is_bad), None, "{screen}");
    ui.check(&expect![[r#"
        | Test Agent · safe�elif eteled� over� · /code/project
        |   over�
        |
        | • safe�elif eteled�
        |   over�
        |
        | ○ tool safe␛]0;pwned␇␛[2J⟦U+202E⟧elif eteled⟦U+202C⟧␍over⟦U+009B⟧31m⟦U+200B⟧ · waiting 0s
        | 0/1 safe�elif eteled� over�
        | next: safe�elif eteled� over�
        |╭ Run a command? ──────────────────────────────────────────────────────────────────────────────────╮
        |│ command ┊ rm 'safe␛]0;pwned␇␛[2J⟦U+202E⟧elif eteled⟦U+202C⟧␍over⟦U+009B⟧31m⟦U+200B⟧'             │
        |│ in      ┊ /code/project                                                                          │
        |│ title   ┊ safe␛]0;pwned␇␛[2J⟦U+202E⟧elif eteled⟦U+202C⟧␍over⟦U+009B⟧31m⟦U+200B⟧                  │
        |│ agent   ┊ test                                                                                   │
        |│ session ┊ /code/project                                                                          │
        |│ kind    ┊ execute                                                                                │
        |│ Allow once ┊ safe␛]0;pwned␇␛[2J⟦U+202E⟧elif eteled⟦U+202C⟧␍over⟦U+009B⟧31m⟦U+200B⟧               │
        |│ Reject once ┊ Never                                                                              │
        |│   Allow once ┊ safe␛]0;pwned␇␛[2J⟦U+202E⟧elif eteled⟦U+202C⟧␍over⟦U+009B⟧31m⟦U+200B⟧             │
        |│   Reject once ┊ Never                                                                            │
        |│ Or let Attaché remember the answer:                                                              │
        |│   Allow, and don't ask again in this session                                                     │
        |│   Allow, and don't ask again in this workspace                                                   │
        |│   Allow, and don't ask again with this agent, anywhere                                           │
        |│   Reject, and don't ask again in this workspace                                                  │
        |│   Dismiss (cancel the request)                                                                   │
        |╰ ↑↓ select · Enter choose · Esc back · Alt-D fewer details ───────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ◐ waiting for you 1.0s
    "#]]);
}
