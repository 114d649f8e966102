//! Attacks on denied paths by file requests: every name that leads to a denied file is refused, whatever it looks like.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use attache_process::CoverKind;

use super::{Access, ConfinedProcess, DeniedPaths, PatternBases, find};
use crate::Roots;
use crate::files::{FileError, Files};
use crate::permissions::Policy;
use crate::scratch::Scratch;

#[test]
fn no_name_of_a_denied_file_reads_or_changes_it() {
    let tree = tree();
    let (files, roots) = (Files::default(), roots(&tree, DENIES));
    let mut tried = 0;
    for name in names(&tree) {
        let read = files.read(&roots, &name, None, None);
        assert!(
            !read.as_ref().is_ok_and(|text| text.contains(CANARY)),
            "{name:?}: {read:?}"
        );
        let listed = files.list(&roots, name.parent().unwrap());
        let is_listed = |listing: &crate::files::Listing| {
            listing
                .entries
                .iter()
                .any(|entry| entry.name == "deep-name")
        };
        assert!(!listed.as_ref().is_ok_and(is_listed), "{name:?}");
        if name.exists() {
            assert!(files.write(&roots, &name, "changed").is_err(), "{name:?}");
        }
        tried += 1;
    }
    assert!(tried > 300, "{tried}");
    for name in [
        "secrets/key",
        "secrets/deep/key",
        "app/.env",
        "keys/server.pem",
    ] {
        assert!(files.remove(&roots, &tree.join(name)).is_err(), "{name}");
        assert_eq!(
            fs::read_to_string(tree.join(name)).unwrap(),
            CANARY,
            "{name}"
        );
    }
    assert_eq!(
        files
            .read(&roots, &tree.join("open/file"), None, None)
            .unwrap(),
        "open"
    );
}

#[test]
fn a_hard_link_to_a_denied_file_is_refused_on_the_descriptor() {
    let tree = tree();
    fs::hard_link(tree.join("secrets/key"), tree.join("open/innocent")).unwrap();
    let (files, roots) = (Files::default(), roots(&tree, DENIES));
    let read = files.read(&roots, &tree.join("open/innocent"), None, None);
    assert!(
        matches!(&read, Err(FileError::DeniedByPolicy { rule, .. }) if rule == "secrets"),
        "{read:?}"
    );
    let file = File::open(tree.join("open/innocent")).unwrap();
    let judged = roots.denied().check_file(&file, Access::Read);
    assert_eq!(judged.unwrap_err().rule, "secrets");
    // Programs do not see it either.
    let (covers, open) = roots
        .denied()
        .covers(ConfinedProcess::Command, &tree)
        .unwrap();
    assert!(
        covers
            .iter()
            .any(|cover| cover.path.ends_with("open/innocent")),
        "{covers:?}"
    );
    assert!(open.is_empty());
}

#[test]
fn after_an_incomplete_search_files_with_two_names_are_refused() {
    let tree = tree();
    fs::write(tree.join("open/one"), "x").unwrap();
    fs::hard_link(tree.join("open/one"), tree.join("open/two")).unwrap();
    let rules = policy(DENIES).deny_path_rules("agent");
    let bases = PatternBases {
        roots: vec![tree.to_path_buf()],
        home: None,
    };
    let mut denied = DeniedPaths::find_in(&rules, bases);
    let file = File::open(tree.join("open/one")).unwrap();
    assert!(denied.check_file(&file, Access::Read).is_ok());
    denied.is_cut = true;
    assert!(denied.check_file(&file, Access::Read).is_err());
}

