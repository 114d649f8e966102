use std::fmt::Write;
use std::time::{Duration, Instant};

use attache::transcript::{Change, Transcript};
use attache::v1;
use expect_test::{Expect, expect};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Scroll, SelectionStep, TranscriptView, Viewport};
use crate::paint::fixture::appearance;
use crate::paint::theme::{Palette, TextRole};
use crate::paint::{Fold, Remark, Tone};

/// A session on a screen.
struct TestScreen {
    transcript: Transcript,
    view: TranscriptView,
    size: (u16, u16),
    start: Instant,
    now: Instant,
}

impl TestScreen {
    fn new(width: u16, height: u16) -> TestScreen {
        let start = Instant::now();
        TestScreen {
            transcript: Transcript::new(),
            view: TranscriptView::new(appearance(Palette::None)),
            size: (width, height),
            start,
            now: start,
        }
    }

    fn took(&mut self, change: &Change) {
        self.view.changed(&self.transcript, change, self.now);
    }

    fn prompt(&mut self, text: &str) {
        let change = self.transcript.begin_turn(vec![text.into()]);
        self.took(&change);
    }

    fn update(&mut self, update: v1::SessionUpdate) {
        let change = self.transcript.apply(update);
        self.took(&change);
    }

    fn say(&mut self, text: &str) {
        self.update(v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(
            text,
        )));
    }

    fn draw(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let viewport = Viewport {
            transcript: &self.transcript,
            terminal: &|_| None,
            now: self.now,
        };
        self.view.draw(&viewport, area, &mut buffer);
        buffer
    }

    fn text(&mut self) -> String {
        let buffer = self.draw();
        let mut text = String::new();
        for row in buffer.content.chunks(usize::from(self.size.0)) {
            let line: String = row.iter().map(|cell| cell.symbol()).collect();
            writeln!(text, "|{}", line.trim_end()).expect("a string takes it");
        }
        text
    }

    fn check(&mut self, expected: &Expect) {
        expected.assert_eq(&self.text());
    }

    fn first_line(&mut self) -> String {
        let text = self.text();
        let mut lines = text.lines().map(|line| line[1..].trim());
        let first = lines.find(|line| !line.is_empty());
        first.unwrap_or_default().to_owned()
    }
}

