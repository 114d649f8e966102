//! The text editor of the composer.

use expect_test::{Expect, expect};

use super::test_ui::test_ui;

/// Presses keys in the composer and shows the text with the cursor as `|`.
fn check(keys: &str, expected: &Expect) {
    let mut ui = test_ui();
    ui.press(keys);
    let editor = &ui.app.tab().composer.editor;
    let mut text = editor.text().to_owned();
    text.insert(editor.cursor(), '|');
    expected.assert_eq(&text);
}

#[test]
fn the_cursor_moves_by_grapheme_clusters() {
    check("e\u{301}a<Left><BS>", &expect!["|a"]);
    check("👩‍👩‍👧x<Left><Left>y", &expect!["y|👩‍👩‍👧x"]);
}

#[test]
fn words_and_lines() {
    check("one two  three<A-b><A-b>", &expect!["one |two  three"]);
    check("one two<C-w>", &expect!["one |"]);
    check("one two<Home><A-d>", &expect!["| two"]);
    check(
        "one<A-Enter>two<C-u>",
        &expect![[r#"
        one
        |"#]],
    );
    check(
        "one<C-j>two<Home><Left><C-k>",
        &expect![[r#"
        one|
        two"#]],
    );
    check("one two<C-Left><C-k>", &expect!["one |"]);
    check("ab<C-a>x<C-e>y", &expect!["xaby|"]);
}

#[test]
fn undo_removes_a_run_of_typing_at_once() {
    check("one two<C-z>", &expect!["one|"]);
    check("one two<C-z><C-z><A-z>", &expect!["one|"]);
    check("some text<C-u><C-7>", &expect!["some text|"]);
}

#[test]
fn up_and_down_keep_the_column() {
    check(
        "abcdef<C-j>xy<C-j>uvwxyz<Up><Up>",
        &expect![[r#"
        abcdef|
        xy
        uvwxyz"#]],
    );
    check(
        "ab<C-j>cd<Up><Home><Down>",
        &expect![[r#"
        ab
        |cd"#]],
    );
}

#[test]
fn up_moves_through_the_rows_of_a_wrapped_line() {
    let long = "word ".repeat(20);
    check(
        &format!("{long}<Up>X"),
        &expect![
            "word word word word word word word word word X|word word word word word word word word word word word "
        ],
    );
}

#[test]
fn earlier_prompts_come_back_and_so_does_the_draft() {
    check("first<Enter>second<Enter>dra<Up><Up>", &expect!["first|"]);
    check(
        "first<Enter>second<Enter>dra<Up><Up><Down><Down>",
        &expect!["dra|"],
    );
}

#[test]
fn pasted_text_is_only_text() {
    let mut ui = test_ui();
    ui.input(crate::chat::Input::Paste(
        "a\r\nb\u{1b}[31m\tc\u{202e}".to_owned(),
    ));
    expect!["a\nb[31m    c"].assert_eq(ui.app.tab().composer.editor.text());
    assert_eq!(ui.take_effects(), [], "nothing is sent");
}

#[test]
fn an_endless_paste_is_cut() {
    let mut ui = test_ui();
    ui.input(crate::chat::Input::Paste("x".repeat(150 * 1024)));
    assert_eq!(ui.app.tab().composer.editor.text().len(), 128 * 1024);
    assert!(ui.screen().contains("22528 bytes were left out"));
}
