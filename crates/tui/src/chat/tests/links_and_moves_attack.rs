//! Misleading requests: files that lead elsewhere, moves, and ambiguous input.

use std::os::unix::fs::symlink;
use std::path::Path;

use attache::v1;
use attache_client::event::Event;
use attache_host::permissions::Action;
use serde_json::json;

use super::test_ui::{permission_prompt, set_tool_call, test_ui};

/// The screen of a request in a workspace.
fn screen(workspace: &Path, call: &str) -> String {
    let text = format!(r#"{{"sessionId":"s1","options":[],"toolCall":{call}}}"#);
    let request: v1::RequestPermissionRequest = attache::json::from_str(&text).unwrap();
    let mut prompt = permission_prompt(1, &[], "Tidy up");
    let mut shown = v1::ToolCall::new("c1", "Tidy up");
    shown.raw_input = request.tool_call.raw_input.clone();
    set_tool_call(&mut prompt, shown);
    prompt.action =
        Action::from_request("test", workspace.to_owned(), &request, None).with_disk(&[]);
    let mut ui = test_ui().size(160, 40);
    ui.event(Event::PermissionRequested(Box::new(prompt)));
    ui.screen()
}

#[test]
fn a_link_is_shown_with_its_target_and_a_protected_target_is_not_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let workspace = root.join("w");
    std::fs::create_dir_all(workspace.join("docs")).unwrap();
    std::fs::write(workspace.join("CLAUDE.md"), "x").unwrap();
    std::fs::write(workspace.join("plain.txt"), "x").unwrap();
    std::fs::write(workspace.join("docs/AGENTS.md"), "x").unwrap();
    std::fs::hard_link(workspace.join("plain.txt"), root.join("twin")).unwrap();
    symlink("CLAUDE.md", workspace.join("notes.txt")).unwrap();
    symlink("../later.txt", workspace.join("out.txt")).unwrap();
    for (kind, path, expected, lasts) in [
        (
            "edit",
            "notes.txt",
            format!("link to ┊ {}", workspace.join("CLAUDE.md").display()),
            false,
        ),
        ("edit", "notes.txt", "Protected file".to_owned(), false),
        (
            "edit",
            "out.txt",
            format!("link to ┊ {}", root.join("later.txt").display()),
            true,
        ),
        ("edit", "plain.txt", "hard link".to_owned(), false),
        (
            "delete",
            "docs",
            "This directory contains protected files".to_owned(),
            false,
        ),
        ("edit", "new.txt", "new.txt".to_owned(), true),
    ] {
        let call = json!({ "toolCallId": "c1", "kind": kind, "locations": [{ "path": path }] });
        let screen = screen(&workspace, &call.to_string());
        assert!(screen.contains(&expected), "{expected}\n{screen}");
        let is_link = ["notes.txt", "out.txt"].contains(&path);
        assert_eq!(screen.contains("link to"), is_link, "{screen}");
        assert_eq!(screen.contains("don't ask again"), lasts, "{screen}");
    }
}

/// The symptom: the source of a move was joined to a directory and listed among the files, without saying which path
/// was which.
#[test]
fn a_move_shows_its_source_and_destination() {
    let workspace = Path::new("/code/project");
    for (kind, input, rows) in [
        (
            "move",
            json!({ "from": "src/a.rs", "to": "../b.rs" }),
            &["From    ┊ /code/project/src/a.rs ", "To      ┊ /code/b.rs "][..],
        ),
        (
            "move",
            json!({ "to": "/tmp/b.rs", "from": "./a.rs" }),
            &["From    ┊ /code/project/a.rs ", "To      ┊ /tmp/b.rs "],
        ),
        (
            "edit",
            json!({ "old_path": "a.rs", "new_path": "b.rs", "directory": "sub" }),
            &[
                "From    ┊ /code/project/a.rs ",
                "From    ┊ /code/project/sub/a.rs ",
                "To      ┊ /code/project/b.rs ",
                "To      ┊ /code/project/sub/b.rs ",
            ],
        ),
        (
            "edit",
            json!({ "changes": { "a.rs": { "type": "update", "move_path": "b.rs" } } }),
            &[
                "From    ┊ /code/project/a.rs ",
                "To      ┊ /code/project/b.rs ",
            ],
        ),
    ] {
        let call = json!({ "toolCallId": "c1", "kind": kind, "rawInput": input });
        let screen = screen(workspace, &call.to_string());
        let mut after = 0;
        for row in rows {
            let at = screen[after..].find(row);
            assert!(at.is_some(), "{row}\n{screen}");
            after += at.unwrap();
        }
        assert!(!screen.contains("┊ a.rs"), "{screen}");
    }
}

#[test]
fn input_with_a_duplicate_member_is_shown_whole_and_not_remembered() {
    for input in [
        r#"{"command":"rm -rf /","command":"ls"}"#,
        r#"{"command":"ls","command":"rm -rf /"}"#,
        r#"{"comm\u0061nd":"rm -rf /","command":"ls"}"#,
        r#"{"path":"a.txt","x":{"b":"rm -rf /","b":1}}"#,
    ] {
        let call = format!(r#"{{"toolCallId":"c1","kind":"execute","rawInput":{input}}}"#);
        let screen = screen(Path::new("/code/project"), &call);
        assert!(screen.contains("rm -rf /"), "{screen}");
        assert!(screen.contains("has the same member twice"), "{screen}");
        assert!(!screen.contains("don't ask again"), "{screen}");
    }
}
