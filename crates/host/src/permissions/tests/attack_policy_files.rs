//! Policies that are not regular files or that others may have written, and errors that would repeat their content.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::scopes::open_warned;
use super::*;
use crate::scratch::Scratch;

fn load(path: &Path) -> Result<Policy, String> {
    Policy::load(path).map_err(|error| error.to_string())
}

/// Reading a pipe that nobody writes to would never end.
#[test]
fn a_pipe_is_refused_at_once() {
    let folder = Scratch::new();
    let pipe = folder.join("policy.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let link = folder.join("link.json");
    std::os::unix::fs::symlink(&pipe, &link).unwrap();
    for path in [pipe, link] {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(load(&path).unwrap_err()));
        let error = receiver.recv_timeout(Duration::from_secs(20));
        let error = error.expect("it does not wait for a writer");
        assert!(error.ends_with("it is not a regular file"), "{error}");
    }
}

/// Removing the write permission of `/dev/null` would break the system.
#[test]
fn no_error_advises_to_change_a_device_or_a_directory() {
    for path in ["/dev/null", "/dev/zero", "/dev/full", "/dev", "/tmp"] {
        let error = load(Path::new(path)).unwrap_err();
        assert!(error.ends_with("it is not a regular file"), "{error}");
        assert!(!error.contains("chmod"), "{error}");
    }
}

#[test]
fn a_byte_order_mark_is_accepted_as_in_the_configuration() {
    let folder = Scratch::new();
    let file = folder.join("policy.json");
    let text = "\u{feff}{\"rules\":[{\"action\":\"deny\",\"path\":\"secrets\"}]}";
    fs::write(&file, text).unwrap();
    assert!(load(&file).is_ok());
    assert!(Policy::parse("p", text).is_ok());
    let error = Policy::parse("p", "\u{feff}{\"rulez\":[]}").unwrap_err();
    assert!(error.to_string().starts_with("p:1:10"), "{error}");
}

#[test]
fn a_path_that_no_file_can_have_is_an_error() {
    for path in ["\\u0000", "secrets\\u0000", "a/\\u0000/b", "*\\u0000*"] {
        let text = format!(r#"{{"rules":[{{"action":"deny","path":"{path}"}}]}}"#);
        let error = Policy::parse("p", &text).unwrap_err().to_string();
        assert!(error.contains("NUL"), "{error}");
    }
}

/// A text in the wrong place may be a secret key: errors say where it is and what is allowed there.
#[test]
fn no_error_repeats_text_of_the_policy() {
    let mut count = 0;
    for secret in [
        "sk-ant-api03-CANARY",
        "CANARY $x",
        "CANARY;ls",
        "deny CANARY",
    ] {
        for text in [
            r#"{"default":"SECRET"}"#,
            r#"{"defaultAction":"SECRET"}"#,
            r#"{"SECRET":1}"#,
            r#"{"SECRET":1,"SECRET":1}"#,
            r#"{"rules":[{"action":"SECRET"}]}"#,
            r#"{"rules":[{"action":"deny","SECRET":"x"}]}"#,
            r#"{"rules":[{"action":"deny","SECRET":"x","SECRET":"y"}]}"#,
            r#"{"rules":[{"action":"deny","kind":"SECRET"}]}"#,
            r#"{"rules":[{"action":"deny","kind":["read","SECRET"]}]}"#,
            r#"{"rules":[{"action":"deny","command":"x $SECRET"}]}"#,
            r#"{"rules":[{"action":"deny","path":"../SECRET"}]}"#,
            r#"{"rules":[{"action":"deny","path":"[SECRET"}]}"#,
            r#"{"rules":[{"action":"deny","path":{"SECRET":1}}]}"#,
            r#"{"rules":"SECRET"}"#,
            r#"{"rules":["SECRET"]}"#,
            r#"{"autoDeny":{"SECRET":1}}"#,
            r#""SECRET""#,
            r#"{"rules":[] SECRET}"#,
            r#"SECRET"#,
        ] {
            let text = text.replace("SECRET", secret);
            let error = Policy::parse("p", &text).unwrap_err().to_string();
            assert!(!error.contains("CANARY"), "{text}: {error}");
            assert!(error.starts_with("p:1:"), "{error}");
            count += 1;
        }
    }
    assert_eq!(count, 76);
}

/// A directory in which everyone can replace the decisions and the key together, and a key that everyone can read.
#[test]
fn decisions_do_not_count_where_others_could_have_made_them() {
    let data = Scratch::new();
    let store = data.join("permissions.json");
    let remembered = run("npm test");
    open_warned(&store)
        .0
        .remember(&remembered, &decision(true, Scope::Always));
    let set_mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let verdict = || {
        let (permissions, warnings) = open_warned(&store);
        let verdict = shown(&permissions.judge(&remembered));
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        (verdict, warnings.join("\n"))
    };
    let key = store.with_extension("key");
    let before = verdict();
    assert!(before.1.is_empty(), "{before:?}");
    for (path, bad, good, fix) in [
        (&*data, 0o777, 0o700, "chmod go-w"),
        (&*data, 0o757, 0o700, "chmod go-w"),
        (&*key, 0o644, 0o600, "chmod go-rwx"),
        (&*key, 0o640, 0o600, "chmod go-rwx"),
        (&*key, 0o604, 0o600, "chmod go-rwx"),
    ] {
        set_mode(path, bad);
        let (verdict_now, warning) = verdict();
        assert_eq!(verdict_now, "ask", "{bad:o}");
        assert!(warning.contains(fix), "{warning}");
        set_mode(path, good);
        assert_eq!(verdict(), before);
    }
}
