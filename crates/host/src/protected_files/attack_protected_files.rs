//! A policy with an ordinary name: no remembered grant and no preset covers it.

use std::fs;
use std::path::{Path, PathBuf};

use attache_schema::v1;
use tempfile::TempDir;

use super::protect;
use crate::permissions::{Action, Decision, PermissionConfig, Permissions, Preset, Scope, Verdict};

fn project() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    fs::create_dir_all(root.join("rules/deep")).expect("made");
    fs::write(root.join("rules/team.json"), "{}").expect("written");
    fs::write(root.join("main.rs"), "").expect("written");
    protect([root.join("rules/team.json"), root.join("rules/later.json")]);
    (folder, root)
}

fn change(root: &Path, kind: &str, path: &str) -> Action {
    let call = format!(
        r#"{{"toolCallId":"t","kind":"{kind}","title":"t","locations":[{{"path":{}}}]}}"#,
        serde_json::Value::from(path)
    );
    let call: v1::ToolCallUpdate = attache_rpc::json::from_str(&call).expect("a call");
    let none: [v1::PermissionOption; 0] = [];
    let request = v1::RequestPermissionRequest::new("s", call, none);
    Action::from_request("agent", root.to_owned(), &request, None)
}

/// Spellings of the two files, relative to the workspace and absolute.
fn spellings(root: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for file in ["rules/team.json", "rules/later.json"] {
        let name = file.strip_prefix("rules/").unwrap_or(file);
        for path in [
            file.to_owned(),
            format!("./{file}"),
            format!("rules//{name}"),
            format!("rules/./{name}"),
            format!("rules/deep/../{name}"),
            format!("./rules/deep/.././../{file}"),
            file.to_uppercase(),
            format!("{file}."),
            format!("{file} "),
            format!("{file}::$DATA"),
            format!("ru\u{200c}les/{name}"),
        ] {
            all.push(root.join(&path).display().to_string());
            all.push(path);
        }
    }
    all
}

#[test]
fn no_preset_and_no_remembered_decision_covers_a_named_file() {
    let (_folder, root) = project();
    let mut count = 0;
    for path in spellings(&root) {
        for kind in [
            "edit",
            "delete",
            "move",
            "execute",
            "other",
            "switch_mode",
            "_new",
        ] {
            let action = change(&root, kind, &path);
            assert!(action.is_protected(), "{kind} {path}");
            for scope in [Scope::Session, Scope::Workspace, Scope::Always] {
                let permissions = Permissions::open(PermissionConfig::new(Preset::Ask)).0;
                let decision = Decision {
                    is_allowed: true,
                    scope,
                    expires: None,
                };
                permissions.remember(&action, &decision);
                assert_eq!(permissions.judge(&action), Verdict::Ask, "{kind} {path}");
            }
            let all = Permissions::open(PermissionConfig::new(Preset::ApproveAll)).0;
            assert!(
                matches!(all.judge(&action), Verdict::Deny(_)),
                "{kind} {path}"
            );
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[cfg(unix)]
#[test]
fn another_name_of_a_named_file_is_that_file() {
    let (_folder, root) = project();
    std::os::unix::fs::symlink("rules/team.json", root.join("notes.txt")).expect("linked");
    std::os::unix::fs::symlink("rules", root.join("docs")).expect("linked");
    fs::hard_link(root.join("rules/team.json"), root.join("twin.txt")).expect("linked");
    for path in ["notes.txt", "docs/team.json", "docs/later.json", "twin.txt"] {
        assert!(change(&root, "edit", path).is_protected(), "{path}");
    }
}

#[test]
fn everything_below_a_named_directory_is_protected() {
    let (_folder, root) = project();
    fs::create_dir_all(root.join("tools/deep")).expect("made");
    protect([root.join("tools")]);
    for path in [
        "tools/run.sh",
        "tools/deep/new.js",
        "TOOLS/x",
        "tools",
        "rules/../tools/x",
    ] {
        assert!(change(&root, "edit", path).is_protected(), "{path}");
    }
    for path in ["toolsmith", "rules/tools"] {
        assert!(!change(&root, "edit", path).is_protected(), "{path}");
    }
}

#[test]
fn reading_a_named_file_and_changing_others_is_not_protected() {
    let (_folder, root) = project();
    assert!(!change(&root, "read", "rules/team.json").is_protected());
    for path in [
        "main.rs",
        "rules/other.json",
        "rules",
        "team.json",
        "rules/team.json.bak",
    ] {
        assert!(!change(&root, "edit", path).is_protected(), "{path}");
    }
    assert!(change(&root, "delete", "rules").is_protected());
    assert!(!change(&root, "delete", "rules/deep").is_protected());
}
