//! The main screens, at three sizes.

use std::time::Duration;

use attache::v1;
use attache_client::event::Event;
use attache_host::terminals::TerminalView;
use expect_test::expect;

use super::test_ui::{TestUi, test_ui};
use crate::paint::theme::SignSet;

/// A turn with every kind of content.
fn busy(mut ui: TestUi) -> TestUi {
    ui.start_turn("Rename old to new in main.rs");
    ui.update(v1::SessionUpdate::AgentThoughtChunk(v1::ContentChunk::new(
        "I should look at the file first.",
    )));
    ui.agent_message("I will **rename** it:\n\n```rust\nfn new() {}\n```\n");
    let diff = v1::Diff::new("/code/project/src/main.rs", "fn main() {\n    new();\n}\n")
        .old_text("fn main() {\n    old();\n}\n");
    let edit = v1::ToolCall::new("c1", "Edit src/main.rs")
        .kind(v1::ToolKind::Edit)
        .status(v1::ToolCallStatus::Completed)
        .content([diff]);
    ui.update(edit);
    let run = v1::ToolCall::new("c2", "cargo test")
        .kind(v1::ToolKind::Execute)
        .status(v1::ToolCallStatus::InProgress)
        .content([v1::Terminal::new("t1")]);
    ui.update(run);
    let step =
        |content: &str, status| v1::PlanEntry::new(content, v1::PlanEntryPriority::Medium, status);
    ui.update(v1::Plan::new([
        step("Find the name", v1::PlanEntryStatus::Completed),
        step("Rename it", v1::PlanEntryStatus::InProgress),
        step("Run the tests", v1::PlanEntryStatus::Pending),
    ]));
    let cost = v1::Cost::new(0.42, "USD");
    ui.update(v1::UsageUpdate::new(12_000, 200_000).cost(cost));
    ui.event(Event::QueueChanged {
        session: "s1".into(),
        waiting: vec![vec!["Then commit it".into()]],
    });
    ui.wait(Duration::from_secs(12));
    ui
}

fn output() -> TerminalView {
    TerminalView {
        command: vec!["cargo".to_owned(), "test".to_owned()],
        output: "running 3 tests\ntest one ... ok\ntest two ... ok\n".to_owned(),
        is_truncated: false,
        exit: None,
        is_released: false,
    }
}