#[test]
fn a_denied_tree_that_moves_with_its_parent_is_still_covered() {
    let tree = tree();
    let roots = roots(
        &tree,
        r#"{"rules":[{"action":"deny","id":"deep","path":"secrets/deep"}]}"#,
    );
    let cover = |at: &str| {
        let (covers, _) = roots
            .denied()
            .covers(ConfinedProcess::Command, &tree)
            .unwrap();
        covers.iter().any(|cover| cover.path.ends_with(at))
    };
    assert!(cover("secrets/deep"));
    let files = Files::default();
    let moved = files.rename(&roots, &tree.join("secrets"), &tree.join("other"));
    assert!(
        matches!(moved, Err(FileError::DeniedByPolicy { .. })),
        "{moved:?}"
    );
    fs::rename(tree.join("secrets"), tree.join("other")).unwrap();
    assert!(cover("other/deep"));
    assert!(!cover("secrets/deep"));
    // One that takes its place is covered as well.
    fs::create_dir_all(tree.join("secrets/deep")).unwrap();
    assert!(cover("other/deep") && cover("secrets/deep"));
}

#[test]
fn a_file_that_matches_a_pattern_later_is_covered_for_the_next_command() {
    let tree = tree();
    let roots = roots(&tree, DENIES);
    assert!(roots.denied().paths().count() > 0);
    fs::write(tree.join("open/.env"), CANARY).unwrap();
    let (covers, _) = roots
        .denied()
        .covers(ConfinedProcess::Command, &tree)
        .unwrap();
    assert!(covers.iter().any(|cover| cover.path.ends_with("open/.env")));
}

#[test]
fn rules_reach_as_far_as_their_kinds() {
    let tree = tree();
    let files = Files::default();
    let changes =
        r#"{"rules":[{"action":"deny","id":"x","kind":["edit","delete"],"path":"secrets/**"}]}"#;
    let roots_ = roots(&tree, changes);
    assert_eq!(
        files
            .read(&roots_, &tree.join("secrets/key"), None, None)
            .unwrap(),
        CANARY
    );
    assert!(
        files
            .write(&roots_, &tree.join("secrets/new"), "x")
            .is_err()
    );
    let (covers, _) = roots_
        .denied()
        .covers(ConfinedProcess::Agent, &tree)
        .unwrap();
    assert_eq!(covers.len(), 1);
    for (policy, expected) in [
        (
            r#"{"rules":[{"action":"deny","kind":"execute","path":"secrets/**"}]}"#,
            (0, 1),
        ),
        (
            r#"{"rules":[{"action":"deny","tool":"Bash","path":"secrets/**"}]}"#,
            (0, 0),
        ),
        (
            r#"{"rules":[{"action":"deny","agent":"other","path":"secrets/**"}]}"#,
            (0, 0),
        ),
        (
            r#"{"rules":[{"action":"deny","agent":"agent","path":"secrets/**"}]}"#,
            (1, 1),
        ),
        (
            r#"{"rules":[{"action":"ask","path":"secrets/**"}]}"#,
            (0, 0),
        ),
        (
            r#"{"rules":[{"action":"deny","path":"SECRETS"},{"action":"deny","path":"./Secrets/**"}]}"#,
            (1, 1),
        ),
    ] {
        let roots = roots(&tree, policy);
        let count = |subject| roots.denied().covers(subject, &tree).unwrap().0.len();
        assert_eq!(
            (
                count(ConfinedProcess::Agent),
                count(ConfinedProcess::Command)
            ),
            expected,
            "{policy}"
        );
    }
}

