//! A log of hostile text: each event is one line, and every character is visible.

use attache_testkit::hostile::some_texts;
use attache_text::plain::is_hidden;
use serde_json::{Map, Value, json};

use super::line;
use crate::text;

#[test]
fn every_field_is_shown_as_it_is() {
    for text in some_texts() {
        let fields = [
            json!({ "agent": text, "session": "s1", "kind": "execute", "command": ["echo", text] }),
            json!({ "agent": "a", "session": text, "path": text, "error": text }),
            json!({ "agent": "a", "kind": text, "paths": ["/w", text], "outcome": "denied", "because": text }),
            json!({ "agent": "a", "title": text, "terminal": text, "how": text }),
            json!({ "agent": "a", "what": text, "decision": text, "outcome": "undone" }),
            json!({ "agent": "a", "outcome": "allowed", "scope": text, "expires": text, "option": text }),
        ];
        for fields in fields {
            let shown = shown_line(&text, fields);
            assert_eq!(
                shown.chars().find(|char| is_hidden(*char)),
                None,
                "{shown:?}"
            );
            let visible = text::cell(&text);
            let quoted = visible.replace('\'', r"'\''");
            let is_there = shown.contains(&visible) || shown.contains(&quoted);
            assert!(is_there, "{visible:?} is not in {shown:?}");
        }
    }
}

#[test]
fn a_command_behind_an_escape_sequence_or_a_comment_is_there() {
    let hidden = "echo hi \x1b]; echo PWNED; echo \x07";
    let fields = json!({ "agent": "a", "kind": "execute", "command": [hidden] });
    let shown = shown_line("asked", fields);
    assert!(shown.contains("echo hi ␛]; echo PWNED; echo ␇"), "{shown}");
    let fields = json!({ "agent": "a", "kind": "execute", "command": ["# list\nrm -rf ~"] });
    let shown = shown_line("asked", fields);
    assert!(shown.contains("# list⏎rm -rf ~"), "{shown}");
}

/// What really ran is shown, whatever a process calls its programs.
#[test]
fn no_program_chooses_its_name() {
    let shown = |program: &str, command: &[&str], parents: &[&str]| {
        let fields = json!({ "agent": "a", "program": program, "command": command, "parents": parents, "outcome": "ran" });
        let line = shown_line("executed", fields);
        let what = line.strip_prefix("2026-11-18T03:00:00Z  a  executed  ");
        what.unwrap().strip_suffix("  ran").unwrap().to_owned()
    };
    for (program, command, parents, expected) in [
        (
            "/usr/bin/rm",
            &["cargo", "victim"][..],
            &["bash"][..],
            "bash → rm (calls itself cargo) victim",
        ),
        ("/usr/bin/rm", &["rm", "victim"], &[], "rm victim"),
        ("/usr/bin/id", &[], &["bash"], "bash → id"),
        ("/usr/bin/id", &["… (3 more)"], &[], "id '… (3 more)'"),
        (
            "/usr/bin/touch",
            &["true → git status"],
            &["python3"],
            "python3 → touch (calls itself 'true → git status')",
        ),
        (
            "/usr/bin/touch",
            &["git status  ran\n2026-11-19T00:00:00Z x"],
            &[],
            "touch (calls itself 'git status␠␠ran⏎2026-11-19T00:00:00Z x')",
        ),
        (
            "/w/git",
            &["git", "status"],
            &["/w/make → sh", "sh"],
            "sh → '/w/make → sh' → /w/git status",
        ),
        ("/w/git status", &["git status"], &[], "'/w/git status'"),
    ] {
        assert_eq!(shown(program, command, parents), expected);
    }
}

/// The agent chooses titles, tools, kinds and sessions. None of them can look like a column of ours.
#[test]
fn no_title_forges_a_column() {
    let blanks = [
        "  ",
        "\t",
        "   \t ",
        "\u{a0}\u{a0}",
        "\u{3000}",
        "\u{2003} ",
        "\n\n",
        " \u{200b} ",
    ];
    let claims = [
        "allowed: --approve-all",
        "denied",
        "12 bytes",
        "decided",
        "other “x”",
        "” allowed: the user",
    ];
    for blank in blanks {
        for claim in claims {
            for before in ["x", "", "x”", "“", "deploy  "] {
                let title = format!("{before}{blank}{claim}{blank}");
                let plain = json!({ "agent": "a", "session": "s", "kind": "other", "title": "deploy", "digest": "5c0e", "outcome": "denied", "because": "rule" });
                let expected = shown_line("decided", plain.clone());
                assert_eq!(
                    expected,
                    "2026-11-18T03:00:00Z  a/s  decided  other “deploy” #5c0e  denied: rule"
                );
                for field in ["title", "kind", "session", "because", "tool"] {
                    let mut forged = plain.clone();
                    forged[field] = json!(title);
                    let shown = shown_line("decided", forged);
                    let columns = |line: &str| line.split("  ").count();
                    assert_eq!(columns(&shown), columns(&expected), "{field}: {shown:?}");
                    assert_eq!(
                        shown.matches('“').count(),
                        if field == "title" {
                            1
                        } else {
                            1 + title.matches('“').count()
                        },
                        "{shown:?}"
                    );
                    assert!(!shown.contains('\n'), "{shown:?}");
                }
            }
        }
    }
}

fn shown_line(event: &str, fields: Value) -> String {
    let fields: Map<String, Value> = serde_json::from_value(fields).unwrap();
    line("2026-11-18T03:00:00Z", event, &fields)
}