#[test]
fn before_the_agent_has_answered() {
    TestUi::new(SignSet::Unicode).check(&expect![[r#"
        | test · new session · /code/project
        |
        | test
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
        |› ask for something · / commands · @ files · ? help
        | ◐ starting the agent
    "#]]);
}

#[test]
fn a_fresh_session() {
    test_ui().check(&expect![[r#"
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
        |› ask for something · / commands · @ files · ? help
        | ready
    "#]]);
}

#[test]
fn a_turn_at_60_columns() {
    busy(test_ui().with_terminal(output())).check(&expect![[r#"
        | Test Agent · Rename old to new in main.rs · /code/project
        |
        | ✓ Edit src/main.rs
        |   │ src/main.rs +1 -1
        |   │ 1 1   fn main() {
        |   │ 2   -     old();
        |   │   2 +     new();
        |   │ 3 3   }
        |
        | ◐ run cargo test · running 12s
        |   │ $ cargo test
        |   │ running 3 tests
        |   │ test one ... ok
        |   │ test two ... ok
        |   │ ◐ running
        | 1/3 Rename it
        | next: Then commit it
        |────────────────────────────────────────────────────────────
        |› type the next prompt; it is sent when the turn ends
        | ◐ working 12s, Esc cancels
    "#]]);
}

#[test]
fn a_turn_at_100_columns_with_the_plan_open() {
    let mut ui = busy(test_ui().size(100, 30).with_terminal(output()));
    ui.press("<C-t>");
    ui.check(&expect![[r#"
        | Test Agent · Rename old to new in main.rs · /code/project
        | › Rename old to new in main.rs
        |
        | ∴ thought · 32 characters · I should look at the file first.
        |
        | • I will rename it:
        |
        |   │ rust
        |   │ fn new() {}
        |
        | ✓ Edit src/main.rs
        |   │ src/main.rs +1 -1
        |   │ 1 1   fn main() {
        |   │ 2   -     old();
        |   │   2 +     new();
        |   │ 3 3   }
        |
        | ◐ run cargo test · running 12s
        |   │ $ cargo test
        |   │ running 3 tests
        |   │ test one ... ok
        |   │ test two ... ok
        |   │ ◐ running
        | ✓ Find the name
        | ◐ Rename it
        | ○ Run the tests
        | next: Then commit it
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |› type the next prompt; it is sent when the turn ends
        | ◐ working 12s, Esc cancels · 12k of 200k tokens (6%) · 0.42 USD
    "#]]);
}

#[test]
fn a_turn_at_200_columns() {
    busy(test_ui().size(200, 50).with_terminal(output())).check(&expect![[r#"
        | Test Agent · Rename old to new in main.rs · /code/project
        | › Rename old to new in main.rs
        |
        | ∴ thought · 32 characters · I should look at the file first.
        |
        | • I will rename it:
        |
        |   │ rust
        |   │ fn new() {}
        |
        | ✓ Edit src/main.rs
        |   │ src/main.rs +1 -1
        |   │ 1   fn main() {                                                                                  │ 1   fn main() {
        |   │ 2 -     old();                                                                                   │ 2 +     new();
        |   │ 3   }                                                                                            │ 3   }
        |
        | ◐ run cargo test · running 12s
        |   │ $ cargo test
        |   │ running 3 tests
        |   │ test one ... ok
        |   │ test two ... ok
        |   │ ◐ running
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        | 1/3 Rename it
        | next: Then commit it
        |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        |› type the next prompt; it is sent when the turn ends
        | ◐ working 12s, Esc cancels · 12k of 200k tokens (6%) · 0.42 USD
    "#]]);
}

#[test]
fn a_turn_in_ascii() {
    let mut ascii = TestUi::new(SignSet::Ascii);
    ascii.event(Event::AgentReady(Box::new(super::test_ui::agent())));
    ascii.open_session("s1");
    let mut ui = busy(ascii.with_terminal(output()));
    ui.check(&expect![[r#"
        | Test Agent - Rename old to new in main.rs - /code/project
        |
        | + Edit src/main.rs
        |   | src/main.rs +1 -1
        |   | 1 1   fn main() {
        |   | 2   -     old();
        |   |   2 +     new();
        |   | 3 3   }
        |
        | @ run cargo test - running 12s
        |   | $ cargo test
        |   | running 3 tests
        |   | test one ... ok
        |   | test two ... ok
        |   | @ running
        | 1/3 Rename it
        | next: Then commit it
        |------------------------------------------------------------
        |> type the next prompt; it is sent when the turn ends
        | @ working 12s, Esc cancels
    "#]]);
}

#[test]
fn the_same_session_after_the_window_was_made_narrow() {
    let mut ui = busy(test_ui().size(200, 50).with_terminal(output()));
    ui.screen();
    let mut ui = ui.size(40, 16);
    ui.check(&expect![[r#"
        | Test Agent · Rename old to new i…
        |   │ 2   -     old();
        |   │   2 +     new();
        |   │ 3 3   }
        |
        | ◐ run cargo test · running 12s
        |   │ $ cargo test
        |   │ running 3 tests
        |   │ test one ... ok
        |   │ test two ... ok
        |   │ ◐ running
        | 1/3 Rename it
        | next: Then commit it
        |────────────────────────────────────────
        |› type the next prompt; it is sent whe…
        | ◐ working 12s, Esc cancels
    "#]]);
}

#[test]
fn a_window_that_is_too_small() {
    test_ui().size(20, 5).check(&expect![[r#"
        |needs 24x8
        |
        |
        |
        |
    "#]]);
}

#[test]
fn notices_and_compaction() {
    let mut ui = test_ui();
    ui.start_turn("go on");
    ui.update(
        v1::Notice::new(v1::NoticeSeverity::Warning, "Quota is low").description("10 % left"),
    );
    ui.update(v1::SessionUpdate::CompactionUpdate(
        v1::CompactionUpdate::new("k1", v1::CompactionStatus::InProgress),
    ));
    ui.wait(Duration::from_secs(3));
    ui.check(&expect![[r#"
        | Test Agent · go on · /code/project
        | › go on
        |
        | ! warning: Quota is low
        |   10 % left
        |
        | ◐ compacting the history
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |────────────────────────────────────────────────────────────
        |› type the next prompt; it is sent when the turn ends
        | ◐ compacting 3.0s
    "#]]);
}

#[test]
fn a_long_text_that_is_being_written() {
    let mut ui = test_ui();
    for number in 0..12 {
        ui.press(&format!("line {number}<C-j>"));
    }
    ui.press("the last one, which is so long that it does not fit on a single row");
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
        |────────────────────────────────────────────────────────────
        |  line 8
        |  line 9
        |  line 10
        |  line 11
        |  the last one, which is so long that it does not fit on a
        |  single row
        | ready
    "#]]);
}

#[test]
fn a_plan_that_is_done_is_folded_away_when_a_turn_begins() {
    let step = |status| {
        let priority = v1::PlanEntryPriority::Medium;
        v1::Plan::new([v1::PlanEntry::new("Look around", priority, status)])
    };
    let has_plan = |ui: &mut TestUi| ui.screen().contains("Look around");
    let mut ui = test_ui();
    ui.press("<C-t>");
    ui.start_turn("one");
    ui.update(v1::SessionUpdate::Plan(step(
        v1::PlanEntryStatus::InProgress,
    )));
    ui.end_turn();
    ui.start_turn("two");
    assert!(has_plan(&mut ui), "it is not done yet");
    ui.update(v1::SessionUpdate::Plan(step(
        v1::PlanEntryStatus::Completed,
    )));
    assert!(has_plan(&mut ui), "its turn goes on");
    ui.end_turn();
    ui.start_turn("three");
    assert!(!has_plan(&mut ui), "{}", ui.screen());
    ui.press("<C-t>");
    assert!(has_plan(&mut ui), "it can be looked at");
    ui.update(v1::SessionUpdate::Plan(step(v1::PlanEntryStatus::Pending)));
    assert!(has_plan(&mut ui), "another plan is shown");
}