/// Rules on one file add up, whatever their order and however each names the file.
#[test]
fn no_rule_weakens_another_on_the_same_file() {
    let tree = tree();
    fs::hard_link(tree.join("keys/server.pem"), tree.join("app/link.key")).unwrap();
    let names = ["keys", "./keys/server.pem", "*.pem", "keys/*", "app/*.key"];
    for (first, second) in [
        ("execute", "edit"),
        ("execute", "read"),
        ("edit", "read"),
        ("edit", "execute"),
        ("read", "execute"),
        ("read", "edit"),
    ] {
        for (one, other) in names
            .iter()
            .flat_map(|one| names.iter().map(move |other| (one, other)))
        {
            let text = format!(
                r#"{{"rules":[{{"action":"deny","kind":"{first}","path":"{one}"}},{{"action":"deny","kind":"{second}","path":"{other}"}}]}}"#
            );
            let roots = roots(&tree, &text);
            let denies = |kind: &str| first == kind || second == kind;
            for name in ["keys/server.pem", "app/link.key"] {
                let covers = |subject| {
                    let (covers, _) = roots.denied().covers(subject, &tree).unwrap();
                    let covers = covers.into_iter();
                    let about = covers.filter(|cover| tree.join(name).starts_with(&cover.path));
                    about
                        .map(|cover| cover.kind != CoverKind::ReadOnly)
                        .collect::<Vec<_>>()
                };
                let (agent, command) = (
                    covers(ConfinedProcess::Agent),
                    covers(ConfinedProcess::Command),
                );
                let what = format!("{name}: {text}: {agent:?} {command:?}");
                assert_eq!(agent.contains(&true), denies("read"), "{what}");
                let is_covered = denies("read") || denies("edit");
                assert_eq!(!agent.is_empty(), is_covered, "{what}");
                let hides = denies("read") || denies("execute");
                assert_eq!(command.contains(&true), hides, "{what}");
            }
        }
    }
}

#[test]
fn only_patterns_are_open_ended() {
    for (path, expected) in [
        ("secrets/**", false),
        ("secrets/*", false),
        ("/etc/shadow", false),
        ("~/.aws", false),
        (".env", true),
        ("*.pem", true),
        ("keys/*.pem", true),
        ("**/secrets/**", true),
    ] {
        let policy = policy(&format!(
            r#"{{"rules":[{{"action":"deny","path":"{path}"}}]}}"#
        ));
        assert_eq!(
            policy.deny_path_rules("agent").have_globs(),
            expected,
            "{path}"
        );
    }
}

#[test]
fn a_search_ends_in_time() {
    let tree = tree();
    for index in 0..300 {
        fs::write(tree.join(format!("open/{index}.pem")), "x").unwrap();
    }
    let denied = DeniedPaths::find(
        &policy(DENIES).deny_path_rules("agent"),
        &[tree.to_path_buf()],
    );
    assert!(
        denied.is_cut(),
        "more than {} are not covered",
        find::MAX_FOUND
    );
    assert!(denied.is_open_ended());
}

/// Another process swaps the denied tree, or its parent, with another directory all the time.
#[test]
fn a_swapped_parent_does_not_lead_a_request_into_a_denied_tree() {
    let tree = tree();
    for directory in ["config/priv", "other/priv", "d/made"] {
        fs::create_dir_all(tree.join(directory)).unwrap();
    }
    fs::write(tree.join("config/priv/key"), CANARY).unwrap();
    for name in ["other/priv/key", "d/key"] {
        fs::write(tree.join(name), "open").unwrap();
    }
    let roots = roots(
        &tree,
        r#"{"rules":[{"action":"deny","path":"secrets/**"},{"action":"deny","path":"config/priv"}]}"#,
    );
    assert_eq!(roots.denied().paths().count(), 2);
    // Whatever their names are by now.
    let secret = ["secrets", "config/priv"].map(|name| File::open(tree.join(name)).unwrap());
    let is_over = AtomicBool::new(false);
    let (seen, read, written) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (one, other) in [("secrets", "d"), ("config", "other"), ("secrets", "d/made")] {
                    let (one, other) = (tree.join(one), tree.join(other));
                    for _ in 0..2 {
                        // What moves its own parent fails, and the next round goes on.
                        renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).ok();
                    }
                }
            }
        });
        let counts = request_all(&tree, &roots);
        is_over.store(true, Ordering::Relaxed);
        counts
    });
    assert_eq!(seen, 0, "secrets that were read");
    for (secret, expected) in secret.iter().zip([&["deep", "key"][..], &["key"]]) {
        let held = format!("/proc/self/fd/{}", secret.as_raw_fd());
        let entries = fs::read_dir(&held)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        assert_eq!(names, expected);
        assert_eq!(
            fs::read_to_string(Path::new(&held).join("key")).unwrap(),
            CANARY
        );
    }
    assert!(
        read > 1000 && written > 50,
        "{read} {written}: not a fair trial"
    );
}