#[test]
fn a_session_at_60_columns() {
    session(60, 34).check(&expect![[r#"
        | › Why does the test fail?
        |
        | ∴ thought · 35 characters · Hm.
        |
        | ✓ Read src/lib.rs
        | ✓ Read tests/all.rs
        |
        | • It compares two floats:
        |
        |   │ rust
        |   │ assert_eq!(a + b, 0.3);
        |
        |   I will change that.
        |
        | ⊘ Edit tests/all.rs · cancelled
        |   │ tests/all.rs +1 -1
        |   │ 1 1   let a = 0.1;
        |   │ 2   - assert_eq!(a + b, 0.3);
        |   │   2 + assert!((a + b - 0.3).abs() < 1e-9);
        |   ✓ allowed once
        |
        | i Low on context
        |
        | ⊘ cancelled
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
    "#]]);
}

#[test]
fn a_session_at_100_columns() {
    session(100, 30).check(&expect![[r#"
        | › Why does the test fail?
        |
        | ∴ thought · 35 characters · Hm.
        |
        | ✓ Read src/lib.rs
        | ✓ Read tests/all.rs
        |
        | • It compares two floats:
        |
        |   │ rust
        |   │ assert_eq!(a + b, 0.3);
        |
        |   I will change that.
        |
        | ⊘ Edit tests/all.rs · cancelled
        |   │ tests/all.rs +1 -1
        |   │ 1 1   let a = 0.1;
        |   │ 2   - assert_eq!(a + b, 0.3);
        |   │   2 + assert!((a + b - 0.3).abs() < 1e-9);
        |   ✓ allowed once
        |
        | i Low on context
        |
        | ⊘ cancelled
        |
        |
        |
        |
        |
        |
    "#]]);
}

#[test]
fn a_session_at_200_columns() {
    session(200, 30).check(&expect![[r#"
        | › Why does the test fail?
        |
        | ∴ thought · 35 characters · Hm.
        |
        | ✓ Read src/lib.rs
        | ✓ Read tests/all.rs
        |
        | • It compares two floats:
        |
        |   │ rust
        |   │ assert_eq!(a + b, 0.3);
        |
        |   I will change that.
        |
        | ⊘ Edit tests/all.rs · cancelled
        |   │ tests/all.rs +1 -1
        |   │ 1   let a = 0.1;                                                                                 │ 1   let a = 0.1;
        |   │ 2 - assert_eq!(a + b, 0.3);                                                                      │ 2 + assert!((a + b - 0.3).abs() < 1e-9);
        |   ✓ allowed once
        |
        | i Low on context
        |
        | ⊘ cancelled
        |
        |
        |
        |
        |
        |
        |
    "#]]);
}

#[test]
fn the_view_follows_the_end_until_you_scroll() {
    let mut screen = numbered(100);
    assert_eq!(screen.first_line(), "• message 96");
    screen.view.scroll(Scroll::Lines(-20));
    assert_eq!(screen.first_line(), "• message 87");
    assert!(!screen.view.position().is_following);
    screen.prompt("more");
    screen.say("and more");
    assert_eq!(screen.first_line(), "• message 87");
    assert_eq!(screen.view.position().below, 12);
    screen.view.scroll(Scroll::Bottom);
    assert!(screen.text().contains("and more"));
    screen.view.scroll(Scroll::Top);
    assert_eq!(screen.first_line(), "› question 0");
    screen.view.scroll(Scroll::Pages(1));
    assert_eq!(screen.first_line(), "• message 3");
    screen.view.scroll(Scroll::Entry(51));
    screen.draw();
    screen.view.scroll(Scroll::Lines(1));
    assert_eq!(screen.first_line(), "• message 46");
}

#[test]
fn growth_above_does_not_move_the_visible_part() {
    let mut screen = numbered(40);
    let call = v1::ToolCall::new("c", "early");
    screen.update(v1::SessionUpdate::ToolCall(call));
    (41..80).for_each(|number| {
        screen.say(&format!("message {number}"));
        screen.update(notice("between"));
    });
    screen.draw();
    screen.view.scroll(Scroll::Lines(-10));
    let before = screen.text();
    let long: Vec<v1::ToolCallContent> = vec![v1::ContentBlock::from("a\n\nb\n\nc\n\nd").into()];
    screen.update(v1::SessionUpdate::ToolCallUpdate(
        v1::ToolCallUpdate::new("c").content(long),
    ));
    assert_eq!(screen.text(), before);
}

#[test]
fn a_new_width_keeps_the_position() {
    let mut screen = TestScreen::new(60, 10);
    screen.prompt("tell me");
    for number in 0..50 {
        screen.say(&format!("{number} {}", "words and more words ".repeat(12)));
        screen.update(notice("between"));
    }
    screen.draw();
    screen.view.scroll(Scroll::Entry(41));
    let before = screen.text();
    screen.size = (100, 10);
    screen.draw();
    screen.size = (60, 10);
    assert_eq!(screen.text(), before);
}

#[test]
fn the_selection_walks_over_entries_and_opens_them() {
    let mut screen = session(60, 12);
    screen.draw();
    screen.view.select(SelectionStep::Previous);
    screen.draw();
    screen.view.select(SelectionStep::Previous);
    screen.view.select(SelectionStep::Previous);
    screen.view.select(SelectionStep::PreviousPrompt);
    screen.draw();
    assert_eq!(screen.view.selected(), Some(0));
    screen.view.select(SelectionStep::Next);
    screen.draw();
    let selected = screen.view.selected().expect("the thought");
    screen.view.toggle(selected);
    screen.check(&expect![[r#"
        | › Why does the test fail?
        |
        |▌∴ Hm.
        |▌
        |▌  Let me look at the test first.
        |
        | ✓ Read src/lib.rs
        | ✓ Read tests/all.rs
        |
        | • It compares two floats:
        |
        |   │ rust
    "#]]);
    screen.view.toggle(selected);
    screen.view.fold_all(Fold::Line);
    screen.check(&expect![[r#"
        | › Why does the test fail?
        |
        |▌∴ thought · 35 characters · Hm.
        |
        | ✓ Read src/lib.rs
        | ✓ Read tests/all.rs
        |
        | • It compares two floats:
        |
        |   │ rust
        |   │ assert_eq!(a + b, 0.3);
        |
    "#]]);
}

#[test]
fn a_search_finds_marks_and_unfolds() {
    let mut screen = session(60, 12);
    screen.draw();
    screen.view.search("LET");
    screen.draw();
    assert_eq!(
        screen.view.search_status().map(|found| found.entries),
        Some(0)
    );
    screen.view.search("let me");
    let buffer = screen.draw();
    let found = screen.view.search_status().expect("a search");
    assert_eq!(
        (found.entries, found.current, found.is_complete),
        (1, 1, true)
    );
    let style = appearance(Palette::None).theme.style(TextRole::Match);
    let is_marked = |cell: &&ratatui::buffer::Cell| cell.modifier.contains(style.add_modifier);
    let marked: String = buffer
        .content
        .iter()
        .filter(is_marked)
        .map(|cell| cell.symbol())
        .collect();
    assert_eq!(marked, "Let me");
    screen.view.search("");
    assert_eq!(screen.view.search_status(), None);
}

#[test]
fn matches_are_walked_in_both_directions() {
    let mut screen = numbered(60);
    screen.draw();
    screen.view.search("message 1");
    let mut current = |walk: fn(&mut TranscriptView)| {
        walk(&mut screen.view);
        screen.draw();
        screen
            .view
            .search_status()
            .map(|found| (found.current, found.entries))
    };
    assert_eq!(current(|_| ()), Some((11, 11)));
    assert_eq!(current(TranscriptView::previous_match), Some((10, 11)));
    assert_eq!(current(TranscriptView::next_match), Some((11, 11)));
    assert_eq!(current(TranscriptView::next_match), Some((1, 11)));
    assert_eq!(current(TranscriptView::previous_match), Some((11, 11)));
}

#[test]
fn a_running_call_shows_its_time() {
    let mut screen = TestScreen::new(60, 6);
    screen.prompt("go");
    screen.update(v1::SessionUpdate::ToolCall(
        v1::ToolCall::new("c", "sleep")
            .kind(v1::ToolKind::Execute)
            .status(v1::ToolCallStatus::InProgress),
    ));
    screen.now = screen.start + Duration::from_millis(3700);
    assert!(screen.text().contains("run sleep · running 3s"));
    screen.now = screen.start + Duration::from_millis(4200);
    screen.update(v1::SessionUpdate::ToolCallUpdate(
        v1::ToolCallUpdate::new("c").status(v1::ToolCallStatus::Completed),
    ));
    screen.now = screen.start + Duration::from_secs(60);
    assert!(screen.text().contains("✓ run sleep · 4.2s"));
}

#[test]
fn remarks_and_dropped_entries_are_shown() {
    let mut screen = TestScreen::new(60, 8);
    screen.transcript = Transcript::with_limit(3000);
    screen.view.remark(
        &screen.transcript,
        Remark::new(Tone::Info, "connected to \u{1b}[2Jagent"),
    );
    screen.check(&expect![[r#"
        |   i connected to agent
        |
        |
        |
        |
        |
        |
        |
    "#]]);
    for number in 0..30 {
        screen.prompt(&format!("question {number}"));
        screen.view.remark(
            &screen.transcript,
            Remark::new(Tone::Bad, format!("denied: {number}")),
        );
    }
    screen.view.scroll(Scroll::Top);
    screen.check(&expect![[r#"
        |   … 22 earlier entries were dropped
        |   i connected to agent
        |
        | › question 22
        |   ✗ denied: 22
        |
        | › question 23
        |   ✗ denied: 23
    "#]]);
}

fn session(width: u16, height: u16) -> TestScreen {
    let mut screen = TestScreen::new(width, height);
    screen.prompt("Why does the test fail?");
    screen.update(v1::SessionUpdate::AgentThoughtChunk(v1::ContentChunk::new(
        "Hm.\n\nLet me look at the test first.",
    )));
    let read = |id: &str, path: &str| {
        v1::ToolCall::new(id, format!("Read {path}"))
            .kind(v1::ToolKind::Read)
            .status(v1::ToolCallStatus::Completed)
    };
    screen.update(v1::SessionUpdate::ToolCall(read("1", "src/lib.rs")));
    screen.update(v1::SessionUpdate::ToolCall(read("2", "tests/all.rs")));
    screen.say("It compares **two** floats:\n\n```rust\nassert_eq!(a + b, 0.3);\n```\n\nI will change that.");
    let diff = v1::Diff::new(
        "/project/tests/all.rs",
        "let a = 0.1;\nassert!((a + b - 0.3).abs() < 1e-9);\n",
    )
    .old_text("let a = 0.1;\nassert_eq!(a + b, 0.3);\n");
    screen.update(v1::SessionUpdate::ToolCall(
        v1::ToolCall::new("3", "Edit tests/all.rs")
            .kind(v1::ToolKind::Edit)
            .content(vec![v1::ToolCallContent::Diff(diff)]),
    ));
    screen
        .view
        .remark(&screen.transcript, Remark::new(Tone::Good, "allowed once"));
    screen.update(notice("Low on context"));
    let change = screen.transcript.end_turn(v1::StopReason::Cancelled);
    screen.took(&change);
    screen
}

fn numbered(count: usize) -> TestScreen {
    let mut screen = TestScreen::new(60, 8);
    for number in 0..count {
        if number % 10 == 0 {
            screen.prompt(&format!("question {number}"));
        }
        let chunk =
            v1::ContentChunk::new(format!("message {number}")).message_id(format!("{number}"));
        screen.update(v1::SessionUpdate::AgentMessageChunk(chunk));
    }
    screen.draw();
    screen
}

fn notice(title: &str) -> v1::SessionUpdate {
    v1::SessionUpdate::Notice(v1::Notice::new(v1::NoticeSeverity::Info, title))
}
