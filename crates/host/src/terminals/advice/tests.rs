//! The advice below the output of commands that were refused something.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::advice;
use crate::sandbox::{SandboxLimits, SandboxSettings};
use crate::scratch::Scratch;

fn check(output: &str, expected: &Expect) {
    expected.assert_eq(&advice_at_home(output));
}

/// The advice in a home directory with a secret and a project.
fn advice_at_home(output: &str) -> String {
    let home = Scratch::new();
    for name in ["project", "other/out", ".cargo/bin", "repository/.git"] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    for name in [
        ".netrc",
        ".gitconfig",
        ".npmrc",
        "notes",
        "other/out/kept",
        "other/out/open",
    ] {
        fs::write(home.join(name), "").unwrap();
    }
    let limits = SandboxLimits {
        writable: vec![home.join("project"), home.join("other/out/open")],
        secret: vec![home.join(".netrc")],
        is_sandboxed: true,
        settings: Arc::new(SandboxSettings {
            write: vec!["/srv/more".into()],
            ..SandboxSettings::default()
        }),
        ..SandboxLimits::default()
    };
    let base = home.display().to_string();
    let output = output.replace('~', &base);
    let said = advice(&limits, &home.join("project"), &output);
    let said = said.unwrap_or_default().replace(&base, "~");
    assert!(
        !said.contains("'[\"~\"]'") && !said.contains(",\"~\"]"),
        "{said}"
    );
    assert!(Path::new(&base).exists());
    said.trim_end().to_owned()
}

/// The symptom: the advice was to add the whole home directory to `sandbox.write`.
#[test]
fn a_new_file_at_home_does_not_open_the_home_directory() {
    check(
        "sh: 1: cannot create ~/new: Permission denied",
        &expect![
            "[attache: the sandbox does not let commands write `~/new`, only the session's directories, temporary folders and caches of tools; to write there, run the command yourself or start attache with `--no-sandbox`]"
        ],
    );
}

/// The symptom: the number of the line in the shell's message was named as the path.
#[test]
fn a_line_number_is_not_a_path() {
    check(
        "sh: 1: cannot create notes: Read-only file system",
        &expect![""],
    );
}

#[test]
fn existing_files_and_directories_without_secrets_can_be_opened() {
    check(
        "sh: 1: cannot create ~/notes: Permission denied",
        &expect![[
            r#"[attache: the sandbox does not let commands write `~/notes`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '["/srv/more","~/notes"]' (or start attache with `--no-sandbox`)]"#
        ]],
    );
    check(
        "sh: 1: cannot create ~/other/out/x: Permission denied",
        &expect![[
            r#"[attache: the sandbox does not let commands write `~/other/out/x`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '["/srv/more","~/other/out"]' (or start attache with `--no-sandbox`)]"#
        ]],
    );
}

#[test]
fn a_file_that_is_changed_by_a_lock_beside_it_cannot_be_opened_alone() {
    check(
        "error: could not lock config file ~/.gitconfig: Permission denied",
        &expect![
            "[attache: the sandbox does not let commands write `~/.gitconfig`, only the session's directories, temporary folders and caches of tools; to write there, run the command yourself or start attache with `--no-sandbox`]"
        ],
    );
    check(
        "error: Unable to create '~/repository/.git/packed-refs.lock': Permission denied\n[main 1234567] done",
        &expect![
            "[attache: the sandbox does not let commands write `~/repository/.git/packed-refs.lock`, only the session's directories, temporary folders and caches of tools; to write there, run the command yourself or start attache with `--no-sandbox`]"
        ],
    );
}

/// The symptom: after the advice was followed, the file still couldn't be removed, and there was no advice any more.
#[test]
fn removing_and_renaming_a_file_needs_its_directory() {
    let refused = |name: &str| {
        format!(
            "[attache: the sandbox does not let commands write `~/other/out/{name}`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '[\"/srv/more\",\"~/other/out\"]' (or start attache with `--no-sandbox`)]"
        )
    };
    let check = |output: &str, name: &str| {
        let expected = refused(name);
        let found = advice_at_home(output);
        assert_eq!(found, expected, "{output}");
    };
    for name in ["kept", "open"] {
        check(
            &format!("rm: cannot remove '~/other/out/{name}': Permission denied"),
            name,
        );
        check(
            &format!(
                "PermissionError: could not delete '~/other/out/{name}': Operation not permitted"
            ),
            name,
        );
    }
    check(
        "mv: cannot move '~/other/out/kept' to 'x': Permission denied",
        "kept",
    );
}

#[test]
fn the_path_may_stand_on_another_line() {
    check(
        "error: failed to create directory `~/.cargo/bin`\n\nCaused by:\n  Permission denied (os error 13)",
        &expect![[
            r#"[attache: the sandbox does not let commands write `~/.cargo/bin`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '["/srv/more","~/.cargo/bin"]' (or start attache with `--no-sandbox`)]"#
        ]],
    );
    check(
        "npm error code EACCES\nnpm error syscall open\nnpm error path ~/.npmrc\nnpm error errno -13\n",
        &expect![[
            r#"[attache: the sandbox does not let commands write `~/.npmrc`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '["/srv/more","~/.npmrc"]' (or start attache with `--no-sandbox`)]"#
        ]],
    );
    check(
        "Error: unable to open database file \"~/other/out/db\"",
        &expect![[
            r#"[attache: the sandbox does not let commands write `~/other/out/db`, only the session's directories, temporary folders and caches of tools; to allow it: attache config set sandbox.write '["/srv/more","~/other/out"]' (or start attache with `--no-sandbox`)]"#
        ]],
    );
}

#[test]
fn a_secret_is_opened_with_a_whole_command() {
    check(
        "cat: ~/.netrc: Permission denied",
        &expect![[
            r#"[attache: the sandbox keeps `~/.netrc` unreadable; to allow it: attache config set sandbox.read '["~/.netrc"]']"#
        ]],
    );
}

#[test]
fn writable_paths_and_other_lines_get_no_advice() {
    check("cat: ~/project/x: Permission denied", &expect![""]);
    check("everything at ~/notes went well", &expect![""]);
}
