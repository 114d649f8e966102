use std::time::Duration;

use attache::transcript::ToolCallEntry;
use attache::{Transcript, v1};
use attache_host::terminals::TerminalView;
use expect_test::{Expect, expect};

use super::{ToolCallContext, headline, lines};
use crate::paint::Fold;
use crate::paint::fixture::{appearance, assert_fits, text};
use crate::paint::theme::Palette;

fn check(call: v1::ToolCall, fold: Fold, width: u16, expected: &Expect) {
    let call = folded(call);
    let context = ToolCallContext {
        elapsed: Some(Duration::from_millis(3400)),
        terminal: &|_| Some(view()),
    };
    let appearance = appearance(Palette::None);
    let shown = lines(&call, &context, fold, &appearance, width);
    assert_fits(&shown, width);
    expected.assert_eq(&text(&shown));
    for width in 1..width {
        assert_fits(&lines(&call, &context, fold, &appearance, width), width);
        assert_fits(
            &[headline(&call, context.elapsed, &appearance, width)],
            width,
        );
    }
}

#[test]
fn an_edit_at_60_100_and_200_columns() {
    check(
        edit(),
        Fold::Brief,
        60,
        &expect![[r#"
            ✓ Edit src/main.rs so that it runs twice, and do not… · 3.4s
              │ notes.md:7, /etc/hosts
              │ src/main.rs +1 -1
              │ 1 1   fn main() {
              │ 2   -     run(1);
              │   2 +     run(2);
              │ 3 3   }
              │ Changed one line:
              │ ⏎
              │ 1. run
              │ 2. `twice`"#]],
    );
    check(
        edit(),
        Fold::Brief,
        100,
        &expect![[r#"
            ✓ Edit src/main.rs so that it runs twice, and do not forget to say so in the notes · 3.4s
              │ notes.md:7, /etc/hosts
              │ src/main.rs +1 -1
              │ 1 1   fn main() {
              │ 2   -     run(1);
              │   2 +     run(2);
              │ 3 3   }
              │ Changed one line:
              │ ⏎
              │ 1. run
              │ 2. `twice`"#]],
    );
    check(
        edit(),
        Fold::Brief,
        200,
        &expect![[r#"
            ✓ Edit src/main.rs so that it runs twice, and do not forget to say so in the notes · 3.4s
              │ notes.md:7, /etc/hosts
              │ src/main.rs +1 -1
              │ 1   fn main() {                                                                                  │ 1   fn main() {
              │ 2 -     run(1);                                                                                  │ 2 +     run(2);
              │ 3   }                                                                                            │ 3   }
              │ Changed one line:
              │ ⏎
              │ 1. run
              │ 2. `twice`"#]],
    );
}

#[test]
fn a_card_folds_to_a_line_and_opens_to_everything() {
    check(
        edit(),
        Fold::Line,
        60,
        &expect!["✓ Edit src/main.rs so that it runs twice, and do not… · 3.4s"],
    );
    check(
        edit(),
        Fold::Full,
        60,
        &expect![[r#"
            ✓ Edit src/main.rs so that it runs twice, and do not… · 3.4s
              │ Edit src/main.rs so that it runs twice, and do not
              │ forget to say so in the notes
              │ notes.md:7
              │ /etc/hosts
              │ src/main.rs +1 -1
              │ 1 1   fn main() {
              │ 2   -     run(1);
              │   2 +     run(2);
              │ 3 3   }
              │ Changed one line:
              │ ⏎
              │ 1. run
              │ 2. `twice`
              │ input
              │ {
              │   "path": "src/main.rs",
              │   "n": [
              │     1,
              │     2
              │   ]
              │ }"#]],
    );
}

#[test]
fn a_terminal_shows_its_last_lines() {
    let terminal = v1::ToolCallContent::Terminal(v1::Terminal::new("t1"));
    let call = v1::ToolCall::new("2", "cargo test\nwith more\u{1b}[2J lines")
        .kind(v1::ToolKind::Execute)
        .status(v1::ToolCallStatus::InProgress)
        .content(vec![terminal]);
    check(
        call,
        Fold::Brief,
        60,
        &expect![[r#"
            ◐ run cargo test⏎with more␛[2J lines · running 3s
              │ $ cargo test 'a b'
              │ … earlier output
              │ test 6 ... ok
              │ test 7 ... ok
              │ test 8 ... ok
              │ test 9 ... ok
              │ test 10 ... ok
              │ test 11 ... ok
              │ test 12 ... ok
              │ 100%
              │ ◐ running"#]],
    );
}

#[test]
fn the_status_has_a_sign_and_a_word() {
    let status = |status| {
        v1::ToolCall::new("3", "Look it up")
            .kind(v1::ToolKind::Fetch)
            .status(status)
    };
    check(
        status(v1::ToolCallStatus::Pending),
        Fold::Brief,
        60,
        &expect!["○ fetch Look it up · waiting 3s"],
    );
    check(
        status(v1::ToolCallStatus::InProgress),
        Fold::Brief,
        60,
        &expect!["◐ fetch Look it up · running 3s"],
    );
    check(
        status(v1::ToolCallStatus::Completed),
        Fold::Brief,
        60,
        &expect!["✓ fetch Look it up · 3.4s"],
    );
    check(
        status(v1::ToolCallStatus::Failed),
        Fold::Brief,
        60,
        &expect!["✗ fetch Look it up · failed 3.4s"],
    );
}

#[test]
fn content_other_than_text_is_summarised_in_a_line() {
    let blocks = [
        v1::ContentBlock::Image(v1::ImageContent::new("aGVsbG8=", "image/png")),
        v1::ContentBlock::ResourceLink(v1::ResourceLink::new("notes", "file:///n.md").size(2048)),
        v1::ContentBlock::Resource(v1::EmbeddedResource::new(
            v1::EmbeddedResourceResource::Text(v1::TextResourceContents::new(
                "text",
                "file:///t.txt",
            )),
        )),
    ];
    let call = v1::ToolCall::new("4", "")
        .name("show_it")
        .content(blocks.map(v1::ToolCallContent::from).to_vec());
    check(
        call,
        Fold::Brief,
        60,
        &expect![[r#"
        ○ tool show_it · waiting 3s
          │ [image image/png, 5 B]
          │ [link notes (file:///n.md), 2 kB]
          │ [file file:///t.txt, 4 B]"#]],
    );
}

fn edit() -> v1::ToolCall {
    let diff = v1::Diff::new("/project/src/main.rs", "fn main() {\n    run(2);\n}\n")
        .old_text("fn main() {\n    run(1);\n}\n");
    let location = |path: &str| v1::ToolCallLocation::new(path);
    let raw = attache::json::Raw::parse(r#"{"path":"src/main.rs","n":[1,2]}"#).expect("JSON");
    v1::ToolCall::new(
        "1",
        "Edit src/main.rs so that it runs twice, and do not forget to say so in the notes",
    )
    .kind(v1::ToolKind::Edit)
    .status(v1::ToolCallStatus::Completed)
    .locations(vec![
        location("/project/src/main.rs").line(2),
        location("/project/notes.md").line(7),
        location("/etc/hosts"),
    ])
    .raw_input(raw)
    .content(vec![
        v1::ToolCallContent::Diff(diff),
        v1::ContentBlock::from("Changed **one** line:\n\n1. run\n2. `twice`").into(),
    ])
}

fn view() -> TerminalView {
    let output: String = (1..=12)
        .map(|line| format!("test {line} ... \u{1b}[32mok\u{1b}[0m\r\n"))
        .collect();
    TerminalView {
        command: vec!["cargo".to_owned(), "test".to_owned(), "a b".to_owned()],
        output: output + "10%\r100%",
        is_truncated: false,
        exit: None,
        is_released: false,
    }
}

fn folded(call: v1::ToolCall) -> ToolCallEntry {
    let mut transcript = Transcript::new();
    let id = call.tool_call_id.clone();
    transcript.apply(v1::SessionUpdate::ToolCall(call));
    transcript.tool_call(&id).cloned().expect("it was reported")
}
