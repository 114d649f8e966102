//! Programs and scripts that are replaced after the user saw the command and before it starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::CommandFiles;

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether a replacement is noticed in a command, in a directory with `deploy.sh`.
fn is_noticed(command: &[&str], replace: impl Fn(&Path)) -> bool {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    for place in ["deploy.sh", "sub/deploy.sh"] {
        write(&dir.path().join(place), "#!/bin/sh\necho GOOD\n");
    }
    let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let shown = CommandFiles::inspect(&command, dir.path());
    assert!(shown.are_unchanged_in(&CommandFiles::inspect(&command, dir.path())));
    replace(dir.path());
    !shown.are_unchanged_in(&CommandFiles::inspect(&command, dir.path()))
}

const COMMANDS: [&[&str]; 14] = [
    &["./deploy.sh"],
    &["./deploy.sh", "x"],
    &["./deploy.sh $x && ls"],
    &["true | ./deploy.sh"],
    &["sh", "deploy.sh"],
    &["sh -e ./deploy.sh prod"],
    &["bash < deploy.sh"],
    &[". ./deploy.sh"],
    &["env A=1 ./deploy.sh; ls"],
    &["timeout 5 python3 deploy.sh"],
    &["cd sub/.. && ./deploy.sh"],
    &["sh", "-c", "./deploy.sh"],
    &["PATH=. deploy.sh; ls"],
    &["perl -w deploy.sh; ls"],
];

#[test]
fn attack_a_program_that_is_overwritten_is_not_what_was_shown() {
    for command in COMMANDS {
        let overwritten = |dir: &Path| write(&dir.join("deploy.sh"), "#!/bin/sh\necho EVIL\n");
        assert!(is_noticed(command, overwritten), "{command:?}");
    }
}

#[test]
fn attack_a_program_that_another_is_moved_over_is_not_what_was_shown() {
    for command in COMMANDS {
        let moved = |dir: &Path| {
            write(&dir.join("evil"), "#!/bin/sh\necho EVIL\n");
            fs::rename(dir.join("evil"), dir.join("deploy.sh")).unwrap();
        };
        assert!(is_noticed(command, moved), "{command:?}");
    }
}

#[test]
fn attack_a_program_with_its_old_size_and_time_is_not_what_was_shown() {
    for command in COMMANDS {
        let forged = |dir: &Path| {
            let path = dir.join("deploy.sh");
            let time = path.metadata().unwrap().modified().unwrap();
            write(&path, "#!/bin/sh\necho EVIL\n");
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
        };
        assert!(is_noticed(command, forged), "{command:?}");
    }
}

#[test]
fn attack_a_directory_of_the_line_that_leads_elsewhere_is_not_what_was_shown() {
    let swapped = |dir: &Path| {
        fs::rename(dir.join("sub"), dir.join("old")).unwrap();
        fs::create_dir(dir.join("sub")).unwrap();
        write(&dir.join("sub/deploy.sh"), "#!/bin/sh\necho GOOD\n");
    };
    assert!(is_noticed(&["cd sub && ./deploy.sh"], swapped));
    assert!(is_noticed(&["sub/deploy.sh"], swapped));
}

#[test]
fn attack_a_program_that_appears_is_not_what_was_shown() {
    let appears = |dir: &Path| write(&dir.join("later"), "#!/bin/sh\n");
    assert!(is_noticed(&["./later"], appears));
}

#[test]
fn attack_a_script_that_an_option_or_a_directory_names_is_not_what_was_shown() {
    for command in [
        "awk -f deploy.sh",
        "sed -nf deploy.sh notes",
        "make -f deploy.sh",
        "make -C sub -f deploy.sh",
        "bc -q deploy.sh",
        "jq -n -f deploy.sh",
        "gdb -batch -x deploy.sh",
    ] {
        let overwritten = |dir: &Path| {
            for place in ["deploy.sh", "sub/deploy.sh"] {
                write(&dir.join(place), "EVIL\n");
            }
        };
        assert!(is_noticed(&[command], overwritten), "{command}");
    }
    for (command, file) in [
        ("python3 sub", "sub/__main__.py"),
        ("python3 -u ./sub", "sub/__main__.py"),
        ("python3 -m sub.tool", "sub/tool.py"),
        ("python3 -m sub", "sub/__main__.py"),
        ("node sub", "sub/index.js"),
        ("node sub/tool", "sub/tool.js"),
    ] {
        let appears = |dir: &Path| write(&dir.join(file), "EVIL\n");
        assert!(is_noticed(&[command], appears), "{command}");
    }
}

#[test]
fn other_files_may_change() {
    let other = |dir: &Path| {
        fs::write(dir.join("notes"), "x").unwrap();
        write(&dir.join("sub/deploy.sh"), "#!/bin/sh\necho OTHER\n");
    };
    for command in [
        &["./deploy.sh", "notes"],
        &["cat", "notes"],
        &["sed -n p notes", ""],
        &["awk -f deploy.sh < notes", ""],
    ] {
        assert!(!is_noticed(command, other), "{command:?}");
    }
}
