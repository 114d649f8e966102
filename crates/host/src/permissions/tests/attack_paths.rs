//! Attacks on rules about files by commands: options glued to paths, links, parent directories, expansions.

use super::*;

/// A workspace with a denied tree, a link to it and a link to the directory above.
fn workspace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    std::fs::create_dir_all(root.join("secrets/deep")).unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::write(root.join("secrets/key"), "x").unwrap();
    std::fs::write(root.join("src/a.rs"), "x").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("secrets", root.join("link")).unwrap();
        std::os::unix::fs::symlink("../secrets/key", root.join("src/file")).unwrap();
        std::os::unix::fs::symlink("..", root.join("src/up")).unwrap();
    }
    dir
}

fn run_in(root: &Path, line: &str) -> Action {
    let line = serde_json::Value::from(line);
    action_in(
        root,
        &format!(r#"{{"kind":"execute","rawInput":{{"command":{line}}}}}"#),
    )
}

const READERS: [&str; 12] = [
    "cat {}",
    "head -n1 {}",
    "cat < {}",
    "grep x {}",
    "grep --file={} x",
    "grep -f{} x",
    "sort -o x {}",
    "cp {} /tmp/x",
    "git diff --no-index {} /dev/null",
    "diff -u {} x",
    "ls; cat {} | wc",
    "sh -c 'cat {}'",
];

const NAMES: [&str; 12] = [
    "secrets/key",
    "./secrets/key",
    "src/../secrets/key",
    "'secrets/key'",
    "sec''rets/key",
    "se\\crets/key",
    "\"secrets\"/key",
    "secrets/deep/../key",
    "SECRETS/key",
    "link/key",
    "src/file",
    "src/up/secrets/key",
];

#[test]
fn no_spelling_of_a_denied_file_is_allowed() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let policies = [
        r#"{"rules":[{"action":"deny","path":"./secrets"}],"default":"allow"}"#,
        r#"{"rules":[{"action":"deny","path":"secrets"},{"action":"allow","command":
            ["cat **","head **","grep **","sort **","cp **","git **","diff **","ls **","wc **","find **","rg **"]}]}"#,
    ];
    for policy in policies {
        for preset in [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll] {
            let permissions = with_policy(preset, policy);
            for reader in READERS {
                for name in NAMES {
                    let line = reader.replace("{}", name);
                    // Quotes inside quotes are other words.
                    if reader.starts_with("sh") && name.contains('\'') {
                        continue;
                    }
                    let verdict = permissions.judge(&run_in(&root, &line));
                    assert!(
                        !matches!(verdict, Verdict::Allow(_)),
                        "{preset:?} {line:?}: {}",
                        shown(&verdict)
                    );
                }
            }
        }
    }
}

#[test]
fn commands_that_could_reach_a_denied_tree_are_allowed_only_if_the_kernel_enforces_it() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let policy = r#"{"rules":[{"action":"deny","path":"./secrets"},{"action":"allow","command":
        ["cat **","grep **","ls **","find **","rg **","cp **","tar **","git grep *","mv **","rm **"]}],"default":"allow"}"#;
    let lines = [
        "grep -r x .",
        "grep -rn x",
        "grep -R x *",
        "rg x",
        "find . -type f",
        "cat *",
        "cat */key",
        "cat s*/k?y",
        "cat $X",
        "cat $(echo x)",
        "ls -R",
        "cp -r . /tmp/x",
        "cp -a . /tmp/x",
        "tar cf /tmp/x .",
        "git grep x",
        "mv . ../x",
        "rm -r .",
        "cat < $X",
        "cd $X; cat key",
        "python3 -c 'open(x)'",
        "make x",
        "cat {secrets,x}/key",
        "cat ~/x",
        "cat /proc/self/cwd/secrets/key",
        "cat < /proc/self/cwd/x",
        "sort --files0-from=list",
        "ln -s . x && cat x/y",
    ];
    for preset in [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll] {
        let permissions = with_policy(preset, policy);
        for line in lines {
            let verdict = permissions.judge(&run_in(&root, line));
            assert!(
                !matches!(verdict, Verdict::Allow(_)),
                "{preset:?} {line:?}: {}",
                shown(&verdict)
            );
        }
    }
    let permissions = with_policy(Preset::ApproveAll, policy);
    permissions.enforce(Enforcement {
        commands: true,
        paths: true,
    });
    for line in ["grep -r x .", "rg x", "cat $X", "make x"] {
        let verdict = permissions.judge(&run_in(&root, line));
        assert!(
            matches!(verdict, Verdict::Allow(_)),
            "{line:?}: {}",
            shown(&verdict)
        );
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_paths_of_a_reading_tool_are_followed() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    let read = |path: &str| {
        let path = root.join(path).display().to_string();
        action_in(
            &root,
            &format!(r#"{{"kind":"read","locations":[{{"path":"{path}"}}]}}"#),
        )
    };
    for preset in [Preset::Ask, Preset::ApproveReads] {
        let permissions = with_policy(
            preset,
            r#"{"rules":[{"action":"deny","path":"./secrets"}]}"#,
        );
        for path in [
            "link/key",
            "src/file",
            "src/up/secrets/key",
            "out/passwd",
            "secrets/key",
        ] {
            let verdict = permissions.judge(&read(path));
            assert!(
                !matches!(verdict, Verdict::Allow(_)),
                "{preset:?} {path}: {}",
                shown(&verdict)
            );
        }
        let verdict = permissions.judge(&read("src/up/src/a.rs"));
        assert!(matches!(verdict, Verdict::Allow(_)), "{}", shown(&verdict));
    }
}

#[test]
fn a_wildcard_stays_in_doubt_though_its_present_files_are_enforced() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"*.pem"}]}"#,
    );
    permissions.enforce(Enforcement {
        commands: true,
        paths: true,
    });
    for (line, expected) in [
        ("rg x", false),
        ("cargo test", false),
        ("cat src/a.rs", true),
        ("echo x", true),
    ] {
        let verdict = permissions.judge(&run_in(&root, line));
        assert_eq!(
            matches!(verdict, Verdict::Allow(_)),
            expected,
            "{line:?}: {}",
            shown(&verdict)
        );
    }
}

