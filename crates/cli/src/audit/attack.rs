//! A log of hostile text: each event is one line, and every character of it can be seen.

use attache::process::{is_hidden, plain};
use attache_check::hostile::some_texts;
use serde_json::{Map, Value, json};

use super::line;

#[test]
fn every_field_is_shown_as_it_is() {
    for text in some_texts() {
        let fields = [
            json!({ "agent": text, "session": "s1", "kind": "execute", "command": ["echo", text] }),
            json!({ "agent": "a", "session": text, "path": text, "error": text }),
            json!({ "agent": "a", "kind": text, "paths": ["/w", text], "outcome": "denied", "because": text }),
            json!({ "agent": "a", "title": text, "terminal": text, "how": text }),
        ];
        for fields in fields {
            let shown = shown_line(&text, fields);
            assert_eq!(
                shown.chars().find(|char| is_hidden(*char)),
                None,
                "{shown:?}"
            );
            let visible = plain::visible(&text).into_owned();
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

fn shown_line(event: &str, fields: Value) -> String {
    let fields: Map<String, Value> = serde_json::from_value(fields).unwrap();
    line("2026-11-18T03:00:00Z", event, &fields)
}
