use attache::v1;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{DiffLayout, paint};
use crate::paint::fixture::{appearance, assert_fits, styled, text};
use crate::paint::theme::Palette;

fn check(diff: &v1::Diff, width: u16, expected: &Expect) {
    let shown = paint(diff, &appearance(Palette::None), width, 40).lines;
    assert_fits(&shown, width);
    expected.assert_eq(&text(&shown));
}

#[test]
fn a_change_at_60_columns_is_unified() {
    check(
        &change(),
        60,
        &expect![[r#"
        src/main.rs +2 -2
         1  1   use std::io;
         2  2   ⏎
         3  3   fn main() {
         4    -     let name = "world";
            4 +     let name = "everybody in this very long line tha
                t does not fit";
         5  5       println!("hello {name}");
            6 +     done();
         6  7   }
         7  8   ⏎
         8  9   fn a() {}
        … 2 lines
        11 12   fn d() {}
        12 13   fn e() {}
        13 14   fn f() {}
        14    - fn last() {}"#]],
    );
}

#[test]
fn a_change_at_100_columns_is_unified() {
    check(
        &change(),
        100,
        &expect![[r#"
        src/main.rs +2 -2
         1  1   use std::io;
         2  2   ⏎
         3  3   fn main() {
         4    -     let name = "world";
            4 +     let name = "everybody in this very long line that does not fit";
         5  5       println!("hello {name}");
            6 +     done();
         6  7   }
         7  8   ⏎
         8  9   fn a() {}
        … 2 lines
        11 12   fn d() {}
        12 13   fn e() {}
        13 14   fn f() {}
        14    - fn last() {}"#]],
    );
}

#[test]
fn a_change_at_200_columns_is_side_by_side() {
    check(
        &change(),
        200,
        &expect![[r#"
        src/main.rs +2 -2
         1   use std::io;                                                                                  │  1   use std::io;
         2                                                                                                 │  2   ⏎
         3   fn main() {                                                                                   │  3   fn main() {
         4 -     let name = "world";                                                                       │  4 +     let name = "everybody in this very long line that does not fit";
         5       println!("hello {name}");                                                                 │  5       println!("hello {name}");
                                                                                                           │  6 +     done();
         6   }                                                                                             │  7   }
         7                                                                                                 │  8   ⏎
         8   fn a() {}                                                                                     │  9   fn a() {}
        … 2 lines
        11   fn d() {}                                                                                     │ 12   fn d() {}
        12   fn e() {}                                                                                     │ 13   fn e() {}
        13   fn f() {}                                                                                     │ 14   fn f() {}
        14 - fn last() {}                                                                                  │ ⏎"#]],
    );
}

#[test]
fn new_and_emptied_files_say_so() {
    check(
        &v1::Diff::new("/project/new.txt", "one\n\ttwo\n"),
        60,
        &expect![[r#"
            new.txt +2 -0 new file
              1 + one
              2 + ␉   two"#]],
    );
    check(
        &v1::Diff::new("/else/where.txt", "").old_text("gone\n"),
        60,
        &expect![[r#"
            /else/where.txt +0 -1 emptied or deleted
            1   - gone"#]],
    );
}

#[test]
fn invisible_characters_are_shown() {
    check(
        &v1::Diff::new("/project/a", "same\n").old_text("same"),
        60,
        &expect![[r#"
            a +0 -0
            … only the line end at the end of the file changes
            … no newline at the end of the old text"#]],
    );
    check(
        &v1::Diff::new("/project/a", "a\nc").old_text("a\nb\n"),
        60,
        &expect![[r#"
            a +1 -1
            1 1   a
            2   - b
              2 + c
            … no newline at the end of the new text"#]],
    );
    check(
        &v1::Diff::new("/project/a", "rm -rf build \\ \n  dist\n    \n\t \n")
            .old_text("rm -rf build \\\n  dist\n"),
        60,
        &expect![[r#"
            a +3 -1
            1   - rm -rf build \
              1 + rm -rf build \␠
            2 2     dist
              3 + ␠⟦×4⟧
              4 + ␉   ␠"#]],
    );
    check(
        &v1::Diff::new("/project/a", "same\n").old_text("same\n"),
        60,
        &expect![[r#"
            a +0 -0
            … nothing changes"#]],
    );
    check(
        &v1::Diff::new("/project/a", "a\nb\r\n").old_text("a\nb\n"),
        60,
        &expect![[r#"
            a +1 -1
            1 1   a
            2   - b
              2 + b␍"#]],
    );
    let large = "x\n".repeat(600_000);
    check(
        &v1::Diff::new("/project/a", large.as_str()).old_text("y\n"),
        60,
        &expect![[r#"
            a +600000 -1
            … too large to compare here"#]],
    );
}

#[test]
fn a_huge_diff_is_cut() {
    let new: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    let diff = v1::Diff::new("/project/a", new.as_str());
    let shown = paint(&diff, &appearance(Palette::None), 60, 5).lines;
    expect![[r#"
        a +5000 -0 new file
                1 + line 0
                2 + line 1
                3 + line 2
        … 4997 more lines"#]]
    .assert_eq(&text(&shown));
}

#[test]
fn a_file_cannot_touch_the_screen() {
    check(
        &v1::Diff::new("/project/a\u{1b}[2J", "\u{1b}]0;x\u{7}new\u{202e}\n").old_text("o\rld\n"),
        60,
        &expect![[r#"
            a␛[2J +1 -1
            1   - o␍ld
              1 + ␛]0;x␇new⟦U+202E⟧"#]],
    );
}

#[test]
fn changed_parts_stand_out() {
    let diff = v1::Diff::new("/project/a.rs", "let total = sum(items, 2);\n")
        .old_text("let total = sum(items, 1);\n");
    let appearance = appearance(Palette::Full);
    paint(&diff, &appearance, 60, 9);
    appearance.highlighter.settle();
    let painted = paint(&diff, &appearance, 60, 9);
    assert!(painted.is_coloured);
    expect![[r#"
        [b:a.rs] [bgreen:+1] [bred:-1][245:]
        [245:1   ][bred:- ][176/52:let][/52: total = ][111/52:sum][/52:(items, ][b215/88:1][/52:);]
        [245:  1 ][bgreen:+ ][176/22:let][/22: total = ][111/22:sum][/22:(items, ][b215/28:2][/22:);]
    "#]].assert_eq(&styled(&painted.lines));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_diff_fits(old in prop::option::of(file()), new in file(), width in 1u16..200, is_wide in any::<bool>()) {
        let mut appearance = appearance(Palette::None);
        appearance.diffs = if is_wide { DiffLayout::SideBySide } else { DiffLayout::Unified };
        let mut diff = v1::Diff::new("/project/src/日本語/file.rs", new);
        diff.old_text = old;
        let shown = paint(&diff, &appearance, width, 30).lines;
        assert_fits(&shown, width);
        prop_assert!(shown.len() <= 30);
    }
}

fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(&["a\n", "b\n", "\n", "fn x() {\n", "}\n", "\r\n", "\ttab\n"][..]).prop_map(str::to_owned),
        1 => "\\PC{0,30}\n",
        1 => any::<String>(),
    ];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.concat())
}

fn change() -> v1::Diff {
    let old = "use std::io;\n\nfn main() {\n    let name = \"world\";\n    println!(\"hello {name}\");\n}\n\nfn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\nfn e() {}\nfn f() {}\nfn last() {}\n";
    let new = "use std::io;\n\nfn main() {\n    let name = \"everybody in this very long line that does not fit\";\n    println!(\"hello {name}\");\n    done();\n}\n\nfn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\nfn e() {}\nfn f() {}\n";
    v1::Diff::new("/project/src/main.rs", new).old_text(old)
}
