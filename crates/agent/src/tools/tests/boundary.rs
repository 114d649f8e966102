//! Tests of the boundary: no tool accesses anything outside the roots, and the client does not even get a request.

use std::fs;
use std::os::unix::fs::symlink;

use expect_test::expect;

use super::{ClientOffer, TestWorkplace};

async fn walled(offer: ClientOffer) -> TestWorkplace {
    let stage = TestWorkplace::with(
        offer,
        &[
            ("ws/inside", "inside\n"),
            ("ws/d/f", "inside\n"),
            ("ws/.git/hooks/pre-commit", "echo\n"),
            ("ws/.envrc", "echo\n"),
            ("out/secret", "secret\n"),
        ],
    )
    .await;
    symlink(stage.path("out/secret"), stage.path("ws/link")).unwrap();
    symlink(stage.path("out"), stage.path("ws/way")).unwrap();
    symlink("../out/none", stage.path("ws/dangling")).unwrap();
    symlink("inside", stage.path("ws/alias")).unwrap();
    stage
}

#[tokio::test]
async fn paths_outside_the_roots_are_rejected_before_the_client_is_asked() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = walled(offer).await;
        let paths = [
            "../out/secret",
            "@/out/secret",
            "link",
            "way/secret",
            "way/new",
            "d/../../out/secret",
            "dangling",
            "/etc/passwd",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd/x",
        ];
        for path in paths {
            let calls = [
                ("read", format!(r#"{{"path":"{path}"}}"#)),
                ("write", format!(r#"{{"path":"{path}","content":"x"}}"#)),
                (
                    "edit",
                    format!(r#"{{"path":"{path}","old":"secret","new":"x"}}"#),
                ),
                ("list", format!(r#"{{"path":"{path}"}}"#)),
                (
                    "search",
                    format!(r#"{{"pattern":"secret","path":"{path}"}}"#),
                ),
                ("glob", format!(r#"{{"pattern":"*","path":"{path}"}}"#)),
                ("move", format!(r#"{{"from":"inside","to":"{path}"}}"#)),
                ("run", format!(r#"{{"command":"ls","cwd":"{path}"}}"#)),
            ];
            for (tool, input) in calls {
                let told = stage.for_model(tool, &input).await;
                assert!(
                    told.starts_with("FAILED") && told.contains("outside"),
                    "{tool} {input}: {told}"
                );
            }
        }
        for path in [
            "../out/secret",
            "way/secret",
            "/etc/passwd",
            "/proc/1/status",
        ] {
            let told = stage
                .for_model("delete", &format!(r#"{{"path":"{path}"}}"#))
                .await;
            assert!(
                told.starts_with("FAILED") && told.contains("outside"),
                "{path}: {told}"
            );
        }
        assert_eq!(stage.disk("out/secret").unwrap(), "secret\n");
        assert_eq!(fs::read_dir(stage.path("out")).unwrap().count(), 1);
        assert_eq!(stage.disk("ws/inside").unwrap(), "inside\n");
        assert_eq!(stage.asked(), "");
    }
}

#[tokio::test]
async fn protected_files_are_never_changed() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = walled(offer).await;
        let calls = [
            (
                "write",
                r#"{"path":".git/hooks/post-commit","content":"x"}"#,
            ),
            ("write", r#"{"path":"d/.vscode/tasks.json","content":"x"}"#),
            ("edit", r#"{"path":".envrc","old":"echo","new":"x"}"#),
            ("delete", r#"{"path":".git/hooks/pre-commit"}"#),
            ("delete", r#"{"path":".envrc"}"#),
            ("move", r#"{"from":"inside","to":".git/hooks/x"}"#),
            ("move", r#"{"from":".git","to":"git"}"#),
            ("move", r#"{"from":"d","to":".vscode"}"#),
        ];
        for (tool, input) in calls {
            let told = stage.for_model(tool, input).await;
            assert!(
                told.starts_with("FAILED") && told.contains("is protected"),
                "{tool} {input}: {told}"
            );
        }
        assert_eq!(stage.asked(), "");
        assert_eq!(stage.disk("ws/.envrc").unwrap(), "echo\n");
    }
}

#[tokio::test]
async fn a_link_is_shown_with_its_target() {
    let stage = walled(ClientOffer::Everything).await;
    let prepared = stage
        .prepare("write", r#"{"path":"alias","content":"new\n"}"#)
        .await
        .unwrap();
    assert_eq!(
        prepared.locations()[0].path.as_path(),
        stage.path("ws/inside")
    );
    assert!(!prepared.perform(&stage.workplace, drop).await.failed);
    expect![[r#"
        read @/ws/inside
        read @/ws/inside
        write @/ws/inside"#]]
    .assert_eq(&stage.asked());
    assert!(
        fs::symlink_metadata(stage.path("ws/alias"))
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn a_link_created_after_the_request_is_not_followed() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        for target in ["out", "ws/other"] {
            let stage = walled(offer).await;
            fs::create_dir(stage.path("ws/other")).unwrap();
            fs::write(stage.path("ws/other/f"), "inside\n").unwrap();
            fs::write(stage.path("out/f"), "inside\n").unwrap();
            let mut all = Vec::new();
            for (tool, input) in [
                ("write", r#"{"path":"d/f","content":"x"}"#),
                ("write", r#"{"path":"d/new","content":"x"}"#),
                ("edit", r#"{"path":"d/f","old":"inside","new":"x"}"#),
                ("delete", r#"{"path":"d/f"}"#),
                ("move", r#"{"from":"d/f","to":"g"}"#),
                ("move", r#"{"from":"inside","to":"d/g"}"#),
            ] {
                all.push(stage.prepare(tool, input).await.unwrap());
            }
            fs::rename(stage.path("ws/d"), stage.path("ws/was-d")).unwrap();
            symlink(stage.path(target), stage.path("ws/d")).unwrap();
            for prepared in all {
                let title = prepared.title().to_owned();
                let outcome = prepared.perform(&stage.workplace, drop).await;
                assert!(outcome.failed, "{title} {target}");
            }
            assert_eq!(stage.disk(&format!("{target}/f")).unwrap(), "inside\n");
            assert_eq!(stage.disk("ws/was-d/f").unwrap(), "inside\n");
            assert!(!stage.asked().contains("write"));
        }
    }
}

#[tokio::test]
async fn a_root_that_was_replaced_is_closed() {
    let stage = walled(ClientOffer::Everything).await;
    fs::rename(stage.path("ws"), stage.path("was-ws")).unwrap();
    fs::create_dir(stage.path("ws")).unwrap();
    fs::write(stage.path("ws/inside"), "another").unwrap();
    stage
        .check("read", r#"{"path":"inside"}"#, expect!["FAILED the session's directory `@/ws` was moved, replaced or removed; start a new session"])
        .await;
    assert_eq!(stage.asked(), "");
}
