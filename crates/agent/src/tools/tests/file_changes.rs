//! Tests of `write`, `delete` and `move`, and of the content that is shown first.

use std::fs;
use std::os::unix::fs::symlink;

use expect_test::expect;

use super::{ClientOffer, TestWorkplace, diff};

#[tokio::test]
async fn a_write_shows_the_true_old_text_and_makes_directories() {
    for offer in [
        ClientOffer::Nothing,
        ClientOffer::Everything,
        ClientOffer::OnlyReads,
        ClientOffer::OnlyWrites,
    ] {
        let stage = TestWorkplace::with(offer, &[("ws/a", "old\n")]).await;
        let prepared = stage
            .prepare("write", r#"{"path":"a","content":"new\n"}"#)
            .await
            .unwrap();
        assert_eq!(diff(&prepared.content()), (Some("old\n"), "new\n"));
        assert_eq!(stage.disk("ws/a").unwrap(), "old\n");
        let outcome = prepared.perform(&stage.workplace, drop).await;
        assert_eq!(diff(&outcome.content), (Some("old\n"), "new\n"));
        expect!["Replaced `a`: 1 line."].assert_eq(&stage.text(&outcome));
        assert_eq!(stage.disk("ws/a").unwrap(), "new\n");
        let prepared = stage
            .prepare("write", r#"{"path":"d/e/f","content":""}"#)
            .await
            .unwrap();
        assert_eq!(diff(&prepared.content()), (None, ""));
        let outcome = prepared.perform(&stage.workplace, drop).await;
        expect!["Made `d/e/f`: 0 lines."].assert_eq(&stage.text(&outcome));
        assert_eq!(stage.disk("ws/d/e/f").unwrap(), "");
        let same = r#"{"path":"a","content":"new\n"}"#;
        stage
            .check(
                "write",
                same,
                expect!["FAILED `a` already has exactly this text; nothing was written"],
            )
            .await;
        stage
            .check(
                "write",
                r#"{"path":"d","content":""}"#,
                expect!["FAILED `@/ws/d` is a directory; name a regular file"],
            )
            .await;
        let calls = stage.asked();
        assert_eq!(
            calls.contains("read"),
            matches!(offer, ClientOffer::Everything | ClientOffer::OnlyReads),
            "{calls}"
        );
        assert_eq!(
            calls.contains("write"),
            matches!(offer, ClientOffer::Everything | ClientOffer::OnlyWrites),
            "{calls}"
        );
    }
}

#[tokio::test]
async fn a_file_that_changed_after_the_request_is_not_written() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[("ws/a", "old\n")]).await;
        let write = stage
            .prepare("write", r#"{"path":"a","content":"mine\n"}"#)
            .await
            .unwrap();
        let edit = stage
            .prepare("edit", r#"{"path":"a","old":"old","new":"mine"}"#)
            .await
            .unwrap();
        let new = stage
            .prepare("write", r#"{"path":"b","content":"mine\n"}"#)
            .await
            .unwrap();
        fs::write(stage.path("ws/a"), "theirs\n").unwrap();
        fs::write(stage.path("ws/b"), "theirs\n").unwrap();
        for prepared in [write, edit, new] {
            let outcome = prepared.perform(&stage.workplace, drop).await;
            let told = stage.text(&outcome);
            assert!(
                told.starts_with("FAILED") && told.contains("has changed in the meantime"),
                "{told}"
            );
            assert!(!told.contains("theirs"));
        }
        assert_eq!(stage.disk("ws/a").unwrap(), "theirs\n");
        assert_eq!(stage.disk("ws/b").unwrap(), "theirs\n");
    }
}

#[tokio::test]
async fn an_edit_starts_from_unsaved_text() {
    let stage = TestWorkplace::with(ClientOffer::Everything, &[("ws/a", "saved\n")]).await;
    let path = stage.path("ws/a");
    stage.editor.open_buffer(path.clone(), "unsaved\n");
    let prepared = stage
        .prepare("edit", r#"{"path":"a","old":"unsaved","new":"edited"}"#)
        .await
        .unwrap();
    assert_eq!(diff(&prepared.content()), (Some("unsaved\n"), "edited\n"));
    assert!(!prepared.perform(&stage.workplace, drop).await.failed);
    assert_eq!(stage.editor.buffer(&path).unwrap(), "edited\n");
    let prepared = stage
        .prepare("write", r#"{"path":"a","content":"mine\n"}"#)
        .await
        .unwrap();
    stage.editor.open_buffer(path.clone(), "typed meanwhile\n");
    assert!(prepared.perform(&stage.workplace, drop).await.failed);
    assert_eq!(stage.editor.buffer(&path).unwrap(), "typed meanwhile\n");
    expect![[r#"
        read @/ws/a
        read @/ws/a
        write @/ws/a
        read @/ws/a
        read @/ws/a"#]]
    .assert_eq(&stage.asked());
}

#[tokio::test]
async fn line_endings_and_byte_order_marks_are_kept() {
    let stage = TestWorkplace::new(&[
        ("ws/a", "\u{feff}one\r\ntwo\r\n"),
        ("ws/mixed", "one\r\ntwo\n"),
    ])
    .await;
    let write = r#"{"path":"a","content":"one\n2\nthree\n"}"#;
    stage
        .check("write", write, expect!["Replaced `a`: 3 lines."])
        .await;
    assert_eq!(stage.disk("ws/a").unwrap(), "\u{feff}one\r\n2\r\nthree\r\n");
    let edit = r#"{"path":"a","old":"one\n2\n","new":"1\n"}"#;
    stage
        .check(
            "edit",
            edit,
            expect!["Edited `a`: 1 replacement, the first at line 1."],
        )
        .await;
    assert_eq!(stage.disk("ws/a").unwrap(), "\u{feff}1\r\nthree\r\n");
    let edit = r#"{"path":"mixed","old":"two\n","new":"2\n"}"#;
    stage
        .check(
            "edit",
            edit,
            expect!["Edited `mixed`: 1 replacement, the first at line 2."],
        )
        .await;
    assert_eq!(stage.disk("ws/mixed").unwrap(), "one\r\n2\n");
}

#[tokio::test]
async fn a_large_diff_shows_only_the_differing_parts() {
    let lines: String = (1..=60_000).map(|line| format!("line {line}\n")).collect();
    let stage = TestWorkplace::new(&[("ws/a", &lines)]).await;
    let prepared = stage
        .prepare(
            "edit",
            r#"{"path":"a","old":"line 30000\n","new":"changed\nmore\n"}"#,
        )
        .await
        .unwrap();
    assert_eq!(
        diff(&prepared.content()),
        (
            Some(
                "line 29997\nline 29998\nline 29999\nline 30000\nline 30001\nline 30002\nline 30003\n"
            ),
            "line 29997\nline 29998\nline 29999\nchanged\nmore\nline 30001\nline 30002\nline 30003\n"
        )
    );
    assert_eq!(prepared.locations()[0].line, Some(30_000));
    assert!(!prepared.perform(&stage.workplace, drop).await.failed);
    assert_eq!(
        stage.disk("ws/a").unwrap(),
        lines.replace("line 30000\n", "changed\nmore\n")
    );
    let all = "x\n".repeat(300_000);
    let prepared = stage
        .prepare("write", &format!(r#"{{"path":"b","content":{all:?}}}"#))
        .await
        .unwrap();
    expect![[r#"[Content(Content { content: Text(TextContent { text: "`b`: 0 bytes become 600000, too large to show", annotations: None, meta: None }), meta: None })]"#]].assert_eq(&format!("{:?}", prepared.content()));
}

#[tokio::test]
async fn files_links_and_empty_directories_are_deleted() {
    let stage = TestWorkplace::new(&[
        ("ws/a", "x"),
        ("ws/target", "x"),
        ("ws/empty/", ""),
        ("ws/full/a", "x"),
    ])
    .await;
    symlink("target", stage.path("ws/link")).unwrap();
    stage
        .check("delete", r#"{"path":"a"}"#, expect!["Removed `a`."])
        .await;
    stage
        .check("delete", r#"{"path":"link"}"#, expect!["Removed `link`."])
        .await;
    stage
        .check("delete", r#"{"path":"empty"}"#, expect!["Removed `empty`."])
        .await;
    stage
        .check("delete", r#"{"path":"full"}"#, expect!["FAILED `full` is a directory that is not empty; remove its content first, or use `run`"])
        .await;
    stage
        .check(
            "delete",
            r#"{"path":"targe"}"#,
            expect!["FAILED file not found: `targe`; similar names: `target`"],
        )
        .await;
    stage.check("delete", r#"{"path":"."}"#, expect!["FAILED `@/ws` is or contains a directory of this session, so it cannot be removed or moved; choose a path below it"]).await;
    stage
        .check("delete", r#"{"path":"@/more"}"#, expect!["FAILED `@/more` is or contains a directory of this session, so it cannot be removed or moved; choose a path below it"])
        .await;
    let left: Vec<_> = fs::read_dir(stage.path("ws"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(stage.disk("ws/target").unwrap(), "x");
}

#[tokio::test]
async fn only_the_prepared_file_is_deleted_or_moved() {
    let stage = TestWorkplace::new(&[("ws/a", "x"), ("ws/b", "x")]).await;
    let delete = stage.prepare("delete", r#"{"path":"a"}"#).await.unwrap();
    let moving = stage
        .prepare("move", r#"{"from":"b","to":"c"}"#)
        .await
        .unwrap();
    fs::remove_file(stage.path("ws/a")).unwrap();
    fs::create_dir(stage.path("ws/a")).unwrap();
    fs::write(stage.path("ws/c"), "theirs").unwrap();
    let outcome = delete.perform(&stage.workplace, drop).await;
    expect!["FAILED `a` has changed in the meantime, so nothing was written; read it again and start from its current text"].assert_eq(&stage.text(&outcome));
    let outcome = moving.perform(&stage.workplace, drop).await;
    expect!["FAILED `@/ws/c` exists already; choose another name, or remove it first"]
        .assert_eq(&stage.text(&outcome));
    assert_eq!(stage.disk("ws/c").unwrap(), "theirs");
}

#[tokio::test]
async fn files_and_directories_are_moved_and_nothing_is_replaced() {
    let stage = TestWorkplace::new(&[
        ("ws/a", "a"),
        ("ws/b", "b"),
        ("ws/d/f", "f"),
        ("more/x", "x"),
    ])
    .await;
    stage
        .check(
            "move",
            r#"{"from":"a","to":"new/dir/a2"}"#,
            expect!["Moved `a` to `new/dir/a2`."],
        )
        .await;
    assert_eq!(stage.disk("ws/new/dir/a2").unwrap(), "a");
    stage
        .check(
            "move",
            r#"{"from":"d","to":"@/more/d"}"#,
            expect!["Moved `d` to `@/more/d`."],
        )
        .await;
    assert_eq!(stage.disk("more/d/f").unwrap(), "f");
    stage
        .check("move", r#"{"from":"b","to":"@/more/x"}"#, expect!["FAILED `@/more/x` already exists and is not replaced; choose another name, or delete it first"])
        .await;
    stage
        .check("move", r#"{"from":"b","to":"new"}"#, expect!["FAILED `new` is an existing directory; give the complete new path, including the last name"])
        .await;
    stage
        .check(
            "move",
            r#"{"from":"none","to":"n"}"#,
            expect!["FAILED file not found: `none`; look with `list` or `glob`"],
        )
        .await;
    stage
        .check(
            "move",
            r#"{"from":"new","to":"new/dir/below"}"#,
            expect!["FAILED `@/ws/new/dir/below` is not a valid path: it is inside the directory that is being moved"],
        )
        .await;
    assert_eq!(stage.disk("ws/b").unwrap(), "b");
    assert_eq!(stage.disk("more/x").unwrap(), "x");
}
