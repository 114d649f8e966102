//! Tests of `read`.

use std::fs;

use expect_test::expect;

use super::{ClientOffer, TestWorkplace};

#[tokio::test]
async fn lines_have_numbers_and_a_note_on_how_to_continue() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(
            offer,
            &[("ws/a.txt", "one\ntwo\r\nthree\nfour"), ("ws/empty", "")],
        )
        .await;
        stage
            .check(
                "read",
                r#"{"path":"a.txt"}"#,
                expect![[r#"
                    1	one
                    2	two
                    3	three
                    4	four"#]],
            )
            .await;
        stage
            .check(
                "read",
                r#"{"path":"@/ws/a.txt","line":2,"limit":2}"#,
                expect![[r#"
                    2	two
                    3	three
                    [lines 2 - 3 of 4; read on with `line` 4]"#]],
            )
            .await;
        stage
            .check(
                "read",
                r#"{"path":"./a.txt","line":3}"#,
                expect![[r#"
                    3	three
                    4	four
                    [lines 3 - 4 of 4; the file ends here]"#]],
            )
            .await;
        stage
            .check(
                "read",
                r#"{"path":"a.txt","line":9}"#,
                expect!["FAILED `a.txt` ends before line 9: it has 4 lines"],
            )
            .await;
        stage
            .check(
                "read",
                r#"{"path":"empty"}"#,
                expect!["[the file is empty]"],
            )
            .await;
    }
}

#[tokio::test]
async fn unreadable_files_are_explained() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(
            offer,
            &[
                ("ws/src/main.rs", "x"),
                ("ws/src/mail.rs", "x"),
                ("ws/binary", "a\0b"),
                ("ws/dir/", ""),
            ],
        )
        .await;
        std::os::unix::fs::symlink("gone", stage.path("ws/src/link")).unwrap();
        stage
            .check(
                "read",
                r#"{"path":"src/link"}"#,
                expect![
                    "FAILED `src/link` is a link whose target does not exist; look with `list`"
                ],
            )
            .await;
        stage
            .check("read", r#"{"path":"src/mian.rs"}"#, expect!["FAILED file not found: `src/mian.rs`; similar names: `src/main.rs`, `src/mail.rs`"])
            .await;
        stage
            .check(
                "read",
                r#"{"path":"src/zzz"}"#,
                expect!["FAILED file not found: `src/zzz`; look with `list` or `glob`"],
            )
            .await;
        stage
            .check("read", r#"{"path":"scr/main.rs"}"#, expect!["FAILED file not found: `scr/main.rs`, and no directory `scr`; look with `list` or `glob`"])
            .await;
        stage
            .check("read", r#"{"path":"binary"}"#, expect!["FAILED `@/ws/binary` is not text: it is binary or not UTF-8; read it with a tool for its format"])
            .await;
        stage
            .check(
                "read",
                r#"{"path":"dir"}"#,
                expect!["FAILED `dir` is a directory; use `list` to see what is in it"],
            )
            .await;
    }
}

#[tokio::test]
async fn long_files_and_lines_are_cut_with_a_note() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let many: String = (1..=5000).map(|line| format!("line {line}\n")).collect();
        let wide = format!("{}\nshort\n", "ä".repeat(30_000));
        let fat = format!("{}\n", "x".repeat(999)).repeat(3000);
        let stage = TestWorkplace::with(
            offer,
            &[("ws/many", &many), ("ws/wide", &wide), ("ws/fat", &fat)],
        )
        .await;
        for (input, last) in [
            (
                r#"{"path":"many"}"#,
                "[lines 1 - 2000 of 5000; read on with `line` 2001]",
            ),
            (
                r#"{"path":"many","line":4000}"#,
                "[lines 4000 - 5000 of 5000; the file ends here]",
            ),
            (
                r#"{"path":"wide"}"#,
                "[1 line is longer than 2000 bytes and cut; use `run` to see all of it]",
            ),
            (
                r#"{"path":"fat","line":2900}"#,
                "[lines 2900 - 2948; read on with `line` 2949]",
            ),
            (
                r#"{"path":"fat","line":2999}"#,
                "[lines 2999 - 3000; the file ends here]",
            ),
        ] {
            let told = stage.for_model("read", input).await;
            assert_eq!(told.lines().last(), Some(last), "{input}");
            assert!(told.len() <= 50_000);
        }
        let told = stage
            .for_model("read", r#"{"path":"fat","line":4000}"#)
            .await;
        assert_eq!(told, "FAILED `fat` ends before line 4000");
    }
}

#[tokio::test]
async fn unsaved_changes_are_read_only_through_the_client() {
    let stage = TestWorkplace::with(ClientOffer::Everything, &[("ws/a", "saved\n")]).await;
    stage.editor.open_buffer(stage.path("ws/a"), "unsaved\n");
    stage
        .editor
        .open_buffer(stage.path("ws/new"), "never saved\n");
    stage
        .check("read", r#"{"path":"a"}"#, expect!["1	unsaved"])
        .await;
    stage
        .check("read", r#"{"path":"new"}"#, expect!["1	never saved"])
        .await;
    expect![[r#"
        read @/ws/a
        read @/ws/new"#]]
    .assert_eq(&stage.asked());
    let stage = TestWorkplace::with(ClientOffer::OnlyWrites, &[("ws/a", "saved\n")]).await;
    stage.editor.open_buffer(stage.path("ws/a"), "unsaved\n");
    stage
        .check("read", r#"{"path":"a"}"#, expect!["1	saved"])
        .await;
    expect![""].assert_eq(&stage.asked());
}

#[tokio::test]
async fn images_are_shown() {
    let stage = TestWorkplace::new(&[]).await;
    fs::write(stage.path("ws/p.png"), b"\x89PNG\r\n\x1a\nrest\0").unwrap();
    fs::write(stage.path("ws/p.jpg"), b"\xff\xd8\xff\xe0rest").unwrap();
    fs::write(stage.path("ws/text.png"), "no picture").unwrap();
    let mut large = b"GIF89a".to_vec();
    large.resize(5 << 20, 0);
    fs::write(stage.path("ws/large.gif"), large).unwrap();
    stage
        .check(
            "read",
            r#"{"path":"p.png"}"#,
            expect![[r#"
            `p.png` is a picture of 13 bytes:
            <image/png 20 bytes>"#]],
        )
        .await;
    stage
        .check(
            "read",
            r#"{"path":"p.jpg"}"#,
            expect![[r#"
            `p.jpg` is a picture of 8 bytes:
            <image/jpeg 12 bytes>"#]],
        )
        .await;
    stage
        .check("read", r#"{"path":"text.png"}"#, expect!["1	no picture"])
        .await;
    stage
        .check("read", r#"{"path":"large.gif"}"#, expect!["FAILED `@/ws/large.gif` is too large: 5242880 bytes, the limit is 4194304; make the picture smaller with another tool first"])
        .await;
}
