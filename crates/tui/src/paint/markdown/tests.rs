use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{IncrementalMarkdown, Progress, lines};
use crate::paint::fixture::{appearance, assert_fits, styled, text};
use crate::paint::theme::Palette;

fn check(source: &str, width: u16, expected: &Expect) {
    let shown = lines(source, &appearance(Palette::None), width);
    assert_fits(&shown, width);
    expected.assert_eq(&text(&shown));
}

#[test]
fn a_page_at_60_columns() {
    check(
        PAGE,
        60,
        &expect![[r##"
            # The plan for today

            A paragraph with strong, emphasised and gone words, `inline
            code`, and a link (https://example.org/a/long/path) that is
            long enough to be broken.
            A second line of it.

            ## Lists

            • one
            • two with a text that is so long that it has to go on in
              the next line, indented
              1. first

              2. second

                 a paragraph in it
            • [ ] to do
            • [x] done

            │ A quotation with `code`
            │ ⏎
            │ │ and another one in it
            │ ⏎
            │ • and a list

            name             │             what it does             │  n
            ─────────────────┼──────────────────────────────────────┼───
            `read_text_file` │ reads a file inside the boundary and │ 12
                             │   refuses everything outside of it   │   ⏎
            日本語           │                 wide                 │  3

            │ rust
            │ fn main() {
            │     println!("a line of code that is certainly longer than
            │  sixty columns are");
            │ }

            ────────────────────────────────────────

            <details>html</details>

            The end."##]],
    );
}

#[test]
fn a_page_at_100_columns() {
    check(
        PAGE,
        100,
        &expect![[r##"
            # The plan for today

            A paragraph with strong, emphasised and gone words, `inline code`, and a link
            (https://example.org/a/long/path) that is long enough to be broken.
            A second line of it.

            ## Lists

            • one
            • two with a text that is so long that it has to go on in the next line, indented
              1. first

              2. second

                 a paragraph in it
            • [ ] to do
            • [x] done

            │ A quotation with `code`
            │ ⏎
            │ │ and another one in it
            │ ⏎
            │ • and a list

            name             │                             what it does                              │  n
            ─────────────────┼───────────────────────────────────────────────────────────────────────┼───
            `read_text_file` │ reads a file inside the boundary and refuses everything outside of it │ 12
            日本語           │                                 wide                                  │  3

            │ rust
            │ fn main() {
            │     println!("a line of code that is certainly longer than sixty columns are");
            │ }

            ────────────────────────────────────────

            <details>html</details>

            The end."##]],
    );
}

#[test]
fn a_page_at_200_columns() {
    check(
        PAGE,
        200,
        &expect![[r##"
            # The plan for today

            A paragraph with strong, emphasised and gone words, `inline code`, and a link (https://example.org/a/long/path) that is long enough to be broken.
            A second line of it.

            ## Lists

            • one
            • two with a text that is so long that it has to go on in the next line, indented
              1. first

              2. second

                 a paragraph in it
            • [ ] to do
            • [x] done

            │ A quotation with `code`
            │ ⏎
            │ │ and another one in it
            │ ⏎
            │ • and a list

            name             │                             what it does                              │  n
            ─────────────────┼───────────────────────────────────────────────────────────────────────┼───
            `read_text_file` │ reads a file inside the boundary and refuses everything outside of it │ 12
            日本語           │                                 wide                                  │  3

            │ rust
            │ fn main() {
            │     println!("a line of code that is certainly longer than sixty columns are");
            │ }

            ────────────────────────────────────────

            <details>html</details>

            The end."##]],
    );
}

#[test]
fn code_gets_its_colours_once_they_are_found() {
    let appearance = appearance(Palette::Full);
    let source = "Some `code` and *more*:\n\n```rust\nfn main() { let x = \"hi\"; } // end\n```\n";
    let mut markdown = IncrementalMarkdown::new(60);
    markdown.update(source, &appearance);
    assert!(!markdown.is_coloured());
    appearance.highlighter.settle();
    markdown.update(source, &appearance);
    assert!(markdown.is_coloured());
    expect![[r#"
        Some [180:code] and [i:more]:

        [245:│ ][245:rust]
        [245:│ ][176:fn] [111:main]() { [176:let] x = [114:"hi"]; } [245:// end]
    "#]]
    .assert_eq(&styled(markdown.lines()));
}

#[test]
fn a_table_too_wide_for_its_columns_becomes_a_list() {
    let source =
        "|a|b|c|d|e|f|g|h|\n|-|-|-|-|-|-|-|-|\n|1|2|3|4|5|6|7|8|\n|9|10|11|12|13|14|15|16|";
    check(
        source,
        30,
        &expect![[r#"
        • a: 1
          b: 2
          c: 3
          d: 4
          e: 5
          f: 6
          g: 7
          h: 8
        • a: 9
          b: 10
          c: 11
          d: 12
          e: 13
          f: 14
          g: 15
          h: 16"#]],
    );
}

#[test]
fn link_targets_are_always_readable() {
    check(
        "[safe](http://evil.example) <https://a.example> ![pic](x.png) [ref][1]\n\n[1]: http://hidden.example\n",
        60,
        &expect![[r#"
            safe (http://evil.example) https://a.example image: pic
            (x.png) [ref][1]

            [1]: http://hidden.example"#]],
    );
}

#[test]
fn entities_cannot_smuggle_control_characters() {
    check(
        "a&#27;[31mb&#x202e;c `&#7;` &#13;d",
        60,
        &expect!["a[31mb�c `&#7;`  d"],
    );
    check(
        "    in\u{1b}[31mdented&#27;\n\n<b onclick=\u{7}>x</b>",
        60,
        &expect![[r#"
            │ indented&#27;

            <b onclick=�>x</b>"#]],
    );
}

#[test]
fn unfinished_markdown_reads_sensibly() {
    check("So **bold and `code", 60, &expect!["So **bold and `code"]);
    check(
        "```python\nprint(1)\nif x",
        60,
        &expect![[r#"
        │ python
        │ print(1)
        │ if x"#]],
    );
    check(
        "| a | b |\n|--",
        60,
        &expect![[r#"
        | a | b |
        |--"#]],
    );
    check(
        "1. one\n2. ",
        60,
        &expect![[r#"
        1. one
        2. ⏎"#]],
    );
}

#[test]
fn a_page_written_letter_by_letter_ends_as_the_whole() {
    grows_into(PAGE, 1);
    let code = format!("```rs\n{}```\nend\n", "let x = 1;\n".repeat(350));
    grows_into(&code, 7);
    let long = format!("{}\n\nnext\n", "word ".repeat(40_000));
    grows_into(&long, 30_011);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_markdown_fits_and_grows_into_the_whole(source in markdown(), width in 1u16..90) {
        let appearance = appearance(Palette::None);
        let whole = lines(&source, &appearance, width);
        assert_fits(&whole, width);
        let mut markdown = IncrementalMarkdown::new(width);
        for (end, _) in source.char_indices() {
            markdown.update(&source[..end], &appearance);
        }
        markdown.update(&source, &appearance);
        prop_assert_eq!(text(markdown.lines()), text(&whole));
    }
}

fn grows_into(source: &str, step: usize) {
    let appearance = appearance(Palette::None);
    let mut markdown = IncrementalMarkdown::new(60);
    let mut end = 0;
    while end < source.len() {
        end = source.ceil_char_boundary(end + step);
        while markdown.update(&source[..end], &appearance) == Progress::Partial {}
    }
    assert_eq!(
        text(markdown.lines()),
        text(&lines(source, &appearance, 60))
    );
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(PIECES).prop_map(str::to_owned),
        2 => "[a-z]{1,9}( [a-z]{1,12}){0,4}",
        1 => "\\PC{0,8}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "# ",
    "#",
    "- ",
    "-",
    "* ",
    "1. ",
    "2) ",
    "> ",
    "    ",
    "  ",
    "\t",
    "```",
    "```rust\n",
    "~~~",
    "`",
    "**",
    "_",
    "~~",
    "[x](y)",
    "[a]: /b",
    "[a]",
    "| a | b |\n|---|--:|\n",
    "|",
    "---",
    "===",
    "<div>",
    "</div>",
    "<!--",
    "- [ ] ",
    "- [x] ",
    "![i](j)",
    "\\",
    "&#27;",
    "&amp;",
    "https://x.y",
    "日本語",
    "👩‍👩‍👧",
    "\u{202e}",
    "\u{1b}[31m",
];

const PAGE: &str = "\
# The *plan* for today

A paragraph with **strong**, _emphasised_ and ~~gone~~ words, `inline code`, and a [link](https://example.org/a/long/path) that is long enough to be broken.
A second line of it.

## Lists

- one
- two with a text that is so long that it has to go on in the next line, indented
  1. first
  2. second

     a paragraph in it
- [ ] to do
- [x] done

> A quotation with `code`
> > and another one in it
>
> - and a list

| name | what it does | n |
|:-----|:------------:|--:|
| `read_text_file` | reads a file inside the boundary and refuses everything outside of it | 12 |
| 日本語 | wide | 3 |

```rust
fn main() {
\tprintln!(\"a line of code that is certainly longer than sixty columns are\");
}
```

***

<details>html</details>

The end.
";
