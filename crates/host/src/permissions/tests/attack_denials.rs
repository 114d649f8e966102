//! A command that was denied, in other lines and in other words; and a file that changed after it was shown.

use super::*;
use crate::permissions::{ContentBefore, DiskComparison};
use crate::{FileOnDisk, InspectedPath};

/// Lines that run a command, with it in the place of `{}`.
const LINES: [&str; 26] = [
    "{}",
    "  {}  ",
    "env {}",
    "env A=1 {}",
    "timeout 5 {}",
    "nice -n 5 {}",
    "nohup {}",
    "time {}",
    "true && {}",
    "{} && true",
    "false || {}",
    "{}; ls",
    "{} | cat",
    "echo a | {}",
    "{} >/dev/null",
    "{} >out.txt 2>&1",
    "{} &",
    "( {} )",
    "{ {}; }",
    "if true; then {}; fi",
    "for i in 1; do {}; done",
    "sh -c '{}'",
    "bash -lc '{}'",
    "echo $({})",
    "env timeout 5 sh -c '{}'",
    "! {}",
];

#[test]
fn a_denied_command_stays_denied_in_every_line_that_runs_it() {
    let commands = [
        (
            "curl x",
            vec![
                "curl x",
                "cu''rl x",
                "\"curl\" x",
                "c\\url x",
                "/usr/bin/curl x",
                "curl  x",
                "curl 'x'",
            ],
        ),
        (
            "rm -rf build",
            vec!["rm -rf build", "rm -r''f build", "/bin/rm -rf 'build'"],
        ),
        ("git push origin main", vec!["git push origin main"]),
    ];
    let mut count = 0;
    for (denied, spellings) in commands {
        for (scope, preset) in [
            (Scope::Session, Preset::ApproveAll),
            (Scope::Workspace, Preset::ApproveAll),
            (Scope::Always, Preset::Ask),
        ] {
            let permissions = Permissions::preset(preset);
            permissions.remember(&run(denied), &decision(false, scope));
            for spelling in &spellings {
                for line in LINES {
                    if line.contains('\'') && spelling.contains('\'') {
                        continue;
                    }
                    let line = line.replacen("{}", spelling, 1);
                    let verdict = permissions.judge(&run(&line));
                    assert!(
                        matches!(verdict, Verdict::Deny(_)),
                        "{denied}: {line}: {verdict:?}"
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 600, "{count}");
}

#[test]
fn a_denied_command_stops_no_other_command() {
    let permissions = Permissions::preset(Preset::ApproveAll);
    permissions.remember(&run("curl x"), &decision(false, Scope::Session));
    permissions.remember(&run("echo hi > notes"), &decision(false, Scope::Session));
    permissions.remember(
        &run("make && make install"),
        &decision(false, Scope::Session),
    );
    for line in [
        "echo 'curl x'",
        "echo curl x",
        "curl y",
        "curl x y",
        "curl",
        "# curl x\nls",
        "git commit -m 'curl x'",
        "echo hi",
        "echo hi > other",
        "make",
        "make install",
    ] {
        let verdict = permissions.judge(&run(line));
        assert!(matches!(verdict, Verdict::Allow(_)), "{line}: {verdict:?}");
    }
    for line in [
        "echo hi > notes",
        "true; echo hi >notes",
        "make install; make",
    ] {
        let verdict = permissions.judge(&run(line));
        assert!(matches!(verdict, Verdict::Deny(_)), "{line}: {verdict:?}");
    }
}

#[test]
fn permission_for_a_change_does_not_cover_a_file_that_changed_since() {
    let texts = [None, Some(""), Some("old\n"), Some("old\nmine\n")];
    for shown in texts {
        for there in texts {
            let mut change = v1::Diff::new("/w/a", "new\n");
            change.old_text = shown.map(str::to_owned);
            let look = shown.map_or(FileOnDisk::Missing, |text| {
                FileOnDisk::Text(text.to_owned())
            });
            let content = ShownContent::of(&ComparedChange::compare(vec![change], &[look]));
            let edit = action(r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#);
            let grant = Grant::for_shown_action(&edit, &content, GrantedBy::User).unwrap();
            let permissions = Permissions::preset(Preset::Ask);
            permissions.grant(grant).unwrap();
            let write = |new| WholeFileChange {
                old: there.into(),
                new,
            };
            assert!(!permissions.use_grant(&edit, Some(write("other"))));
            let is_covered = permissions.use_grant(&edit, Some(write("new\n")));
            assert_eq!(is_covered, shown == there, "{shown:?} {there:?}");
        }
    }
}

/// The symptom: a large file that was to be replaced was shown as a new file, and permission for a new file covered it.
#[test]
fn permission_for_a_new_file_does_not_cover_one_that_cannot_be_shown() {
    let change = v1::Diff::new("/w/a", "new\n");
    let content = ShownContent::of(&ComparedChange::compare(
        vec![change],
        &[FileOnDisk::Missing],
    ));
    let edit = action(r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#);
    let grant = Grant::for_shown_action(&edit, &content, GrantedBy::User).unwrap();
    let permissions = Permissions::preset(Preset::Ask);
    permissions.grant(grant).unwrap();
    let write = |old| WholeFileChange { old, new: "new\n" };
    assert!(!permissions.use_grant(&edit, Some(write(ContentBefore::Unknown))));
    assert!(permissions.use_grant(&edit, Some(write(ContentBefore::Missing))));
}

#[test]
fn a_write_shows_that_it_replaces_a_file_that_cannot_be_shown() {
    let request = v1::WriteTextFileRequest::new("s", "/w/a", "new\n");
    let look = |before: FileOnDisk| {
        let place = InspectedPath {
            before,
            ..InspectedPath::default()
        };
        let (_, change) = Action::from_write_request("agent", "/w".into(), &request, &place);
        (change.diff.old_text, change.disk)
    };
    let why = "the file is too large".to_owned();
    assert_eq!(
        look(FileOnDisk::Unknown(why.clone())),
        (None, DiskComparison::Replaced(why))
    );
    assert_eq!(
        look(FileOnDisk::Text("old\n".to_owned())),
        (Some("old\n".to_owned()), DiskComparison::Applies)
    );
    assert_eq!(look(FileOnDisk::Missing), (None, DiskComparison::Applies));
}
