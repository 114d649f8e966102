//! The file of decisions: who may change it, and what happens when somebody else has.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::sync::Barrier;
use std::{fs, thread};

use expect_test::{Expect, expect};

use super::scopes::open_warned;
use super::*;
use crate::scratch::Scratch;

/// Remembers something, lets somebody tamper with the file, and opens it again.
fn check(tamper: impl Fn(&Path), expected: Expect) {
    let data = Scratch::new();
    let store = data.join("permissions.json");
    open_warned(&store)
        .0
        .remember(&run("npm test"), &decision(true, Scope::Always));
    tamper(&store);
    let (permissions, warnings) = open_warned(&store);
    let verdict = shown(&permissions.judge(&run("npm test")));
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let shown = format!("{verdict}\n{}", warnings.join("\n"));
    expected.assert_eq(&shown.replace(&*data.to_string_lossy(), "DATA"));
    permissions.remember(&run("npm test"), &decision(true, Scope::Always));
    assert_eq!(permissions.fault(), None);
    assert!(matches!(
        open_warned(&store).0.judge(&run("npm test")),
        Verdict::Allow(_)
    ));
}

#[test]
fn an_answer_was_turned_around() {
    check(
        |store| {
            let text = fs::read_to_string(store).unwrap();
            fs::write(store, text.replace("npm test", "npm tess")).unwrap();
        },
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` was changed by somebody else"#]],
    );
}

#[test]
fn the_file_is_no_json() {
    check(
        |store| fs::write(store, "{").unwrap(),
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` is damaged"#]],
    );
}

#[test]
fn others_may_write_to_the_file() {
    check(
        |store| fs::set_permissions(store, fs::Permissions::from_mode(0o666)).unwrap(),
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` can be changed by others; take their right to write away with `chmod go-w`"#]],
    );
}

#[test]
fn the_file_is_a_symbolic_link() {
    check(
        |store| {
            let elsewhere = store.with_extension("elsewhere");
            fs::rename(store, &elsewhere).unwrap();
            symlink(&elsewhere, store).unwrap();
        },
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` is a symbolic link"#]],
    );
}

#[test]
fn the_file_is_a_pipe() {
    check(
        |store| {
            fs::remove_file(store).unwrap();
            rustix::fs::mknodat(
                rustix::fs::CWD,
                store,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RUSR,
                0,
            )
            .unwrap();
        },
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` is not a regular file"#]],
    );
}

#[test]
fn the_key_is_gone() {
    check(
        |store| fs::remove_file(store.with_extension("key")).unwrap(),
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` has no key beside it, so it is unknown who wrote it"#]],
    );
}

#[test]
fn the_file_belongs_to_somebody_else() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    check(
        |store| chown(store, Some(65534), None).unwrap(),
        expect![[r#"
            ask
            remembered decisions are ignored: `DATA/permissions.json` belongs to another user"#]],
    );
}

#[test]
fn every_changed_byte_is_noticed() {
    let data = Scratch::new();
    let store = data.join("permissions.json");
    open_warned(&store)
        .0
        .remember(&run("npm test"), &decision(true, Scope::Always));
    let bytes = fs::read(&store).unwrap();
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 1;
        fs::write(&store, &changed).unwrap();
        let (permissions, warnings) = open_warned(&store);
        // Space between the members says nothing.
        let is_space = bytes[index].is_ascii_whitespace() || changed[index].is_ascii_whitespace();
        assert!(is_space || !warnings.is_empty(), "byte {index}");
        assert!(
            is_space || permissions.judge(&run("npm test")) == Verdict::Ask,
            "byte {index}"
        );
    }
}

#[test]
fn only_the_owner_can_read_it() {
    let data = Scratch::new();
    let store = data.join("deeper/permissions.json");
    open_warned(&store)
        .0
        .remember(&run("npm test"), &decision(true, Scope::Always));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store), 0o600);
    assert_eq!(mode(&store.with_extension("key")), 0o600);
    assert_eq!(mode(&data.join("deeper")), 0o700);
}

