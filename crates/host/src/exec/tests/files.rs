//! Programs by their files: where we cannot look, under other names, and on file systems that give them other numbers.

use std::os::unix::fs::MetadataExt;

use super::*;

pub(super) fn file_on_disk(path: &Path) -> ExecFile {
    let meta = std::fs::metadata(path).unwrap();
    ExecFile {
        id: (meta.dev(), meta.ino()),
        version: FileVersion {
            size: meta.len(),
            seconds: meta.mtime(),
            nanoseconds: u32::try_from(meta.mtime_nsec()).unwrap(),
        },
        ..file(path.to_str().unwrap())
    }
}

fn denying(program: &Path) -> ExecRules {
    let policy = format!(
        r#"{{"rules": [{{"action": "deny", "command": "{}", "id": "no"}}]}}"#,
        program.display()
    );
    rules(Preset::Ask, &policy)
}

#[test]
fn attack_files_that_cannot_be_looked_up_are_asked_about() {
    check(
        CURL,
        &[
            "/usr/bin/sh sh /closed/x",
            "/usr/bin/sh sh -Z /closed/x y",
            "/usr/bin/sh sh -c /closed/x",
            "/usr/bin/sh sh /missing/x",
            "/lib64/ld-linux-x86-64.so.2 ld.so /closed/x",
            "/lib64/ld-linux-x86-64.so.2 ld.so --list /closed/x",
            "/usr/bin/node node --require /closed/x y",
            "/usr/bin/echo echo /closed/x",
        ],
        &expect![[r#"
            /usr/bin/sh sh /closed/x: asks: it runs a file that cannot be looked up as the process does, so no rule can be checked
            /usr/bin/sh sh -Z /closed/x y: asks: it runs a file that cannot be looked up as the process does, so no rule can be checked
            /usr/bin/sh sh -c /closed/x: runs
            /usr/bin/sh sh /missing/x: runs
            /lib64/ld-linux-x86-64.so.2 ld.so /closed/x: asks: it runs a file that cannot be looked up as the process does, so no rule can be checked
            /lib64/ld-linux-x86-64.so.2 ld.so --list /closed/x: runs
            /usr/bin/node node --require /closed/x y: asks: it runs a file that cannot be looked up as the process does, so no rule can be checked
            /usr/bin/echo echo /closed/x: runs
        "#]],
    );
}

#[test]
fn attack_scripts_are_found_behind_addresses_directories_and_code() {
    let tool = r#"{"rules": [{"action": "deny", "command": "/usr/lib/tool.js", "id": "tool"}]}"#;
    check(
        tool,
        &[
            "/usr/bin/node node --import file:///usr/lib/tool.js x",
            "/usr/bin/node node --import=FILE://localhost/usr/lib/t%6Fol%2Ejs?a#b x",
            "/usr/bin/node node -e 1 -r /usr/lib/tool.js",
            "/usr/bin/bun bun --cwd /usr/lib tool.js",
            "/usr/bin/ruby ruby -C /usr lib/tool.js",
            "/usr/bin/ruby ruby -C/usr lib/tool.js",
            "/usr/bin/ruby ruby -r /usr/lib/tool.js -e 1",
            "/usr/bin/expect expect -d /usr/lib/tool.js",
            "/usr/bin/luajit luajit -j off /usr/lib/tool.js",
            "/usr/bin/python3 python3 -m pydoc /usr/lib/tool.js",
            "/usr/bin/python3 python3 -m unittest /usr/lib/tool.js",
            "/usr/bin/node node -e 1 /usr/lib/tool.js",
            "/usr/bin/python3 python3 -c 1 -m pydoc /usr/lib/tool.js",
        ],
        &expect![[r#"
            /usr/bin/node node --import file:///usr/lib/tool.js x: denied: policy rule `tool`
            /usr/bin/node node --import=FILE://localhost/usr/lib/t%6Fol%2Ejs?a#b x: denied: policy rule `tool`
            /usr/bin/node node -e 1 -r /usr/lib/tool.js: denied: policy rule `tool`
            /usr/bin/bun bun --cwd /usr/lib tool.js: denied: policy rule `tool`
            /usr/bin/ruby ruby -C /usr lib/tool.js: denied: policy rule `tool`
            /usr/bin/ruby ruby -C/usr lib/tool.js: denied: policy rule `tool`
            /usr/bin/ruby ruby -r /usr/lib/tool.js -e 1: denied: policy rule `tool`
            /usr/bin/expect expect -d /usr/lib/tool.js: denied: policy rule `tool`
            /usr/bin/luajit luajit -j off /usr/lib/tool.js: denied: policy rule `tool`
            /usr/bin/python3 python3 -m pydoc /usr/lib/tool.js: denied: policy rule `tool`
            /usr/bin/python3 python3 -m unittest /usr/lib/tool.js: denied: policy rule `tool`
            /usr/bin/node node -e 1 /usr/lib/tool.js: runs
            /usr/bin/python3 python3 -c 1 -m pydoc /usr/lib/tool.js: runs
        "#]],
    );
}

#[test]
fn attack_an_elf_file_can_name_a_program_as_its_interpreter() {
    let rules = rules(Preset::Ask, CURL);
    let mut binary = exec("/project/x", &["./x", "-V"]);
    binary.loaders.push(ExecInterpreter {
        words: vec!["/project/ld-evil.so".into()],
        file: Some(file("/usr/bin/curl")),
    });
    assert_eq!(verdict_on(&rules, &binary), "denied: policy rule `curl`");
    // A loader that loads the file itself does not run its first argument.
    let loader = "/usr/lib/x/ld-linux-x86-64.so.2";
    let mut cat = exec("/usr/bin/cat", &["cat", "/usr/bin/curl"]);
    cat.loaders.push(ExecInterpreter {
        words: vec![loader.into()],
        file: Some(file(loader)),
    });
    assert_eq!(verdict_on(&rules, &cat), "runs");
}

#[test]
fn attack_a_name_does_not_make_a_loader() {
    let folder = tempfile::tempdir().unwrap();
    let denied = folder.path().join("denied");
    std::fs::write(&denied, "x").unwrap();
    let rules = denying(&denied);
    let mut binary = exec("/project/x", &["./x", "-V"]);
    binary.loaders.push(ExecInterpreter {
        words: vec!["/project/ld-x.so".into()],
        file: Some(ExecFile {
            path: "/project/ld-x.so".into(),
            ..file_on_disk(&denied)
        }),
    });
    assert_eq!(verdict_on(&rules, &binary), "denied: policy rule `no`");
    // Its first argument is the name of the file that names it.
    binary.loaders[0].file = Some(file("/bin/busybox"));
    binary.args = Some(vec!["curl".into(), "-V".into()]);
    let curl = self::rules(Preset::Ask, CURL);
    assert_eq!(verdict_on(&curl, &binary), "denied: policy rule `curl`");
    // Another loader runs the file, and not its first argument.
    binary.loaders[0].file = Some(file("/nix/store/x/ld-linux-x86-64.so.2"));
    binary.args = Some(vec!["cat".into(), "/usr/bin/curl".into()]);
    assert_eq!(verdict_on(&curl, &binary), "runs");
}

#[test]
fn attack_an_overlay_shows_a_file_with_other_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let denied = folder.path().join("denied");
    std::fs::write(&denied, "x").unwrap();
    let rules = denying(&denied);
    let mut shown = exec("/mnt/foo", &["./foo"]);
    let seen = |id, version, origin| ExecFile {
        id,
        version,
        origin,
        ..file("/mnt/foo")
    };
    let version = file_on_disk(&denied).version;
    let other = FileVersion { size: 2, ..version };
    for (version, origin, expected) in [
        (version, FileOrigin::Overlay, "denied: policy rule `no`"),
        (other, FileOrigin::Overlay, "runs"),
        (version, FileOrigin::Shared, "runs"),
        (version, FileOrigin::Elsewhere, "runs"),
    ] {
        shown.file = Some(seen((99, 99), version, origin));
        assert_eq!(
            verdict_on(&rules, &shown),
            expected,
            "{origin:?} {version:?}"
        );
    }
}

/// Every abbreviation that `rm` itself takes for both options.
#[test]
fn attack_abbreviations_of_options_are_those_of_the_program() {
    let rules = rules(
        Preset::Ask,
        r#"{"rules": [{"action": "deny", "command": "rm -rf **", "id": "rm"}]}"#,
    );
    let folder = tempfile::tempdir().unwrap();
    let spellings = |long: &str, short: &[&str]| {
        let ends = 3..=long.len();
        let long = ends.map(|end| long[..end].to_owned());
        long.chain(short.iter().map(|it| (*it).to_owned()))
            .collect::<Vec<_>>()
    };
    let mut count = 0;
    for recursive in spellings("--recursive", &["-r", "-R", "-vr", ""]) {
        for force in spellings("--force", &["-f", "-vf", ""]) {
            std::fs::create_dir_all(folder.path().join("full/deep")).unwrap();
            let mut words = vec![recursive.as_str(), force.as_str(), "full", "missing"];
            words.retain(|word| !word.is_empty());
            let ran = std::process::Command::new("rm")
                .args(&words)
                .current_dir(folder.path())
                .output();
            let Ok(ran) = ran else { return };
            // With both options, it removes the tree and does not miss what is missing.
            let is_both = ran.status.success() && !folder.path().join("full").exists();
            words.insert(0, "rm");
            let is_denied = verdict_on(&rules, &exec("/bin/rm", &words)).starts_with("denied");
            assert_eq!(is_denied, is_both, "{words:?}: {ran:?}");
            count += usize::from(is_both);
        }
    }
    assert!(count > 80, "{count}");
}
