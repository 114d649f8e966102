//! `attache run` with our own agent and a policy: a denied file is out of reach, whichever side does the work.

use std::fs;
use std::path::Path;

use crate::{bare, shown};

const CANARY: &str = "canary-93ab";

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("secrets")).unwrap();
    fs::create_dir(dir.path().join("notes")).unwrap();
    fs::write(dir.path().join("secrets/key.txt"), format!("{CANARY}\n")).unwrap();
    fs::write(dir.path().join("notes/open.txt"), "fine\n").unwrap();
    let link = dir.path().join("notes/link");
    std::os::unix::fs::symlink("../secrets/key.txt", link).unwrap();
    let (key, hard) = ("secrets/key.txt", "notes/hard.txt");
    fs::hard_link(dir.path().join(key), dir.path().join(hard)).unwrap();
    dir
}

/// Everything that a caller sees of one prompt.
fn run(dir: &Path, arguments: &[&str], prompt: &str) -> String {
    let mut command = bare(&[
        "run", "-a", "builtin", "--model", "embedded", "--format", "json",
    ]);
    command.args(arguments).arg(prompt).current_dir(dir);
    shown(&command.output().unwrap())
}

#[test]
fn a_denied_file_is_not_shown_by_our_own_agent_with_or_without_our_files() {
    let dir = project();
    let rules = r#"{"rules":[{"action":"deny","path":"secrets/**","id":"no-secrets"}]}"#;
    let file = dir.path().join("policy.json");
    fs::write(&file, rules).unwrap();
    let prompts = [
        "search canary",
        "search canary in secrets",
        "search canary in notes",
        "read secrets/key.txt",
        "read notes/link",
        "read notes/hard.txt",
        "list secrets",
    ];
    // A file is meant from where we are, also when it is named without its directory.
    for policy in [rules, file.to_str().unwrap(), "policy.json"] {
        for files in [&[][..], &["--no-fs"]] {
            for prompt in prompts {
                let arguments = [&["--approve-all", "--policy", policy], files].concat();
                let seen = run(dir.path(), &arguments, prompt);
                assert!(!seen.contains(CANARY), "{arguments:?} {prompt}: {seen}");
            }
        }
    }
    // Without the rule it is there to be seen.
    for prompt in &prompts[..6] {
        let seen = run(dir.path(), &["--approve-all", "--no-fs"], prompt);
        assert!(seen.contains(CANARY), "{prompt}: {seen}");
    }
}

#[test]
fn a_policy_that_cannot_be_read_ends_our_own_agent() {
    let output = bare(&["agent", "--policy", "/nowhere/policy.json"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let seen = shown(&output);
    assert!(seen.contains("/nowhere/policy.json"), "{seen}");
}
