//! Tests of `edit`, mainly of its errors when a passage does not match. The user sees only the first sentence of them.

use attache::v1;
use expect_test::{Expect, expect};

use super::TestWorkplace;

async fn check(text: &str, edits: &str, expected: Expect) {
    let stage = TestWorkplace::new(&[("ws/a.rs", text)]).await;
    let input = format!(r#"{{"path":"a.rs","edits":{edits}}}"#);
    let outcome = stage.outcome("edit", &input).await;
    if outcome.failed {
        assert_eq!(stage.disk("ws/a.rs").unwrap(), text);
        let [v1::ToolCallContent::Content(shown)] = outcome.content.as_slice() else {
            panic!("{outcome:?}");
        };
        let v1::ContentBlock::Text(shown) = &shown.content else {
            panic!("{outcome:?}");
        };
        assert_eq!(shown.text.lines().count(), 1);
        expected.assert_eq(&stage.text(&outcome));
    } else {
        let after = stage.disk("ws/a.rs").unwrap();
        expected.assert_eq(&format!("{}\n{after}", stage.text(&outcome)));
    }
}

fn edit(old: &str) -> String {
    format!(r#"[{{"old":{old:?},"new":"x"}}]"#)
}

#[tokio::test]
async fn replacements_are_applied_in_order() {
    check(
        "a b a\n",
        r#"[{"old":"b","new":"c"},{"old":"c a","new":"d"}]"#,
        expect![[r#"
            Edited `a.rs`: 2 replacements, the first at line 1.
            a d
        "#]],
    )
    .await;
    check(
        "a b a\n",
        r#"[{"old":"a","new":"x","all":true}]"#,
        expect![[r#"
            Edited `a.rs`: 2 replacements, the first at line 1.
            x b x
        "#]],
    )
    .await;
    check(
        "a\nb\n",
        r#"[{"old":"a\n","new":""}]"#,
        expect![[r#"
        Edited `a.rs`: 1 replacement, the first at line 1.
        b
    "#]],
    )
    .await;
    check(
        "a a\n",
        r#"[{"old":"a","new":"aa","all":true}]"#,
        expect![[r#"
            Edited `a.rs`: 2 replacements, the first at line 1.
            aa aa
        "#]],
    )
    .await;
}

#[tokio::test]
async fn either_all_replacements_are_applied_or_none() {
    check(
        CODE,
        r#"[{"old":"main","new":"start"},{"old":"nowhere to be seen","new":""}]"#,
        expect![[r#"
            FAILED `old` of edit 2 of 2 does not occur in `a.rs` exactly; nothing was changed

            No passage is similar; read the file again."#]],
    )
    .await;
    check(
        CODE,
        r#"[{"old":"main","new":"start"},{"old":"start","new":"main"}]"#,
        expect!["FAILED `new` of edit 2 of 2 leaves `a.rs` as it is; nothing was changed"],
    )
    .await;
    check(
        CODE,
        r#"[{"old":"main","new":"main"}]"#,
        expect!["FAILED `new` leaves `a.rs` as it is; nothing was changed"],
    )
    .await;
    check(CODE, r#"[{"old":"","new":"x"}]"#, expect!["FAILED `old` is empty; say which passage of `a.rs` to replace, or use `write` for the whole file"]).await;
}

#[tokio::test]
async fn an_ambiguous_passage_is_reported_with_its_lines() {
    check(CODE, r#"[{"old":"let","new":"const"}]"#, expect!["FAILED `old` occurs in `a.rs` more than once, at lines 2, 3; nothing was changed. Add lines around it until it is unique, or set `all`"]).await;
    check(&"x\n".repeat(50), r#"[{"old":"x","new":"y"}]"#, expect!["FAILED `old` occurs in `a.rs` more than once, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; nothing was changed. Add lines around it until it is unique, or set `all`"]).await;
}

#[tokio::test]
async fn small_differences_of_a_passage_are_described() {
    check(
        CODE,
        &edit("fn main() {\n  let one = 1;\n  let two = 2;"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is lines 1 - 3, which differs only in indentation:
               1   fn main() {
                 -   let one = 1;
                 -   let two = 2;
               2 +     let one = 1;
               3 +     let two = 2;"#]],
    )
    .await;
    check(
        CODE,
        &edit("\tlet two = 2;"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is line 3, which differs only in indentation:
                 - 	let two = 2;
               3 +     let two = 2;"#]],
    )
    .await;
    check(
        CODE,
        &edit("    let two  = 2;"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is line 3, which differs only in spaces:
                 -     let two  = 2;
               3 +     let two = 2;"#]],
    )
    .await;
    check(
        CODE,
        &edit("    Let Two = 2;"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is line 3, which differs only in capital letters:
                 -     Let Two = 2;
               3 +     let two = 2;"#]],
    )
    .await;
    check(
        "a \nb\t\n",
        &edit("a\nb\n"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is lines 1 - 2, which differs only in spaces at the ends of lines:
                 - a
                 - b
               1 + a 
               2 + b"#]],
    )
    .await;
}

#[tokio::test]
async fn the_nearest_passage_is_shown_as_a_diff() {
    check(
        CODE,
        &edit("    let two = 3;\n    println!(\"{}\", one + two);\n"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is lines 3 - 4, where `-` is what you sent and `+` what the file says:
                 -     let two = 3;
               3 +     let two = 2;
               4       println!("{}", one + two);"#]],
    )
    .await;
    check(
        CODE,
        &edit("    let one = 1;\n    println!(\"{}\", one);"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is lines 3 - 4, where `-` is what you sent and `+` what the file says:
                 -     let one = 1;
                 -     println!("{}", one);
               3 +     let two = 2;
               4 +     println!("{}", one + two);"#]],
    )
    .await;
    check(
        "one\ntwo",
        &edit("two\n"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            The nearest passage is line 2, which differs only where it begins or ends:
               2   two"#]],
    )
    .await;
    check(
        "",
        &edit("two\n"),
        expect![[r#"
            FAILED `old` does not occur in `a.rs` exactly; nothing was changed

            No passage is similar; read the file again."#]],
    )
    .await;
}

#[tokio::test]
async fn edit_does_not_create_a_missing_file() {
    let stage = TestWorkplace::new(&[("ws/main.rs", "x")]).await;
    stage
        .check(
            "edit",
            r#"{"path":"mein.rs","old":"x","new":"y"}"#,
            expect!["FAILED file not found: `mein.rs`; similar names: `main.rs`"],
        )
        .await;
}

#[tokio::test]
async fn a_long_file_is_searched_for_the_nearest_passage_in_bounded_time() {
    let text: String = (0..40_000)
        .map(|n| format!("    let value_{n} = compute({n});\n"))
        .collect();
    let stage = TestWorkplace::new(&[("ws/a", &text)]).await;
    let begun = std::time::Instant::now();
    let told = stage
        .for_model(
            "edit",
            r#"{"path":"a","old":"let value_39999 = computed(39999);","new":""}"#,
        )
        .await;
    assert!(told.contains("line 40000"), "{told}");
    assert!(begun.elapsed().as_secs() < 60);
}

#[tokio::test]
async fn edits_that_would_grow_a_file_too_much_are_rejected() {
    let double = r#"{"old":"a","new":"aa","all":true}"#;
    let edits = format!("[{}]", vec![double; 64].join(","));
    check(
        "a\n",
        &edits,
        expect![
            "FAILED `new` of edit 24 of 64 would make `a.rs` more than 10 MiB longer; nothing was changed. Use `run` for that"
        ],
    )
    .await;
}

const CODE: &str = "\
fn main() {
    let one = 1;
    let two = 2;
    println!(\"{}\", one + two);
}
";
