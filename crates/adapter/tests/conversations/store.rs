//! Tests of listing, finding and deleting stored sessions.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use attache_adapter::store::TranscriptStore;
use serde_json::json;
use tempfile::TempDir;

struct Home {
    folder: TempDir,
    store: TranscriptStore,
}

impl Home {
    fn new() -> Home {
        let folder = tempfile::tempdir().expect("a folder");
        let store = TranscriptStore::new(folder.path());
        Home { folder, store }
    }

    /// A session of a project, last changed at this time in seconds.
    fn session(&self, project: &str, id: &str, time: u64, lines: &[String]) -> PathBuf {
        let folder = self.folder.path().join("projects").join(project);
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(id).with_extension("jsonl");
        fs::write(&path, lines.join("\n")).expect("a transcript");
        written(&path, time);
        path
    }
}

fn written(path: &Path, time: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time);
    let file = File::options().append(true).open(path).expect("a file");
    file.set_modified(time).expect("a time");
}

fn prompt(text: &str, uuid: &str, parent: Option<&str>) -> String {
    let message = json!({ "role": "user", "content": text });
    let line = json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "cwd": "/p", "message": message });
    line.to_string()
}

fn titles(store: &TranscriptStore) -> Vec<String> {
    let (sessions, _) = store.list(None, None);
    sessions.into_iter().filter_map(|it| it.title).collect()
}

#[test]
fn pages_neither_repeat_nor_lose_a_session_when_others_change() {
    let home = Home::new();
    let id = |number: u64| format!("s-{number:03}");
    let mut files = Vec::new();
    for number in 0..120 {
        let lines = [prompt("hi", "u", None)];
        files.push(home.session("-p", &id(number), 1000 + number, &lines));
    }
    let (first, cursor) = home.store.list(None, None);
    let cursor = cursor.expect("another page");
    assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
    // Delete a session that was listed, and change one that was not.
    home.store.delete(&id(100)).expect("a deletion");
    written(&files[3], 5000);
    let (second, cursor) = home.store.list(Some("/p"), Some(&cursor));
    let (third, end) = home.store.list(None, cursor.as_ref());
    assert_eq!(end, None);
    let pages = [first, second, third].concat();
    let found: Vec<_> = pages.iter().map(|it| it.session_id.as_str()).collect();
    let wanted: Vec<_> = (0..120).rev().filter(|it| *it != 3).map(id).collect();
    assert_eq!(found, wanted);
    for text in ["", "7", "x.s", "-1.s"] {
        assert!(text.parse::<attache_adapter::store::Cursor>().is_err());
    }
}

#[test]
fn a_title_is_that_of_the_conversation() {
    let home = Home::new();
    let lines = [
        prompt("Gone back behind", "u1", None),
        prompt("Said instead", "u2", None),
        prompt("Said then", "u3", Some("u2")),
    ];
    home.session("-p", "rewound", 3, &lines);
    let picture = "A".repeat(400_000);
    let last = json!({ "type": "last-prompt", "lastPrompt": "Look at this" });
    let answer = json!({ "type": "assistant", "cwd": "/p" });
    let lines = [
        prompt(&picture, "u1", None),
        answer.to_string(),
        last.to_string(),
    ];
    home.session("-p", "picture", 2, &lines);
    home.session("-p", "empty", 1, &[]);
    assert_eq!(titles(&home.store), ["Said instead", "Look at this"]);
}

#[test]
fn a_session_of_the_directory_is_found_before_its_namesake() {
    let home = Home::new();
    for project in ["-a", "-b", "-c"] {
        home.session(project, "same", 1, &[prompt("hi", "u", None)]);
    }
    let found = home.store.find("same", "/b").expect("a transcript");
    assert!(found.parent().is_some_and(|it| it.ends_with("-b")));
    assert!(home.store.find("same", "/d").is_some());
    for id in ["", "other", "../-b/same", "same.jsonl", "*"] {
        assert_eq!(home.store.find(id, "/b"), None);
    }
    home.store.delete("same").expect("a deletion");
    assert_eq!(home.store.find("same", "/b"), None);
    home.store.delete("same").expect("nothing to delete");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_session() {
    let home = Home::new();
    let path = home.session("-p", "good", 1, &[prompt("hi", "u", None)]);
    let beside = |name: &str| path.with_file_name(name);
    std::os::unix::fs::symlink("/dev/zero", beside("endless.jsonl")).expect("a link");
    std::os::unix::fs::symlink("nothing", beside("broken.jsonl")).expect("a link");
    fs::create_dir(beside("folder.jsonl")).expect("a folder");
    fs::write(beside("agent-x.jsonl"), prompt("sub", "u", None)).expect("a file");
    assert_eq!(titles(&home.store), ["hi"]);
    assert_eq!(home.store.find("endless", "/p"), None);
    // Deleting a session keeps the target of a link.
    let elsewhere = home.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    fs::write(elsewhere.join("kept"), "").expect("a file");
    std::os::unix::fs::symlink(&elsewhere, beside("good")).expect("a link");
    home.store.delete("good").expect("a deletion");
    assert!(elsewhere.join("kept").exists() && !path.exists());
}

#[cfg(unix)]
#[test]
fn a_directory_is_known_by_any_of_its_names() {
    let home = Home::new();
    let real = home.folder.path().join("real");
    let link = home.folder.path().join("link");
    fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let cwd = real.canonicalize().expect("a path");
    let cwd = cwd.to_str().expect("a name");
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    let project: String = cwd.chars().map(plain).collect();
    let line = prompt("hi", "u", None).replace("\"/p\"", &format!("{cwd:?}"));
    home.session(&project, "s-1", 1, &[line]);
    let link = link.to_str().expect("a name");
    for name in [cwd, link, &format!("{link}/")] {
        assert_eq!(home.store.list(Some(name), None).0.len(), 1, "{name}");
    }
    assert!(home.store.list(Some("/elsewhere"), None).0.is_empty());
}