#[test]
fn plain_files_elsewhere_are_still_read() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"./secrets"}]}"#,
    );
    for line in [
        "cat src/a.rs",
        "head -n 5 src/a.rs | wc -l",
        "ls src",
        "ls",
        "echo secrets/key",
        "stat .",
    ] {
        let verdict = permissions.judge(&run_in(&root, line));
        assert!(
            matches!(verdict, Verdict::Allow(_)),
            "{line:?}: {}",
            shown(&verdict)
        );
    }
}

#[test]
fn a_path_that_the_kernel_keeps_from_commands_does_not_stop_all_others() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let lines = ["cargo test", "npm run build", "grep -r x .", "rg x", "make"];
    for (policy, is_enforced, expected) in [
        (r#"{"action":"deny","path":"./secrets"}"#, true, true),
        (r#"{"action":"deny","path":"./secrets"}"#, false, false),
        // Of these the kernel knows nothing, or not all.
        (r#"{"action":"ask","path":"./secrets"}"#, true, false),
        (
            r#"{"action":"deny","tool":"Bash","path":"./secrets"}"#,
            true,
            false,
        ),
        (
            r#"{"action":"deny","kind":"execute","path":"./secrets"}"#,
            true,
            false,
        ),
        (
            r#"{"action":"deny","command":"cat **","path":"./secrets"}"#,
            true,
            false,
        ),
    ] {
        let rules = format!(r#"{{"rules":[{policy}]}}"#);
        let permissions = with_policy(Preset::ApproveAll, &rules);
        permissions.enforce_paths("claude", is_enforced);
        for line in lines {
            let verdict = permissions.judge(&run_in(&root, line));
            let is_allowed = matches!(verdict, Verdict::Allow(_));
            assert_eq!(is_allowed, expected, "{policy} {line}: {}", shown(&verdict));
        }
        let named = permissions.judge(&run_in(&root, "cat secrets/key"));
        let is_by_tool = policy.contains("tool");
        assert!(
            is_by_tool || !matches!(named, Verdict::Allow(_)),
            "{policy}"
        );
    }
}

#[test]
fn a_rule_allows_a_command_beside_a_wildcard_that_the_kernel_enforces() {
    let dir = workspace();
    let root = dir.path().canonicalize().unwrap();
    let policy = r#"{"rules":[
        {"action":"deny","path":"*.pem"},
        {"action":"allow","command":["rg **","cargo **"]}]}"#;
    for (is_enforced, line, expected) in [
        (true, "rg x", true),
        (true, "cargo test", true),
        (true, "npm test", false),
        (true, "rg x a.pem", false),
        (false, "rg x", false),
    ] {
        let permissions = with_policy(Preset::ApproveAll, policy);
        permissions.enforce_paths("claude", is_enforced);
        let verdict = permissions.judge(&run_in(&root, line));
        let is_allowed = matches!(verdict, Verdict::Allow(_));
        assert_eq!(is_allowed, expected, "{line}: {}", shown(&verdict));
    }
}
