//! Hard links to files that a rule asks about: such a file is not read by any name before the user was asked.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use std::fs;
use std::path::PathBuf;

use attache_schema::v1;

use crate::audit::Log;
use crate::files::{FileError, Files};
use crate::permissions::{Action, PermissionConfig, Permissions, Policy, Preset, Verdict};
use crate::scratch::Scratch;
use crate::terminals::Terminals;
use crate::{Host, Roots};

const CANARY: &str = "canary-51d0";
const POLICIES: [&str; 5] = [
    r#"{"rules":[{"action":"ask","path":"secrets","id":"r"}]}"#,
    r#"{"rules":[{"action":"ask","path":"secrets/**","id":"r"}]}"#,
    r#"{"rules":[{"action":"ask","path":"./secrets/key","id":"r"}]}"#,
    r#"{"rules":[{"action":"ask","kind":"read","path":"key","id":"r"}]}"#,
    r#"{"rules":[{"action":"ask","path":"secrets","id":"r"},{"action":"allow","path":"**"}],"default":"allow"}"#,
];

fn tree() -> Scratch {
    let tree = Scratch::new();
    for directory in ["secrets", "open"] {
        fs::create_dir(tree.join(directory)).unwrap();
    }
    fs::write(tree.join("secrets/key"), CANARY).unwrap();
    fs::write(tree.join("open/file"), "open").unwrap();
    fs::write(tree.join("open/pair"), "open").unwrap();
    fs::hard_link(tree.join("open/pair"), tree.join("open/pair-2")).unwrap();
    tree
}

/// Names that lead to the file and that no rule knows.
fn hidden(tree: &Scratch) -> Vec<PathBuf> {
    fs::hard_link(tree.join("secrets/key"), tree.join("open/hard")).unwrap();
    fs::hard_link(tree.join("open/hard"), tree.join("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("hard", tree.join("open/link-to-hard")).unwrap();
    let names = [
        "open/hard",
        "AGENTS.md",
        "open/link-to-hard",
        "open/../open/hard",
    ];
    names.map(|name| tree.join(name)).into()
}

fn permissions(policy: &str, is_attended: bool) -> Permissions {
    let mut config = PermissionConfig::new(Preset::ApproveReads);
    config.policy = Some(Policy::parse("test", policy).unwrap());
    config.is_attended = is_attended;
    Permissions::open(config).0
}

#[test]
fn no_hidden_name_reads_a_file_that_a_rule_asks_about() {
    for policy in POLICIES {
        let tree = tree();
        let roots = Roots::open(&tree, &[]).unwrap();
        let rules = Policy::parse("test", policy)
            .unwrap()
            .ask_path_rules("agent");
        let (files, roots) = (Files::default(), roots.ask(rules));
        // What appears after the rules were looked up is found too.
        assert_eq!(
            files
                .read(&roots, &tree.join("open/pair"), None, None)
                .unwrap(),
            "open"
        );
        for name in hidden(&tree) {
            for read in [
                files.read(&roots, &name, None, None).map(|_| ()),
                files.open(&roots, &name).map(|_| ()),
                files.resolve_read(&roots, &name).map(|_| ()),
            ] {
                let Err(FileError::AskedByPolicy { rule, other, .. }) = &read else {
                    panic!("{policy} {name:?}: {read:?}");
                };
                assert_eq!(rule, "r");
                assert_eq!(other.as_deref(), Some(&*tree.join("secrets/key")));
            }
        }
        // By the name that the rule has, the rule decides; other hard links are read.
        for (name, text) in [
            ("secrets/key", CANARY),
            ("open/pair-2", "open"),
            ("open/file", "open"),
        ] {
            assert_eq!(
                files.read(&roots, &tree.join(name), None, None).unwrap(),
                text
            );
        }
    }
}

#[tokio::test]
async fn a_request_is_asked_about_and_reads_only_the_file_that_was_judged() {
    for policy in POLICIES {
        for is_attended in [true, false] {
            let tree = tree();
            let permissions = permissions(policy, is_attended);
            let host = Host::new(
                Files::default(),
                Terminals::default(),
                permissions,
                Log::none(),
            );
            let host = host.for_agent("agent");
            let session = v1::SessionId::from("s");
            host.open(&session, Roots::open(&tree, &[]).unwrap());
            for name in hidden(&tree) {
                let request = v1::ReadTextFileRequest::new(session.clone(), name.to_str().unwrap());
                let place = host.inspect_read(&request).await;
                let action =
                    Action::from_read_request("agent", tree.to_path_buf(), &request, &place);
                let verdict = host.permissions.judge(&action);
                match is_attended {
                    true => assert!(matches!(verdict, Verdict::Ask), "{name:?}: {verdict:?}"),
                    false => assert!(matches!(verdict, Verdict::Deny(_)), "{name:?}: {verdict:?}"),
                }
                host.read_text_file(&request).await.unwrap_err();
                // The user has allowed it.
                let read = host.read_inspected(&request, &place).await.unwrap();
                assert_eq!(read.content, CANARY);
            }
            // Permission for one file does not cover another that was put in its place.
            let swapped = tree.join("open/pair");
            let request = v1::ReadTextFileRequest::new(session.clone(), swapped.to_str().unwrap());
            let place = host.inspect_read(&request).await;
            assert_eq!(
                host.read_inspected(&request, &place).await.unwrap().content,
                "open"
            );
            fs::remove_file(&swapped).unwrap();
            fs::hard_link(tree.join("secrets/key"), &swapped).unwrap();
            host.read_inspected(&request, &place).await.unwrap_err();
        }
    }
}
