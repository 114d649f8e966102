//! Attacks on denied paths after a session began: hard links that are created later, paths that don't exist yet, and
//! trees that are deeper than a path can be long.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use std::fs;
use std::os::unix::fs::symlink;

use attache_process::{NestedMounts, Program, namespace_support};
use attache_schema::v1;

use super::DeniedPaths;
use crate::audit::Log;
use crate::files::{FileError, Files};
use crate::permissions::{Action, PermissionConfig, Permissions, Policy, Preset, Verdict};
use crate::scratch::Scratch;
use crate::terminals::Terminals;
use crate::{Host, Roots};

#[test]
fn a_hard_link_that_is_made_later_is_refused() {
    let tree = Scratch::new();
    fs::create_dir_all(tree.join("secrets/deep")).unwrap();
    for name in ["secrets/key", "secrets/deep/key", "plain"] {
        fs::write(tree.join(name), CANARY).unwrap();
    }
    let policy = policy(
        r#"{"rules":[{"action":"deny","id":"s","path":"./secrets"},{"action":"deny","id":"p","path":"plain"}]}"#,
    );
    let roots = Roots::open(&tree, &[]).unwrap();
    let (files, roots) = (
        Files::default(),
        roots.deny(policy.deny_path_rules("agent")),
    );
    assert!(!roots.denied().is_cut());
    for (round, name) in ["secrets/key", "secrets/deep/key", "plain"]
        .into_iter()
        .enumerate()
    {
        let link = tree.join(format!("link-{round}"));
        fs::hard_link(tree.join(name), &link).unwrap();
        let read = files.read(&roots, &link, None, None);
        assert!(
            matches!(read, Err(FileError::DeniedByPolicy { .. })),
            "{name}: {read:?}"
        );
        assert!(files.write(&roots, &link, "changed").is_err(), "{name}");
    }
    // A file that is created in a denied directory later, and its link.
    fs::write(tree.join("secrets/new"), CANARY).unwrap();
    fs::hard_link(tree.join("secrets/new"), tree.join("new")).unwrap();
    assert!(files.read(&roots, &tree.join("new"), None, None).is_err());
    // Others may have as many names as they like.
    fs::write(tree.join("open"), "open").unwrap();
    fs::hard_link(tree.join("open"), tree.join("also-open")).unwrap();
    let read = files.read(&roots, &tree.join("also-open"), None, None);
    assert_eq!(read.unwrap(), "open");
}

#[test]
fn a_command_that_may_create_a_denied_path_is_in_doubt() {
    let tree = Scratch::new();
    fs::create_dir_all(tree.join("there")).unwrap();
    let host = host(
        r#"{"rules":[{"action":"deny","kind":["edit"],"path":["./there","./plan.txt","./none/deep"]}]}"#,
    );
    let judge = |line: &str| {
        let command = ["-c".to_owned(), line.to_owned()];
        let request = v1::CreateTerminalRequest::new("s", "sh").args(command);
        let action = Action::from_terminal_request("agent", tree.to_path_buf(), &request);
        matches!(host.permissions.judge(&action), Verdict::Allow(_))
    };
    if namespace_support().is_err() {
        return;
    }
    let program = Program::new("true").cwd(&*tree);
    let (_, notices) = host.confine_agent(program.clone());
    assert!(
        notices[0].contains("`plan.txt`, `none/deep`"),
        "{notices:?}"
    );
    assert!(!notices[0].contains("there`"), "{notices:?}");
    assert!(notices[1].contains("sandbox.nested"), "{notices:?}");
    for line in [
        "echo evil > plan.txt",
        "mkdir -p none/deep",
        "cp x none/deep/y",
        "sh ./x.sh",
        "python3 -c 'import os'",
        "echo evil > $x",
    ] {
        assert!(!judge(line), "{line}");
    }
    for line in ["echo evil > other.txt", "cat plans", "ls there"] {
        assert!(judge(line), "{line}");
    }
    let host = host.nested_mounts(NestedMounts::Allowed);
    let (_, notices) = host.confine_agent(program);
    assert!(notices[1].contains("can access"), "{notices:?}");
    assert!(!host.permissions.enforcement().paths);
}

#[test]
fn a_path_through_a_link_is_in_doubt() {
    let tree = Scratch::new();
    fs::create_dir_all(tree.join("real/keys")).unwrap();
    symlink("real", tree.join("conf")).unwrap();
    for (path, is_missing) in [
        ("./conf/keys", true),
        ("./real/keys", false),
        ("./no", true),
    ] {
        let text = format!(r#"{{"rules":[{{"action":"deny","path":"{path}"}}]}}"#);
        let rules = policy(&text).deny_path_rules("agent");
        let denied = DeniedPaths::find(&rules, &[tree.to_path_buf()]);
        assert_eq!(denied.is_open_ended(), is_missing, "{path}");
        assert_eq!(denied.missing().len(), usize::from(is_missing), "{path}");
    }
    // Nobody but the superuser can turn this one elsewhere.
    let rules = policy(r#"{"rules":[{"action":"deny","path":"/proc/self/status"}]}"#);
    let denied = DeniedPaths::find(&rules.deny_path_rules("agent"), &[tree.to_path_buf()]);
    let is_root = rustix::process::geteuid().is_root();
    assert_eq!(denied.missing().len(), usize::from(is_root));
}

#[test]
fn a_tree_that_is_deeper_than_paths_are_long_is_not_overlooked() {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let tree = Scratch::new();
    let name = "d".repeat(250);
    let mut at = openat(rustix::fs::CWD, &*tree, OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..20 {
        mkdirat(&at, name.as_str(), Mode::RWXU).unwrap();
        at = openat(&at, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let create = OFlags::CREATE | OFlags::WRONLY;
    drop(openat(&at, "x.pem", create, Mode::RUSR).unwrap());
    let rules = policy(r#"{"rules":[{"action":"deny","path":"*.pem"}]}"#).deny_path_rules("agent");
    assert!(DeniedPaths::find(&rules, &[tree.to_path_buf()]).is_cut());
    let host = host(r#"{"rules":[{"action":"deny","path":"*.pem"}]}"#);
    let (_, notices) = host.confine_agent(Program::new("true").cwd(&*tree));
    assert!(!notices.is_empty());
    assert!(!host.permissions.enforcement().paths);
}

fn host(text: &str) -> Host {
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    config.policy = Some(policy(text));
    let (permissions, _) = Permissions::open(config);
    Host::new(
        Files::default(),
        Terminals::default(),
        permissions,
        Log::none(),
    )
}

fn policy(text: &str) -> Policy {
    Policy::parse("test", text).unwrap()
}

const CANARY: &str = "canary-5d10";