/// Reads and writes where the denied trees may be at that moment. Returns how often a secret was read, and how often
/// any file was read and written.
fn request_all(tree: &Path, roots: &Roots) -> (usize, usize, usize) {
    let files = Files::default();
    let (mut seen, mut read, mut written) = (0, 0, 0);
    for round in 0..ROUNDS {
        for path in [
            "d/key",
            "other/priv/key",
            "config/priv/key",
            "secrets/key",
            "d/made/key",
        ] {
            let text = files.read(roots, &tree.join(path), None, None);
            read += usize::from(text.is_ok());
            seen += usize::from(text.is_ok_and(|text| text == CANARY));
        }
        if round % 32 == 0 {
            for path in [
                "d/new",
                "d/key",
                "other/priv/new",
                "d/made/deep/new",
                "d/fresh/deep/new",
            ] {
                let path = tree.join(path);
                written += usize::from(files.write(roots, &path, "open").is_ok());
                if path.ends_with("deep/new") {
                    files.remove(roots, &path).ok();
                }
            }
        }
    }
    (seen, read, written)
}

/// A workspace with files that rules deny by a tree, by a name and by a pattern, and ways to them.
fn tree() -> Scratch {
    let tree = Scratch::new();
    for directory in ["secrets/deep", "app", "keys", "open", "ways"] {
        fs::create_dir_all(tree.join(directory)).unwrap();
    }
    for name in [
        "secrets/key",
        "secrets/deep/key",
        "secrets/deep/deep-name",
        "app/.env",
        "keys/server.pem",
    ] {
        fs::write(tree.join(name), CANARY).unwrap();
    }
    fs::write(tree.join("open/file"), "open").unwrap();
    for (target, link) in [
        ("../secrets", "ways/relative"),
        ("../secrets/key", "ways/file"),
        ("../app/.env", "ways/env"),
        ("../keys/server.pem", "ways/plain"),
        ("relative", "ways/twice"),
        ("..", "ways/up"),
    ] {
        symlink(target, tree.join(link)).unwrap();
    }
    symlink(tree.join("secrets"), tree.join("ways/absolute")).unwrap();
    tree
}

/// Hundreds of names of the denied files.
fn names(tree: &Path) -> Vec<PathBuf> {
    let files = [
        "secrets/key",
        "secrets/deep/key",
        "app/.env",
        "keys/server.pem",
        "ways/relative/key",
        "ways/twice/deep/key",
        "ways/absolute/key",
        "ways/file",
        "ways/env",
        "ways/plain",
        "ways/up/secrets/key",
        "ways/up/app/.env",
    ];
    let befores = [
        "",
        "./",
        "open/../",
        "ways/up/",
        "ways/up/open/../",
        "secrets/../",
        "app/./../",
        "ways/relative/../",
    ];
    let mut names = Vec::new();
    for file in files {
        for before in befores {
            let name = format!("{before}{file}");
            names.push(tree.join(&name));
            names.push(tree.join(name.replace('/', "//")));
            names.push(tree.join(name.replace('/', "/./")));
            names.push(tree.join(name.to_uppercase()));
        }
    }
    names
}

fn roots(tree: &Path, text: &str) -> Roots {
    let roots = Roots::open(tree, &[]).unwrap();
    roots.deny(policy(text).deny_path_rules("agent"))
}

fn policy(text: &str) -> Policy {
    Policy::parse("test", text).unwrap()
}

const ROUNDS: usize = 4000;
const CANARY: &str = "canary-77ab";
const DENIES: &str = r#"{"rules":[
    {"action":"deny","id":"secrets","path":"secrets/**"},
    {"action":"deny","id":"env","path":".env"},
    {"action":"deny","id":"keys","path":"*.pem"}
]}"#;