#[test]
fn a_directory_that_cannot_be_written_is_told_and_the_decision_still_holds() {
    let data = Scratch::new();
    let in_the_way = data.join("file");
    fs::write(&in_the_way, "").unwrap();
    let (permissions, _) = open_warned(&in_the_way.join("permissions.json"));
    permissions.remember(&run("npm test"), &decision(true, Scope::Always));
    assert!(
        permissions
            .fault()
            .unwrap()
            .starts_with("the decision lasts only until Attaché ends: ")
    );
    assert!(matches!(
        permissions.judge(&run("npm test")),
        Verdict::Allow(_)
    ));
}

#[test]
fn decisions_are_listed_and_revoked_while_another_program_runs() {
    let (data, workspace) = (Scratch::new(), Scratch::new());
    let store = data.join("permissions.json");
    let (running, _) = open_warned(&store);
    let (other, _) = open_warned(&store);
    let action = question_in(
        &workspace,
        r#"{"kind":"execute","rawInput":{"command":"curl -H 'Authorization: Bearer abc' x"}}"#,
    );
    running.remember(&action, &decision(true, Scope::Workspace));
    running.remember(&run("npm test"), &decision(false, Scope::Always));
    let listed = other.list();
    let rows: Vec<String> = listed
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                row.agent, row.scope, row.is_allowed, row.summary
            )
        })
        .collect();
    expect![[r#"
        claude workspace true curl -H 'Authorization: Bearer ***' x
        claude always false npm test"#]]
    .assert_eq(&rows.join("\n"));
    assert_eq!(other.revoke("nothing").unwrap(), None);
    assert_eq!(
        other.revoke(&listed[0].id).unwrap().as_ref(),
        Some(&listed[0])
    );
    assert_eq!(running.judge(&action), Verdict::Ask);
    assert!(matches!(running.judge(&run("npm test")), Verdict::Deny(_)));
    let elsewhere = DecisionFilter {
        agent: None,
        workspace: Some(workspace.to_owned()),
    };
    assert_eq!(other.clear(&elsewhere).unwrap(), 0);
    assert_eq!(
        other
            .clear(&DecisionFilter {
                agent: Some("claude".to_owned()),
                workspace: None
            })
            .unwrap(),
        1
    );
    assert_eq!(running.judge(&run("npm test")), Verdict::Ask);
}

#[test]
fn many_programs_remember_at_the_same_time() {
    const PROGRAMS: usize = 4;
    const EACH: usize = 6;
    let data = Scratch::new();
    let store = data.join("permissions.json");
    let start = Barrier::new(PROGRAMS);
    thread::scope(|scope| {
        for program in 0..PROGRAMS {
            let (store, start) = (&store, &start);
            scope.spawn(move || {
                let (permissions, _) = open_warned(store);
                start.wait();
                for number in 0..EACH {
                    let action = run(&format!("npm run {program}-{number}"));
                    permissions.remember(&action, &decision(true, Scope::Always));
                }
                assert_eq!(permissions.fault(), None);
            });
        }
    });
    let (permissions, warnings) = open_warned(&store);
    assert_eq!(
        (permissions.list().len(), warnings),
        (PROGRAMS * EACH, Vec::new())
    );
}

#[test]
fn a_file_of_another_version_is_left_as_it_is() {
    let data = Scratch::new();
    let store = data.join("permissions.json");
    let theirs = r#"{"version":2,"decisions":{"new":"shape"},"mac":"00"}"#;
    fs::write(&store, theirs).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o600)).unwrap();
    let key = store.with_extension("key");
    fs::write(&key, [7; 32]).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let (permissions, warnings) = open_warned(&store);
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    expect!["remembered decisions are ignored: `DATA/permissions.json` was written by another version of attache and is left as it is; use that version, or move the file away"].assert_eq(
        &warnings
            .join("\n")
            .replace(&*data.to_string_lossy(), "DATA"),
    );
    permissions.remember(&run("npm test"), &decision(true, Scope::Always));
    assert!(permissions.fault().unwrap().contains("another version"));
    assert!(matches!(
        permissions.judge(&run("npm test")),
        Verdict::Allow(_)
    ));
    assert!(permissions.clear(&DecisionFilter::default()).is_err());
    assert_eq!(fs::read_to_string(&store).unwrap(), theirs);
}
